package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// normalized returns a + b for |a| ≥ |b| in the form that Add returns: |Lo| ≤ ulp(Hi)/2.
func normalized(a, b float64) interval.DoubleDouble {
	sum, rest := interval.TwoSum(a, b)
	return interval.DoubleDouble{sum, rest}
}

func rationalOf(x interval.DoubleDouble) *big.Rat {
	v := new(big.Rat).SetFloat64(x.Hi)
	return v.Add(v, new(big.Rat).SetFloat64(x.Lo))
}

// Each double-double operation errs by no more than its stated bound.
func TestDoublesAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	draw := func() interval.DoubleDouble {
		hi := math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		return normalized(hi, hi*0x1p-53*(2*rng.Float64()-1))
	}
	bound := new(big.Rat).SetFloat64(interval.DoubleError)
	for range 2000 {
		x, y := draw(), draw()
		p, q := rationalOf(x), rationalOf(y)
		for name, c := range map[string]struct {
			got  interval.DoubleDouble
			want *big.Rat
		}{
			"sum": {x.Add(y), new(big.Rat).Add(p, q)}, "product": {x.Mul(y), new(big.Rat).Mul(p, q)}, "quotient": {x.Quo(y), new(big.Rat).Quo(p, q)},
		} {
			off := new(big.Rat).Sub(rationalOf(c.got), c.want)
			if off.Abs(off).Cmp(new(big.Rat).Mul(bound, c.want)) > 0 {
				v, _ := off.Float64()
				t.Fatalf("%s of %v and %v is off by %g", name, x, y, v)
			}
			if c.got.Hi+c.got.Lo != c.got.Hi {
				t.Fatalf("%s of %v and %v is %v, not normalized", name, x, y, c.got)
			}
		}
	}
}

// Sums of many positive terms have at most the error that Accumulate states. The same holds for two sums combined, and
// for sums of products without cancellation.
func TestAccumulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	for range 100 {
		var all, left, right interval.DoubleDouble
		n := 2 + rng.IntN(60)
		want, products := new(big.Rat), new(big.Rat)
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			a[i], b[i] = math.Ldexp(1+rng.Float64(), rng.IntN(100)-50), 1+rng.Float64()
			v := new(big.Rat).SetFloat64(a[i])
			want.Add(want, v)
			products.Add(products, v.Mul(v, new(big.Rat).SetFloat64(b[i])))
			all.Accumulate(a[i])
			if i%2 == 0 {
				left.Accumulate(a[i])
			} else {
				right.Accumulate(a[i])
			}
		}
		left.AccumulateSum(right)
		for what, c := range map[string]struct {
			got  interval.DoubleDouble
			want *big.Rat
		}{"sum": {all, want}, "sum of two": {left, want}, "sum of products": {interval.DoubleDouble{}.AddProducts(a, b), products}} {
			off := func(v *big.Rat) float64 {
				gap, _ := v.Quo(v.Sub(v, c.want), c.want).Float64()
				return math.Abs(gap)
			}
			if gap := off(rationalOf(c.got)); gap > float64(n*n)*interval.Unit*interval.Unit {
				t.Errorf("the %s of %d terms has relative error %g", what, n, gap)
			}
			if gap := off(new(big.Rat).SetFloat64(c.got.Float())); gap > interval.Unit*(1+1e-9) {
				t.Errorf("the %s of %d terms as a float64 has relative error %g units", what, n, gap/interval.Unit)
			}
		}
	}
}
