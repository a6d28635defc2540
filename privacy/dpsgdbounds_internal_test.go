package privacy

import (
	"math"
	"math/big"
	"testing"
)

// The limits of μ are those of the formulas of Bu and others 2020 and of Dong, Roth and Su 2022, computed apart.
func TestLimitMu(t *testing.T) {
	for kind, want := range map[Sampling]float64{Poisson: 0.41453, WithoutReplacement: 0.54080} {
		s := &DPSGD{NoiseMultiplier: big.NewRat(1, 1), Rate: big.NewRat(1, 100), Steps: 1000, Sampling: kind}
		if got := s.limitMu(); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: μ = %v, want %v", kind, got, want)
		}
	}
}
