package gaussian_test

import (
	"dpworkbench/internal/must"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
)

// Where μ = Δ/σ is huge, δ(ε, μ) is Φ(−a) but for φ(a)/μ at most, a = ε/μ − μ/2 in
// rationals: numbers of size μ that agree in all but their last digits. ε is the float64
// nearest to μ(a + μ/2) for a wanted a; from μ = 1e16 on it steps over standard deviations.
func TestHugeSensitivities(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 2000 {
		sensitivity := math.Pow(10, 200*rng.Float64()-100)
		sigma := sensitivity / math.Pow(10, 6+140*rng.Float64())
		mu := new(big.Rat).Quo(rat(sensitivity), rat(sigma))
		wanted := 45*rng.Float64() - 9
		value, _ := new(big.Rat).Mul(mu, new(big.Rat).Add(rat(wanted), new(big.Rat).Quo(mu, rat(2)))).Float64()
		eps := must.For(evidence.NewEpsilon("eps", value))(t)
		a, _ := new(big.Rat).Sub(new(big.Rat).Quo(rat(value), mu), new(big.Rat).Quo(mu, rat(2))).Float64()
		got := must.For(gaussian.Delta(eps, sigma, sensitivity))(t)
		m, _ := mu.Float64()
		want := math.Erfc(a/math.Sqrt2) / 2
		// erfc magnifies the rounding of a/√2 by a².
		off := want*(1e-15*(4+a*a)) + math.Exp(-a*a/2)/m + 2*math.SmallestNonzeroFloat64
		if got.Lo > want+off || got.Hi < want-off {
			t.Errorf("Δ = %g, σ = %g, ε = %g: δ in [%v, %v], want %v ± %v", sensitivity, sigma, value, got.Lo, got.Hi, want, off)
		}
		if got.Hi-got.Lo > 4*0x1p-52*got.Hi+2*math.SmallestNonzeroFloat64 {
			t.Errorf("Δ = %g, σ = %g, ε = %g: δ in [%v, %v] is wide", sensitivity, sigma, value, got.Lo, got.Hi)
		}
	}
}

// And back: a(ε) at the ends of a certified ε is on either side of what δ asks for.
func TestSmallestEpsilonOfHugeSensitivities(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 1000 {
		sensitivity := math.Pow(10, 100*rng.Float64()-50)
		sigma := sensitivity / math.Pow(10, 9+140*rng.Float64())
		wanted := 35*rng.Float64() - 5
		delta := math.Erfc(wanted/math.Sqrt2) / 2 // of a = wanted, to 1e-12
		got, err := gaussian.Epsilon(evidencetest.Delta(delta), sigma, sensitivity)
		if err != nil {
			t.Fatalf("δ = %g, σ = %g, Δ = %g: %v", delta, sigma, sensitivity, err)
		}
		mu := new(big.Rat).Quo(rat(sensitivity), rat(sigma))
		at := func(eps float64) float64 {
			a, _ := new(big.Rat).Sub(new(big.Rat).Quo(rat(eps), mu), new(big.Rat).Quo(mu, rat(2))).Float64()
			return a
		}
		const off = 1e-6 // dδ/da ≥ 1e-5·δ, and φ(a)/μ
		if at(got.Lo) > wanted+off || at(got.Hi) < wanted-off {
			t.Errorf("δ = %g, μ = %v: ε in [%v, %v], a from %v to %v, want %v", delta, mu.FloatString(3), got.Lo, got.Hi, at(got.Lo), at(got.Hi), wanted)
		}
		if got.Hi-got.Lo > 4*0x1p-52*got.Hi {
			t.Errorf("δ = %g, Δ/σ = %g: ε in [%v, %v] is wide", delta, sensitivity/sigma, got.Lo, got.Hi)
		}
	}
}
