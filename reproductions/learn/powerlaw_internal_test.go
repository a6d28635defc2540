package learn

import (
	"math"
	"testing"
)

// The sums agree with a direct sum of many terms, for a wide range of exponents and minima.
func TestMomentsAgainstDirectSums(t *testing.T) {
	for _, c := range []struct{ q, s float64 }{{1, 1.5}, {1, 3}, {7, 2.2}, {1000, 40}, {1000, 3000}, {30, 1.01}, {100, 12.5}} {
		z := zeta{c.q, 0}
		got := z.moments(c.s)
		const far = 1 << 22
		var sum, first float64
		for k := c.q; k < far; k++ {
			x := math.Log(k / c.q)
			w := math.Exp(-c.s * x)
			sum, first = sum+w, first+w*x
		}
		rest := restOf(c.s, far, c.q) // the terms from far on: all but their integral is below 1e-13 of the sum
		sum, first = sum+rest[0], first+rest[1]
		if math.Abs(got.logSum-math.Log(sum)) > 1e-10 || math.Abs(got.mean-first/sum) > 1e-10*first/sum {
			t.Errorf("s = %g, minimum %g: %+v, want %v, %v", c.s, c.q, got, math.Log(sum), first/sum)
		}
	}
}
