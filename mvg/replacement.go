package mvg

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/planes"
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

// replaced bounds max tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b.
func replaced(ctx context.Context, sigma, psi Covariance) (bound, error) {
	d := sigma.Order()
	p, q := sigma.Precision(), psi.Precision()
	top, right := descendingPrecisions(sigma), descendingPrecisions(psi)
	scale := top[0] * right[0]
	if !(scale > 0x1p-900 && scale < 0x1p900) {
		return bound{}, fmt.Errorf("%w: largest precisions %.3g of Σ and %.3g of Ψ, want a product from 1e-270 to 1e270", evidence.ErrParameter, top[0], right[0])
	}
	p.ScaleSym(1/top[0], p)
	q.ScaleSym(1/right[0], q)
	// Against the exact inverses, P and Q err by at most this times their norms
	// (twice the drift of the directions, to first order, and d + 12 roundings of d
	// products an entry), which moves aᵀPa·aᵀQa + … by at most twice the sum; as for the
	// bounds that take P and Q for positive semi-definite, with a multiple of I added they
	// are, and that moves the maximum by as little.
	off := 2 * (3*(sigma.drift+psi.drift) + 2*float64(d*(d+12))*unit)

	found, err := planes.Enclose(ctx, p, q, (top[0]*right[0]+top[1]*right[1])/scale)
	if err != nil {
		return bound{}, err
	}
	lo := found.Best - off - found.Rounding
	return bound{scale * math.Max(0, lo) * (1 - 8*unit), scale * (found.Hi + off) * (1 + 8*unit)}, nil
}
