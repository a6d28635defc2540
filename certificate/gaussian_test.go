package certificate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
)

// TestGaussian checks Gaussian noise over the whole range of its parameters, including tails near 1e-300.
func TestGaussian(t *testing.T) { checkAll(t, gaussians) }

// gaussians adds certificates for Gaussian noise.
func gaussians(j *checkerCases) {
	t := j.t
	src := rand.New(rand.NewPCG(26, 1))
	between := func(low, high float64) float64 { // decades
		return math.Pow(10, low+(high-low)*src.Float64())
	}
	eps, ln := generator{t: t}.eps, generator{t: t}.ln
	number := func(n evidence.Certified, err error) { j.number(n, err) }
	for range cases.Of(2, 8) {
		e, d, s := eps(between(-3, 2)), between(-20, -0.01), between(-3, 3)
		sigma, err := gaussian.Sigma(e, evidencetest.Delta(d), s)
		number(sigma, err)
		number(gaussian.Mu(e, evidencetest.Delta(d)))
		number(gaussian.Delta(e, sigma.Hi, s))
		number(gaussian.Epsilon(evidencetest.Delta(d), sigma.Lo, s))
	}
	for range cases.Of(2, 8) {
		e, d := eps(between(-12, 12)), between(-300, -1)
		sigma, err := gaussian.Sigma(e, evidencetest.Delta(d), 1)
		number(sigma, err)
		number(gaussian.Delta(e, sigma.Hi*between(-0.1, 0.1), 1))
		number(gaussian.Epsilon(evidencetest.Delta(d), between(-60, 60), between(-60, 60)))
	}
	for _, e := range []evidence.Epsilon{ln(3, 1), ln(1001, 1000), ln(7, 2), {}} {
		number(gaussian.Delta(e, 2, 1))
		number(gaussian.Delta(e, 0.01, 1))
		number(gaussian.Delta(e, 1e200, 1e-90))
	}
	number(gaussian.Sigma(ln(3, 1), evidencetest.Delta(1e-5), 0.1))
	number(gaussian.Sigma(eps(1e-300), evidencetest.Delta(1e-307), 1))
	number(gaussian.Sigma(eps(1e20), evidencetest.Delta(1e-307), 1))
	number(gaussian.Mu(eps(1e20), evidencetest.Delta(1-0x1p-50)))
	number(gaussian.Epsilon(evidence.Delta{}, 1, 1))
	number(gaussian.Epsilon(evidencetest.Delta(1-0x1p-53), 1, 1e153))
	number(gaussian.Epsilon(evidencetest.Delta(1e-307), 1, 1e153))
	number(gaussian.Epsilon(evidencetest.Delta(0.5), 1, 1e-300))
	number(gaussian.Delta(eps(1e9), 1e-3, 1))
	number(gaussian.Delta(eps(math.MaxFloat64), 1, math.SmallestNonzeroFloat64))
	number(gaussian.Delta(eps(1e-300), math.SmallestNonzeroFloat64, math.MaxFloat64))

	f := j.number(gaussian.Sigma(ln(3, 1), evidencetest.Delta(1e-5), 1))
	j.add(f.saying("eps", object{"ln": "4"}), "an easier ε")
	j.add(f.saying("delta", "1/10000"), "an easier δ")
	j.add(f.saying("sensitivity", "2"), "a larger sensitivity")
	j.add(f.saying("sensitivity", "0"), "no sensitivity")
	j.add(f.saying("delta", "0"), "δ = 0")
	j.add(f.with(object{"lo": "inf", "hi": "inf"}), "an infinite σ")
	j.add(f.with(object{"ln": "40"}), "a logarithm")
	j.add(f.proving("witness", 1), "a proof of nothing")
	f = j.number(gaussian.Epsilon(evidencetest.Delta(1e-5), 1, 1))
	j.add(f.with(object{"lo": "inf", "hi": "inf"}), "an infinite ε")
	j.add(f.with(object{"lo": "0", "hi": "0"}), "ε = 0")
	f = j.number(gaussian.Epsilon(evidence.Delta{}, 1, 1))
	j.add(f.with(object{"lo": "0", "hi": "1000000"}), "a finite ε at δ = 0")
	f = j.number(gaussian.Delta(eps(1), 1, 1))
	j.add(f.with(object{"lo": "0", "hi": "0"}), "δ = 0")
	j.add(f.with(object{"lo": "1", "hi": "1"}), "δ = 1")
}
