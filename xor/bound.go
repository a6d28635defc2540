package xor

import (
	"math"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mat"
)

// Bound returns U(Π)/L(Π) of Proposition 1, a bound on g(Π) = E‖B‖², with
//
//	U = Σ_b e^{c‖b‖²} ‖b‖² = NP eᶜ (1 + eᶜ)^{NP−1},  c = λ_max(Θ) + 2 Σ_{i<j} λ_max(Λ_ij),
//	L = 2^{NP−1} (2 + N‖λ(Θ)‖₂ + Σ_{i<j} ‖λ(Λ_ij)‖₂).
//
// The paper minimises this bound instead of g, and the two have different minima. The proposition assumes that Θ and every
// Λ_ij are positive definite without negative entries. covered reports whether they are at least positive semidefinite
// without negative entries, which is enough for the proof. The quotient grows as 2^{NP} and may be +Inf.
func (b *Bernoulli) Bound() (bound evidence.Claimed, covered bool) {
	n, d := float64(b.n), float64(b.n)*float64(b.p)
	var c, thetaNorm, lambdaNorm float64
	if b.theta == nil {
		theta, lambda := b.cols.theta, b.cols.lambda
		pairs := n * (n - 1) / 2
		covered = theta >= 0 && (lambda >= 0 || b.n == 1)
		c = theta + 2*pairs*lambda
		thetaNorm, lambdaNorm = math.Sqrt(float64(b.p))*math.Abs(theta), math.Sqrt(float64(b.p))*math.Abs(lambda)*pairs
	} else {
		most, ok := spectrum(b.theta, b.p)
		c, covered, thetaNorm = most, ok, norm(b.theta)
		for _, i := range b.coupled { // in a fixed order, so that sums are reproducible
			for _, l := range b.near[i] {
				if l.object > i {
					most, ok := spectrum(l.block, b.p)
					c += 2 * most
					covered = covered && ok
					lambdaNorm += norm(l.block)
				}
			}
		}
	}
	// ln(U/L), with ln(1 + eᶜ) free of overflow.
	softplus := math.Max(c, 0) + math.Log1p(math.Exp(-math.Abs(c)))
	log := math.Log(d) + c + (d-1)*(softplus-math.Ln2) - math.Log(2+n*thetaNorm+lambdaNorm)
	bound = evidence.Claimed{Value: math.Exp(log), Provenance: evidence.From("Proposition 1, U(Π)/L(Π)")}
	if !covered {
		bound.Caveat = "its hypotheses do not hold here: Θ and every Λ_ij positive semidefinite without negative entries"
	}
	return bound, covered
}

// spectrum returns the largest eigenvalue of the symmetric matrix m of order p. covered reports whether m is
// positive semidefinite up to rounding, without negative entries.
func spectrum(m []float64, p int) (most float64, covered bool) {
	covered = true
	for _, v := range m {
		covered = covered && v >= 0
	}
	if v, ok := scalar(m, p); ok {
		return v, covered
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(p, append([]float64(nil), m...)), true) { // gonum panics on tiny blocks without eigenvectors
		return norm(m), false // an upper bound; this failure is not known to occur
	}
	values := eigen.Values(nil)
	return values[p-1], covered && values[0] >= -1e-12*norm(m)
}
