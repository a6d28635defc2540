package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/planes"
	"dpworkbench/interval"
)

// One record of a Gram matrix is replaced: Δ = k(xxᵀ − yyᵀ), ‖x‖, ‖y‖ ≤ c, with
// whitened norm k√tr(PDQD), D = xxᵀ − yyᵀ, P = Σ⁻¹, Q = Ψ⁻¹.
//
// tr(PDQD) = ‖P^{1/2}DQ^{1/2}‖² is convex in each of xxᵀ and yyᵀ over
// {X ⪰ 0, tr X ≤ c²}, whose extreme points are 0 and the xxᵀ with ‖x‖ = c. With
// ‖x‖ = ‖y‖ = c at an angle φ, D = c² sin φ (aaᵀ − bbᵀ) for orthonormal a, b, so
// sin φ = 1 is best:
//
//	tr(PDQD) = c⁴(aᵀPa·aᵀQa + bᵀPb·bᵀQb − 2 aᵀPb·aᵀQb).
//
// Turning (a, b) within its plane V makes aaᵀ − bbᵀ any reflection R of V, and
// tr(P_V R Q_V R) is largest, p₁(V)q₁(V) + p₂(V)q₂(V) for the eigenvalues of the
// compressions, where R carries the eigenvectors of Q_V to those of P_V. That is
// at least p₁(V)q₁(V) ≥ aᵀPa·aᵀQa, so y = 0 is never better (order ≥ 2).
//
// Closed forms follow where V is all there is (order 2), where Σ = Ψ (p₁² + p₂²)
// and where Ψ = I/q (q(p₁ + p₂)), for eigenvalues of a compression interlace and
// P's two top directions attain. Elsewhere internal/planes encloses the maximum, and
// interlacing, p₁q₁ + p₂q₂ of P and Q, is an upper end from the start.

// replaced encloses max tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b.
func replaced(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	p, left, offP := sigma.normalized()
	q, right, offQ := psi.normalized()
	// Interlacing: p₁q₁ + p₂q₂.
	p1, p2 := sigma.topTwo()
	q1, q2 := psi.topTwo()
	known := p1.Mul(q1).Add(p2.Mul(q2)).Quo(left.Mul(right))
	_, above := known.Bounds()
	found, err := planes.Enclose(ctx, p, q, above)
	if err != nil {
		return interval.Interval{}, err
	}
	// P and Q beside p and q move tr(PDQD), ‖D‖² = 2, by 2(offP + offQ) and a product that
	// is far less; and as for the bounds that take p and q for positive semi-definite, with
	// offP·I and offQ·I added they are, and that moves the maximum by as much again.
	off := 5 * (offP + offQ)
	lo := math.Max(0, found.Best-off-found.Rounding)
	hi := math.Max(lo, math.Min(found.Hi+off, above))
	return nonNegative(lo, hi, 0).Mul(left).Mul(right), nil
}
