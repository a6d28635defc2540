package matrices_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/reproductions/matrices"
)

// checkOutward fails unless lo and hi are the float64 next to q on both sides, or both equal to q.
func checkOutward(t testing.TB, what string, lo, hi float64, q *big.Rat) {
	t.Helper()
	below, exact := q.Float64()
	above := below
	if !exact {
		if matrices.RatOf(below).Cmp(q) > 0 {
			below = math.Nextafter(below, math.Inf(-1))
		} else {
			above = math.Nextafter(above, math.Inf(1))
		}
	}
	if lo != below || hi != above {
		t.Errorf("%s in [%v, %v], want [%v, %v]", what, lo, hi, below, above)
	}
}
