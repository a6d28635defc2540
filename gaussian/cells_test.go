package gaussian

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/evidence"
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

func TestCellsStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Cells(ctx, interval.Int(0), interval.Int(1), 3); err == nil {
		t.Error("went on")
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
