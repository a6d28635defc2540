package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// members returns variances x with W diag(x) Wᵀ ⪰ Σ, checked in rational arithmetic.
func TestMembersDominateSigma(t *testing.T) {
	rng := rand.New(rand.NewPCG(304, 1))
	grown := 0
	for range 30 {
		w := symmetric.RandomBasis(2, rng)
		weights := []float64{1, 2}
		v := []float64{math.Exp(2 * rng.NormFloat64()), math.Exp(2 * rng.NormFloat64())}
		s := &pairs{optimizer: &optimizer{ctx: t.Context(), goal: Goal{Weights: weights}, basis: must.Be(newBasis(w, weights))}}
		sigma := must.Be(NewDirectional(v, w))
		// The gap W diag(x) Wᵀ − M must have a nonnegative determinant and diagonal.
		m := sigma.Matrix()
		var gap [2][2]*big.Rat
		for i := range gap {
			for j := range gap {
				gap[i][j] = ratOf(-m.At(i, j))
			}
		}
		for k, x := range must.Be(s.members(sigma)) {
			low, _ := x.Lower().MidFloat(256).Rat(nil)
			if given := ratOf(v[k]); low.Cmp(ratOf(v[k]*(1+1e-12))) > 0 || low.Cmp(given) < 0 {
				t.Errorf("member %v for variance %v", x, v[k])
			} else if low.Cmp(given) > 0 {
				grown++
			}
			for i := range gap {
				for j := range gap {
					term := new(big.Rat).Mul(ratOf(w.At(i, k)), ratOf(w.At(j, k)))
					gap[i][j].Add(gap[i][j], term.Mul(term, low))
				}
			}
		}
		det := new(big.Rat).Sub(new(big.Rat).Mul(gap[0][0], gap[1][1]), new(big.Rat).Mul(gap[0][1], gap[1][0]))
		if det.Sign() < 0 || gap[0][0].Sign() < 0 || gap[1][1].Sign() < 0 {
			t.Errorf("Σ exceeds the matrix of its members: variances %v, directions %v", v, mat.Formatted(w))
		}
	}
	if grown < 10 {
		t.Errorf("only %d of 60 variances are rounded up", grown)
	}
}
