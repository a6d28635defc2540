package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// rungsOf returns a ladder of whole masses on steps of 2^scale from bucket first on, with so many bits.
func rungsOf(first int64, scale int, prec uint, infinityMass int64, masses ...int64) *lossPMF {
	l := &lossPMF{grid: grid{step: interval.Float(math.Ldexp(1, scale))}, base: interval.Int(0), first: first, prec: prec, infinityMass: big.NewInt(infinityMass)}
	for _, m := range masses {
		l.mass = append(l.mass, big.NewInt(m))
	}
	return l
}

// The law of a sum has the products of masses, and either infinite loss, rounded down; powers are products however
// they are taken.
func TestSumsOfRungs(t *testing.T) {
	const prec = 40
	whole := int64(1) << prec
	a, b := rungsOf(-2, -3, prec, whole/8, whole/4, 0, whole/2+1), rungsOf(3, -3, prec, whole/4, whole/2, whole/8-3)
	a.base, b.base = interval.Float(0.5), interval.Float(-2)
	got := a.convolve(b)
	if got.first != 1 || len(got.mass) != 4 || got.base.Mid() != -1.5 || got.prec != prec {
		t.Fatalf("%+v", got)
	}
	var want [4]*big.Int
	for i := range want {
		want[i] = new(big.Int)
	}
	for i, x := range a.mass {
		for j, y := range b.mass {
			want[i+j].Add(want[i+j], new(big.Int).Mul(x, y))
		}
	}
	for j, w := range want {
		if got.mass[j].Cmp(w.Rsh(w, prec)) != 0 {
			t.Errorf("rung %d has %v, want %v", j, got.mass[j], w)
		}
	}
	if infinityMass := whole/8 + whole/4 - whole/32; got.infinityMass.Int64() != infinityMass {
		t.Errorf("infinite losses of %v, want %d", got.infinityMass, infinityMass)
	}
	if at := got.lossAt(0); at.Mid() != -1.5+1./8 {
		t.Errorf("the first rung is %v", at)
	}
	zero := rungsOf(0, -3, prec, 0, 1)
	zero.base = interval.Float(0.5)
	if zero.lossAt(0) != zero.base {
		t.Error("a rung that is no step away from the base is not the base itself")
	}
	for n := 1; n <= 9; n++ {
		l := rungsOf(-1, -3, prec, whole/64, whole/4, whole/2, whole/8)
		got := must.For(l.selfConvolve(t.Context(), n))(t)
		by := l
		for range n - 1 {
			by = by.convolve(rungsOf(-1, -3, prec, whole/64, whole/4, whole/2, whole/8))
		}
		if got.first != by.first || len(got.mass) != len(by.mass) {
			t.Fatalf("%d losses: %d rungs from %d on, want %d from %d on", n, len(got.mass), got.first, len(by.mass), by.first)
		}
		for j := range got.mass {
			if gap := new(big.Int).Sub(got.mass[j], by.mass[j]); gap.CmpAbs(big.NewInt(int64(4*n))) > 0 { // roundings of their own
				t.Errorf("%d losses: rung %d has %v, want %v", n, j, got.mass[j], by.mass[j])
			}
		}
	}
	if places := looks.Each(t, 1, func(ctx context.Context) error { _, err := a.selfConvolve(ctx, 5); return err }); places == 0 {
		t.Error("powers do not look whether they are to end")
	}
}

// Masses are rounded down to whole numbers.
func TestRoundedMasses(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		prec   uint
		down   int64
	}{{0.3, 0.7, 4, 4}, {0.25, 0.25, 4, 4}, {-0.5, 0.5, 4, 0}, {0, 0, 4, 0}, {1, 1, 0, 1}, {1e-9, 1e-9, 20, 0}} {
		a := interval.Between(c.lo, c.hi)
		if got := floorFixed(a, c.prec).Int64(); got != c.down {
			t.Errorf("%v to %d bits is %d, want %d", a, c.prec, got, c.down)
		}
	}
}

// sumOver calls with every sum of k of the losses, and its chance.
func sumOver(p, losses []float64, k int, at, chance float64, with func(at, chance float64)) {
	if k == 0 {
		with(at, chance)
		return
	}
	for i := range p {
		sumOver(p, losses, k-1, at+losses[i], chance*p[i], with)
	}
}
