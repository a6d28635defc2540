package gaussian

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// Cells are what the tails at their ends differ by, and each is known to 200 bits of its own, however far out.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := interval.Float(rapid.Float64Range(-30, 30).Draw(t, "z"))
		d := interval.Float(rapid.SampledFrom([]float64{1e-5, 1e-3, 0.1, 0.25, 0.3, 2.5}).Draw(t, "d"))
		n := rapid.IntRange(1, 40).Draw(t, "n")
		cells, err := Cells(t.Context(), z, d, n)
		if err != nil {
			t.Fatal(err)
		}
		total := interval.Int(0)
		for k, c := range cells {
			lo, hi := z.Add(d.Mul(interval.Int(int64(k)))), z.Add(d.Mul(interval.Int(int64(k+1))))
			// Of the tails on the side where they are small.
			want := Tail(lo).Sub(Tail(hi))
			if s, _ := hi.Sign(); s < 0 {
				want = Tail(hi.Neg()).Sub(Tail(lo.Neg()))
			}
			if c.Less(want) || want.Less(c) {
				t.Fatalf("cell %d is %v, want %v", k, c, want)
			}
			if !c.Narrow(200) {
				t.Fatalf("cell %d is %v: wide", k, c)
			}
			total = total.Add(c)
		}
		if all := Tail(z).Sub(Tail(z.Add(d.Mul(interval.Int(int64(n)))))); total.Less(all) || all.Less(total) {
			t.Fatalf("cells sum to %v, want %v", total, all)
		}
	})
}

// Wide cells far from where their row starts are what tails of 190 bits at their ends differ by.
func TestCellsOfLongRows(t *testing.T) {
	for _, z := range []int64{-40, -2, 0, 3} {
		cells := must.For(Cells(t.Context(), interval.Int(z), interval.Int(2), 22))(t)
		for k, c := range cells {
			lo, hi := interval.Int(z+2*int64(k)), interval.Int(z+2*int64(k)+2)
			if s, _ := lo.Sign(); s < 0 { // at even z a cell lies on one side of 0
				lo, hi = hi.Neg(), lo.Neg()
			}
			want := sharpTail(lo).Sub(sharpTail(hi))
			if s, _ := lo.Sign(); s < 0 {
				want = interval.Int(1).Sub(sharpTail(lo.Neg())).Sub(sharpTail(hi))
			}
			if c.Less(want) || want.Less(c) || !c.Narrow(200) || !want.Narrow(150) {
				t.Errorf("cell %d from %d on is %v, want %v", k, z, c, want)
			}
		}
	}
}

// Where z and d are hardly known, cells hold those of all of them, and are as well known as they are.
func TestCellsOfWideNumbers(t *testing.T) {
	cell := func(lo, hi interval.Interval) interval.Interval {
		if s, _ := lo.Sign(); s < 0 {
			lo, hi = hi.Neg(), lo.Neg()
		}
		return sharpTail(lo).Sub(sharpTail(hi))
	}
	for _, z := range []float64{0.5, 3, -4} {
		for _, width := range []struct {
			z, d float64
			bits int
		}{{1e-40, 0, 120}, {0, 1e-40, 120}, {1e-9, 0, 20}, {0, 1e-9, 20}, {1e-3, 1e-4, 3}, {0.1, 0, -2}} {
			starts := interval.Hull(interval.Float(z), interval.Float(z).Add(interval.Float(width.z)))
			sizes := interval.Hull(interval.Float(0.25), interval.Float(0.25).Add(interval.Float(width.d)))
			cells := must.For(Cells(t.Context(), starts, sizes, 8))(t)
			for k, c := range cells {
				for _, from := range []interval.Interval{starts.Lower(), starts.Upper()} {
					for _, size := range []interval.Interval{sizes.Lower(), sizes.Upper()} {
						lo := from.Add(size.Mul(interval.Int(int64(k))))
						if want := cell(lo, lo.Add(size)); c.Less(want) || want.Less(c) {
							t.Errorf("cell %d of %v from %v on is %v, want %v", k, sizes, starts, c, want)
						}
					}
				}
				if !c.Narrow(width.bits) {
					t.Errorf("cell %d of %v from %v on is %v: wide", k, sizes, starts, c)
				}
			}
		}
	}
}

