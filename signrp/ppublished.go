package signrp

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
)

// PublishedGaussian returns the bound on P₊ = Pr(β max|w_i| ≥ |wᵀu|) for Gaussian w as printed in (5), (11) and
// (21), at r = β/‖u‖:
//
//	∫ 2p (2Φ(t)−1)^{p−1} (2Φ(rt)−1) φ(t) dt over t > 0.
//
// It is not a bound (Lemma 4.2 is refuted); [GaussianPPlus] has the true P₊. The integral is the mean of erf(rM/√2)
// over the largest M of p half-normals. Its error is below 1e-12.
//
// It returns an error wrapping evidence.ErrParameter unless r is positive and finite and p ≥ 1.
func PublishedGaussian(r float64, p int) (evidence.Claimed, error) {
	if err := checkRatio(r, p); err != nil {
		return evidence.Claimed{}, err
	}
	return evidence.Claimed{Value: publishedGaussian(r, p), Provenance: evidence.From(Paper + ", (5), (11), (21); refuted as a bound")}, nil
}

// publishedGaussian is the integral, for r ≥ 0.
func publishedGaussian(r float64, p int) float64 {
	sum := 0.0
	for m, weight := range halfLine(p) {
		density := 2 * float64(p) * elementary.Exp(-m*m/2) / math.Sqrt(2*math.Pi) * elementary.Exp(float64(p-1)*logErf(m))
		sum += weight * density * elementary.Erf(r*m/math.Sqrt2)
	}
	return math.Min(sum, 1)
}

// PublishedRademacher returns the normal approximation 2Φ(r) − 1 to P₊ of
// Rademacher w as printed in (10), at r = β/‖u‖. [RademacherPPlus] has the true
// P₊. Errors as PublishedGaussian.
func PublishedRademacher(r float64, p int) (evidence.Claimed, error) {
	if err := checkRatio(r, p); err != nil {
		return evidence.Claimed{}, err
	}
	return evidence.Claimed{Value: publishedRademacher(r), Provenance: evidence.From(Paper + ", (10), an approximation")}, nil
}

func publishedRademacher(r float64) float64 { return elementary.Erf(r / math.Sqrt2) }

func checkRatio(r float64, p int) error {
	if err := parameter.Positive("beta/norm(u)", r); err != nil {
		return err
	}
	return checkShape(p, 1)
}

// logErf returns ln(2Φ(m) − 1).
func logErf(m float64) float64 {
	if m > 1 {
		return elementary.Log1p(-elementary.Erfc(m / math.Sqrt2))
	}
	return elementary.Log(elementary.Erf(m / math.Sqrt2))
}

// halfLine yields nodes and weights of a quadrature rule over m > 0 for integrands with the factor φ(m)
// (2Φ(m)−1)^{p−1}. The rule is 16-point Gauss–Legendre on panels of the width panelWidth. It ends where the factor is
// negligible.
func halfLine(p int) func(yield func(m, weight float64) bool) {
	h, rule := panelWidth(p), legendre16()
	return func(yield func(m, weight float64) bool) {
		for a := 0.0; a < 39; a += h {
			mid := a + h/2
			if mid < 3 && float64(p-1)*logErf(a+h) < -100 {
				continue // the law of the maximum has no mass here
			}
			if mid > 13 {
				return // Σ_i Pr(|w_i| > 13) < p·1e-37
			}
			for n, x := range rule.x {
				if !yield(mid+x*h/2, rule.w[n]*h/2) {
					return
				}
			}
		}
	}
}

// panelWidth returns the width of panels, which is smaller for large p, where the law of the maximum is narrow.
func panelWidth(p int) float64 { return 1 / math.Max(1, math.Sqrt(float64(p))/12) }
