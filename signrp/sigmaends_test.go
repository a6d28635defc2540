package signrp

import (
	"math/big"
	"testing"

	"dpworkbench/gaussian"
)

// The deviation of noise is enclosed where W has rows of any length and β is of any size: the sensitivity in 200 bits times what the deviation is at a sensitivity
// of 1, whose own ends are a few units apart.
func TestDeviationsHoldTheSensitivity(t *testing.T) {
	ctx, one := t.Context(), eps(t, 1)
	unit := must(gaussian.Sigma(one, 1e-3, 1))
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for _, kind := range []Kind{Gaussian, Uniform, Sparse} {
		for seed := range uint64(6) {
			w := must(NewProjection(kind, 5, 3, 2, seed))
			square := number(0)
			for _, row := range must(w.Matrix()) {
				sum := number(0)
				for _, v := range row {
					sum.Add(sum, new(big.Float).Mul(number(v), number(v)))
				}
				if sum.Cmp(square) > 0 {
					square = sum
				}
			}
			if square.Sign() == 0 {
				continue
			}
			length := square.Sqrt(square.Quo(square, number(3)))
			for n := range 60 {
				beta := []float64{1, 0.3, 1e-300, 5e-324 * float64(1+7*n), 1e300}[n%5] * float64(1+n)
				r := must(NewRP(ctx, w, one, 1e-3, beta))
				as := new(big.Float).SetPrec(200).SetRat(written(beta))
				truth := func(sigma float64) *big.Float {
					return new(big.Float).Mul(new(big.Float).Mul(as, length), number(sigma))
				}
				lo, hi := number(r.sigma.Lo), number(r.sigma.Hi)
				if lo.Cmp(truth(unit.Hi)) > 0 || hi.Cmp(truth(unit.Lo)) < 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], which is %g", kind, beta, r.sigma.Lo, r.sigma.Hi, truth(unit.Hi))
				}
				if wide := new(big.Float).Sub(hi, lo); wide.Cmp(new(big.Float).Add(new(big.Float).Mul(hi, number(1e-13)), number(8*5e-324*(1+unit.Hi)))) > 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], which is wide", kind, beta, r.sigma.Lo, r.sigma.Hi)
				}
			}
		}
	}
}
