package signrp

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// PrintedGaussian returns the bound on P₊ = Pr(β max|w_i| ≥ |wᵀu|) for Gaussian
// w as printed in (5), (11) and (21), at r = β/‖u‖:
//
//	∫ 2p (2Φ(t)−1)^{p−1} (2Φ(rt)−1) φ(t) dt over t > 0.
//
// It is no bound (Lemma 4.2 is refuted): [GaussianPPlus] has the true P₊. The
// integral is the mean of erf(rM/√2) over the largest M of p half-normals. Its
// error is below 1e-12.
//
// It returns an error wrapping evidence.ErrParameter unless r is positive and
// finite and p ≥ 1.
func PrintedGaussian(r float64, p int) (evidence.Claimed, error) {
	if err := checkRatio(r, p); err != nil {
		return evidence.Claimed{}, err
	}
	sum := 0.0
	for m, weight := range halfLine(p) {
		density := 2 * float64(p) * math.Exp(-m*m/2) / math.Sqrt(2*math.Pi) * math.Exp(float64(p-1)*logErf(m))
		sum += weight * density * math.Erf(r*m/math.Sqrt2)
	}
	return evidence.Claimed{Value: math.Min(sum, 1), Source: Paper + ", (5), (11), (21); refuted as a bound"}, nil
}

// PrintedRademacher returns the normal approximation 2Φ(r) − 1 to P₊ of
// Rademacher w as printed in (10), at r = β/‖u‖. [RademacherPPlus] has the true
// P₊. Errors as PrintedGaussian.
func PrintedRademacher(r float64, p int) (evidence.Claimed, error) {
	if err := checkRatio(r, p); err != nil {
		return evidence.Claimed{}, err
	}
	return evidence.Claimed{Value: math.Erf(r / math.Sqrt2), Source: Paper + ", (10), an approximation"}, nil
}

func checkRatio(r float64, p int) error {
	if err := checkPositive("beta/norm(u)", r); err != nil {
		return err
	}
	return checkShape(p, 1)
}

// logErf returns ln(2Φ(m) − 1).
func logErf(m float64) float64 {
	if m > 1 {
		return math.Log1p(-math.Erfc(m / math.Sqrt2))
	}
	return math.Log(math.Erf(m / math.Sqrt2))
}

// halfLine yields nodes and weights of a quadrature rule over m > 0 for
// integrands that carry φ(m) (2Φ(m)−1)^{p−1}: 16-point Gauss–Legendre on panels
// of the given width up to 40, φ beyond being below 1e-300.
func halfLine(p int) func(yield func(m, weight float64) bool) {
	h, rule := panelWidth(p), legendre16()
	return func(yield func(m, weight float64) bool) {
		for a := 0.0; a < 39; a += h {
			mid := a + h/2
			if p > 1 && mid < 3 && float64(p-1)*logErf(a+h) < -100 {
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

// panelWidth is narrower where the law of the maximum is.
func panelWidth(p int) float64 { return 1 / math.Max(1, math.Sqrt(float64(p))/12) }

// ChernoffCount returns N₊ of Proposition 4.4 from the probability P of one
// sign's being within reach: the least of k and
// ⌊Pk + ½(ln(1/δ) + √(ln²(1/δ) + 8Pk ln(1/δ)))⌋. More than that many of k
// independent events happen with probability at most δ; a count is a whole
// number, so the bound is rounded down. Note that P depends on the private ‖u‖.
//
// It returns an error wrapping evidence.ErrParameter unless 0 ≤ P ≤ 1, k ≥ 1 and
// 0 < δ < 1.
func ChernoffCount(probability float64, k int, delta float64) (int, error) {
	if err := checkTrials(probability, k); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	mean, l := probability*float64(k), -math.Log(delta)
	return max(1, int(math.Min(float64(k), math.Floor(mean+(l+math.Sqrt(l*l+8*mean*l))/2)))), nil
}

// BinomialCount returns the least n with Pr(Bin(k, P) > n) ≤ δ, at least 1: what
// ChernoffCount bounds. Errors as there.
func BinomialCount(probability float64, k int, delta float64) (int, error) {
	if err := checkTrials(probability, k); err != nil {
		return 0, err
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	n, tail := k, 0.0
	for n > 1 {
		if tail += binomialTerm(probability, k, n); tail*(1+1e-12*float64(k)) > delta {
			break
		}
		n--
	}
	return n, nil
}

// RandomWDelta encloses Pr(Bin(k, P) > n): the third reading. Over random W that
// the adversary sees, a vector u and all its neighbors have more than n signs in
// reach of each other with at most this probability where P ≥ P₊ bounds one
// sign's. So randomised response with a public number ε' = ε/n, chosen without
// looking at u, is (ε, δ)-private over W and flips together, at that u. The
// published choice n = N₊(‖u‖) is made from u: a neighbor with another norm has
// another ε', on all k signs, which the proof of Proposition 4.4 does not count.
//
// It returns an error wrapping evidence.ErrParameter unless 0 ≤ P ≤ 1, k ≥ 1 and
// 0 ≤ n ≤ k.
func RandomWDelta(probability float64, k, n int) (evidence.Certified, error) {
	if err := checkTrials(probability, k); err != nil {
		return evidence.Certified{}, err
	}
	if n < 0 || n > k {
		return evidence.Certified{}, fmt.Errorf("%w: n = %d, want 0 <= n <= k = %d", evidence.ErrParameter, n, k)
	}
	tail := 0.0
	for m := k; m > n; m-- {
		tail += binomialTerm(probability, k, m)
	}
	slack := tail * 1e-12 * float64(k)
	return evidence.Certified{
		Lo: math.Max(0, tail-slack), Hi: math.Min(1, tail+slack), Loss: true,
		Method: "binomial tail, float64 with an error bound", Source: Paper + ", Proposition 4.4, reading (iii): random W",
	}, nil
}

// binomialTerm returns Pr(Bin(k, P) = n), with a relative error below 1e-12·k.
func binomialTerm(probability float64, k, n int) float64 {
	switch {
	case probability == 0 && n > 0 || probability == 1 && n < k:
		return 0
	case probability == 0 || probability == 1:
		return 1
	}
	all, _ := math.Lgamma(float64(k + 1))
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k - n + 1))
	return math.Exp(all - a - b + float64(n)*math.Log(probability) + float64(k-n)*math.Log1p(-probability))
}

func checkTrials(probability float64, k int) error {
	if !(probability >= 0 && probability <= 1) {
		return fmt.Errorf("%w: probability = %g, want a number in [0, 1]", evidence.ErrParameter, probability)
	}
	return checkShape(1, k)
}