// What a series leaves out is allowed for, and no more than four times that, where its terms fall below a unit, and where there are too many that do not.
func TestSlackOfSeries(t *testing.T) {
	for _, c := range []struct{ d, far float64 }{{0.5, 1}, {0.001, 900}, {20, 0}, {20.01, 0}, {20.02, 0}, {30, 4}, {17, 100}} {
		h := newHermite(interval.Float(c.d), c.far)
		m := float64(h.terms)
		gamma, _ := math.Lgamma(m + 2)
		left := (c.far*c.d+m*math.Log((c.far+c.d+math.Sqrt(m))*c.d)-gamma)/math.Ln2 + fixed
		extra, exp := new(big.Float).SetInt(new(big.Int).Sub(h.slack, big.NewInt(256))), 0
		if f := new(big.Float); extra.Sign() > 0 {
			exp = extra.MantExp(f)
		}
		if got := float64(exp - 1); got < left || got > max(left, 0)+1+1e-4 || (h.terms == 1000) != (c.d > 1) {
			t.Errorf("d = %v, |z| ≤ %v: %d terms leave 2^%v units, 2^%v are allowed for", c.d, c.far, h.terms, left, got)
		}
	}
}

// What a series sums does not depend on what it summed before.
func TestSharesAreTheirOwn(t *testing.T) {
	for _, d := range []float64{1e-3, 0.25, 2.5, 20} { // the last two leave much
		c := newHermite(interval.Float(d), 3)
		for _, z := range []float64{-3, 1, 0.5, -3} {
			alone := newHermite(interval.Float(d), 3)
			got, want := c.share(interval.Float(z)), alone.share(interval.Float(z))
			if got.CmpLo(want) != 0 || got.CmpHi(want) != 0 || c.sum.Cmp(alone.sum) != 0 {
				t.Errorf("d = %v: at z = %v after others %v, alone %v", d, z, got, want)
			}
		}
	}
}

// ending is a context that ends when it has been looked at so often.
type ending struct {
	context.Context
	looks int
}

func (c *ending) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// Cells end with their context, before the first as after thousands, and no number of them is too large for it below 2²⁰.
func TestCellsStop(t *testing.T) {
	for _, c := range []struct{ looks, n int }{{0, 1}, {0, 3}, {0, 1 << 20}, {1, 3000}, {2, 3000}} {
		out, err := Cells(&ending{t.Context(), c.looks}, interval.Int(0), interval.Float(1e-6), c.n)
		if out != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%d cells went on after %d looks: %d, %v", c.n, c.looks, len(out), err)
		}
	}
	for _, z := range []int64{-1024, 1022} { // to 1024 there is room
		if out, err := Cells(t.Context(), interval.Int(z), interval.Int(1), 2); len(out) != 2 || err != nil {
			t.Errorf("from %d on: %d cells, %v", z, len(out), err)
		}
	}
}

func TestCellsRefuse(t *testing.T) {
	zero, one := interval.Int(0), interval.Int(1)
	for name, c := range map[string]struct {
		z, d interval.Interval
		n    int
	}{
		"n":      {zero, one, 0},
		"many n": {zero, one, 1<<20 + 1},
		"z + d":  {interval.Int(1023), one, 2},
		"d":      {zero, zero, 1},
		"wide d": {zero, interval.Float(1e30), 1},
		"z":      {interval.Float(-1e30), one, 1},
		"no z":   {interval.Whole(), one, 1},
	} {
		if out, err := Cells(t.Context(), c.z, c.d, c.n); out != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}
