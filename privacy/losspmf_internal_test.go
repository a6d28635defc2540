package privacy

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// sumOver calls the function with for every sequence of k losses. The function's arguments are at plus the sum of the
// losses, and chance times the probability of the sequence.
func sumOver(p, losses []float64, k int, at, chance float64, with func(at, chance float64)) {
	if k == 0 {
		with(at, chance)
		return
	}
	for i := range p {
		sumOver(p, losses, k-1, at+losses[i], chance*p[i], with)
	}
}

// Convolution adds losses and multiplies masses, selfConvolve is repeated convolution, and all masses are rounded
// down.
func TestConvolutions(t *testing.T) {
	const whole = 1 << 40
	one := func() *lossPMF {
		l := fewBits(interval.Float(0.5), 0.125, -2, 40, whole/4, 0, whole/2+1)
		l.infinityMass = big.NewInt(whole / 8)
		return l
	}
	two := fewBits(interval.Float(-2), 0.125, 3, 40, whole/2, whole/8-3)
	two.infinityMass = big.NewInt(whole / 4)
	from := one()
	sum := from.convolve(two)
	want := []int64{whole / 8, whole/32 - 1, whole / 4, whole/16 - 2} // (2⁻¹ + 2⁻⁴⁰)(2⁻³ − 3·2⁻⁴⁰) = 2⁻⁴ − 1.375·2⁻⁴⁰ …
	for j, m := range sum.mass {
		if m.Int64() != want[j] {
			t.Errorf("bucket %d has %v, want %d", j, m, want[j])
		}
	}
	if sum.first != 1 || len(sum.mass) != 4 || sum.lossAt(0).Mid() != -1.375 || sum.infinityMass.Int64() != whole/8+whole/4-whole/32 || from.lossAt(2) != from.base {
		t.Errorf("%+v", sum)
	}
	by := one()
	for n := 1; n <= 9; n++ {
		power := must.For(one().selfConvolve(t.Context(), n))(t)
		if power.first != by.first || len(power.mass) != len(by.mass) {
			t.Fatalf("%d losses: %d buckets from %d on, want %d from %d on", n, len(power.mass), power.first, len(by.mass), by.first)
		}
		for j, m := range power.mass {
			if gap := new(big.Int).Sub(m, by.mass[j]); gap.CmpAbs(big.NewInt(int64(4*n))) > 0 { // rounding
				t.Errorf("%d losses: bucket %d has %v, want %v", n, j, m, by.mass[j])
			}
		}
		by = by.convolve(one())
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := one().selfConvolve(ctx, 5); return err })
	for _, c := range []struct {
		lo, hi float64
		prec   uint
		down   int64
	}{{0.3, 0.7, 4, 4}, {0.25, 0.25, 4, 4}, {-0.5, 0.5, 4, 0}, {1, 1, 0, 1}, {1e-9, 1e-9, 20, 0}} {
		if got := floorFixed(interval.Between(c.lo, c.hi), c.prec).Int64(); got != c.down {
			t.Errorf("floorFixed of [%g, %g] to %d bits is %d, want %d", c.lo, c.hi, c.prec, got, c.down)
		}
	}
	for _, c := range []struct {
		log, uses float64
		bits      uint // 60, plus the bits of δ and of the uses, rounded up so products fill whole words
	}{{0, 1, 84}, {-69.3, 1, 180}, {-69.3, 1 << 40, 212}, {-1e9, 1, 14516}} {
		if got := logPrecision(c.log, c.uses); got != c.bits {
			t.Errorf("%g uses at ln δ = %g take %d bits, want %d", c.uses, c.log, got, c.bits)
		}
	}
}
