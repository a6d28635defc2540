package audit_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The largest ratio is found in whatever order pairs come, where it or others are beyond
// float64, infinite, or of numbers below the normal ones.
func TestExtremeRatiosInAnyOrder(t *testing.T) {
	ten := func(n int) *big.Rat { return rat("1/1" + strings.Repeat("0", n)) }
	times := func(k int64, q *big.Rat) *big.Rat { return q.Mul(q, big.NewRat(k, 1)) }
	half := big.NewRat(1, 2)
	for name, first := range map[string][]*big.Rat{ // the probabilities of one output
		"beyond, farther":  {half, ten(400), ten(500)},
		"beyond, infinite": {half, ten(400), new(big.Rat)},
		// In float64 7.5e-324 and 8e-324 are one number.
		"below normal": {ten(200), times(8, ten(324)), times(75, ten(325))},
	} {
		for _, order := range [][2]int{{1, 2}, {2, 1}} {
			var table audit.Table
			largest, infinite := new(big.Rat), false
			for x, k := range []int{0, order[0], order[1]} {
				rest := new(big.Rat).Sub(big.NewRat(1, 1), first[k])
				must.Be(0, table.Add(string(rune('x'+x)), "a", first[k]))
				must.Be(0, table.Add(string(rune('x'+x)), "b", rest))
				if infinite = infinite || first[k].Sign() == 0; k > 0 && !infinite {
					if q := new(big.Rat).Quo(first[0], first[k]); q.Cmp(largest) > 0 {
						largest = q
					}
				}
			}
			r := must.Be(table.Audit(context.Background(), []audit.Pair{{"x", "y"}, {"x", "z"}}, floatClaim(1, "0")))
			lo, hi := r.Epsilon.Bounds()
			if infinite {
				if !math.IsInf(hi, 1) {
					t.Errorf("%s: ε = %v, want infinity", name, r.Epsilon)
				}
				continue
			}
			least, most := interval.Rat(largest).Log().Bounds()
			if lo > least || hi < most {
				t.Errorf("%s: ε in [%v, %v], want %v", name, lo, hi, least)
			}
		}
	}
}
