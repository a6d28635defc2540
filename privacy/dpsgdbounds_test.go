package privacy_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// The estimates by the central limit theorem use the limits of μ by Bu and others 2020 and by Dong, Roth and Su 2022.
// The expected values were computed separately to five digits.
func TestCentralLimit(t *testing.T) {
	delta := evidencetest.RationalDelta(big.NewRat(1, 100000))
	for kind, mu := range map[privacy.Sampling]float64{privacy.Poisson: 0.41453, privacy.WithoutReplacement: 0.54080} {
		rows := must.For(loop(t, "1", "1/100", 1000, kind).Compare(t.Context(), delta))(t)
		least := must.For(gaussian.EpsilonAt(delta, interval.Float(mu-1e-5)))(t).Float()
		most := must.For(gaussian.EpsilonAt(delta, interval.Float(mu+1e-5)))(t).Float()
		if got := rows[3].Value; !(least <= got && got <= most) {
			t.Errorf("%s: ε = %v, want %v to %v", kind, got, least, most)
		}
	}
}
