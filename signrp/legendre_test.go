package signrp

import (
	"math"
	"math/big"
	"testing"
)

// Nodes and weights integrate every power that they should, in rationals.
func TestLegendre(t *testing.T) {
	for _, n := range []int{16, 24, 96} {
		rule := newLegendre(n)
		for power := range 2 * n {
			sum := new(big.Float).SetPrec(300)
			for k, x := range rule.x {
				v := new(big.Float).SetPrec(300).SetFloat64(rule.w[k])
				for range power {
					v.Mul(v, new(big.Float).SetFloat64(x))
				}
				sum.Add(sum, v)
			}
			want := 0.0
			if power%2 == 0 {
				want = 2 / float64(power+1)
			}
			// Nodes and weights are off by half an ulp: Σ w (½ + power/2·|x|^{power−1}) ulp.
			got, _ := sum.Float64()
			if math.Abs(got-want) > 4*ulp {
				t.Errorf("%d nodes, power %d: %v, want %v", n, power, got, want)
			}
		}
	}
}
