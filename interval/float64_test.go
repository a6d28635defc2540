package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// Results on Ends contain the rational results at the ends, within two float64s, and are never negative.
func TestEndsContainRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	exact := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 5000 {
		draw := func() interval.Ends {
			v := math.Ldexp(rng.Float64(), rng.IntN(200)-100)
			return interval.EndsOf(v, v*(1+rng.Float64()))
		}
		a, b := draw(), draw()
		if rng.IntN(20) == 0 {
			a.Lo = 0
		}
		for what, c := range map[string]struct {
			got    interval.Ends
			lo, hi *big.Rat
		}{
			"sum":      {a.Add(b), new(big.Rat).Add(exact(a.Lo), exact(b.Lo)), new(big.Rat).Add(exact(a.Hi), exact(b.Hi))},
			"product":  {a.Mul(b), new(big.Rat).Mul(exact(a.Lo), exact(b.Lo)), new(big.Rat).Mul(exact(a.Hi), exact(b.Hi))},
			"quotient": {a.Quo(b), new(big.Rat).Quo(exact(a.Lo), exact(b.Hi)), new(big.Rat).Quo(exact(a.Hi), exact(b.Lo))},
		} {
			if c.got.Lo < 0 || exact(c.got.Lo).Cmp(c.lo) > 0 || exact(c.got.Hi).Cmp(c.hi) < 0 {
				t.Fatalf("the %s of %v and %v is %v, want %s to %s", what, a, b, c.got, c.lo.FloatString(20), c.hi.FloatString(20))
			}
			if exact(interval.Up(interval.Up(c.got.Lo))).Cmp(c.lo) < 0 || exact(interval.Down(interval.Down(c.got.Hi))).Cmp(c.hi) > 0 {
				t.Fatalf("the %s of %v and %v is %v, wider than two float64s", what, a, b, c.got)
			}
		}
	}
}
