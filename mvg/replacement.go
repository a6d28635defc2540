package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
// Rotating (a, b) within its plane V makes aaᵀ − bbᵀ any reflection R of V. tr(P_V R Q_V R) is largest if R maps the
// eigenvectors of Q_V to those of P_V: then it is p₁(V)q₁(V) + p₂(V)q₂(V), with the eigenvalues of the compressions.
// That is at least p₁(V)q₁(V) ≥ aᵀPa·aᵀQa, so y = 0 is never better (order ≥ 2).
//
// There are closed forms at order 2, where V is the whole space, for Σ = Ψ (p₁² + p₂²) and for Ψ = I/q (q(p₁ + p₂)):
// eigenvalues of a compression interlace, and the two top directions of P attain the bound. Otherwise p₁q₁ + p₂q₂ of P
// and Q, which follows from interlacing, is the upper end, and a local search gives the lower one.

// replaced encloses max tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b. The lower end comes from a local search;
// its starting planes are the same in every call.
func replaced(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	p, left, offP := sigma.normalized()
	q, right, offQ := psi.normalized()
	// By interlacing, p₁q₁ + p₂q₂ is an upper bound.
	p1, p2 := sigma.topTwo()
	q1, q2 := psi.topTwo()
	known := p1.Mul(q1).Add(p2.Mul(q2)).Quo(left.Mul(right))
	_, above := known.Bounds()
	best, err := largestReplacement(ctx, p, q)
	if err != nil {
		return interval.Interval{}, err
	}
	// Replacing P and Q by p and q changes tr(PDQD) by at most 2(offP + offQ) and a much smaller product, because ‖D‖²
	// = 2.
	d := p.SymmetricDim()
	rounding := 8 * float64(4*d+20) * float64(d) * unit
	lo := math.Max(0, best-3*(offP+offQ)-rounding)
	return nonNegative(lo, math.Max(lo, above), 0).Mul(left).Mul(right), nil
}

// randomPlanes is the number of random planes from which the local search starts.
const randomPlanes = 12

// largestReplacement returns the largest tr(PDQD) found over D = aaᵀ − bbᵀ with orthonormal a, b. The form is
// convex in D, so replacing D by the top and the bottom eigenvector of its gradient PDQ + QDP never lowers it. The
// search starts from the two leading eigenvectors of P, of Q and of P + Q, and from random planes.
func largestReplacement(ctx context.Context, p, q *mat.SymDense) (float64, error) {
	d := p.SymmetricDim()
	var starts []*mat.Dense
	sum := mat.NewSymDense(d, nil)
	symmetric.Combine(sum, 1, p, 1, q)
	for _, a := range []*mat.SymDense{p, q, sum} {
		var e mat.EigenSym
		if e.Factorize(a, true) {
			var w mat.Dense
			e.VectorsTo(&w)
			starts = append(starts, mat.DenseCopyOf(w.Slice(0, d, d-2, d)))
		}
	}
	src := rand.New(draw.Source(1, 2))
	for range randomPlanes {
		a, b := make([]float64, d), make([]float64, d)
		for i := range d {
			a[i], b[i] = src.NormFloat64(), src.NormFloat64()
		}
		starts = append(starts, orthonormalPair(a, b))
	}
	best := 0.0
	for i, v := range starts {
		parallel.Report(ctx, int64(i), int64(len(starts)), "local searches")
		for last, steps := 0.0, 0; steps < 2000; steps++ {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			value, next := replacementStep(p, q, v)
			best = math.Max(best, value)
			if next == nil || !(value > last*(1+1e-13)) {
				break
			}
			last, v = value, next
		}
	}
	return best, nil
}

// replacementStep returns tr(PDQD) at D = aaᵀ − bbᵀ, a and b being the columns of v, and the top and the bottom
// eigenvector of PDQ + QDP = BKBᵀ, B = (Pa, Qa, Pb, Qb); next is nil if they cannot be computed. With B = UR and
// RKRᵀw = λw the eigenvector is Uw = BKRᵀw/λ.
func replacementStep(p, q *mat.SymDense, v *mat.Dense) (value float64, next *mat.Dense) {
	d := p.SymmetricDim()
	var pv, qv, pc, qc mat.Dense
	pv.Mul(p, v)
	qv.Mul(q, v)
	pc.Mul(v.T(), &pv)
	qc.Mul(v.T(), &qv)
	value = pc.At(0, 0)*qc.At(0, 0) + pc.At(1, 1)*qc.At(1, 1) - 2*pc.At(0, 1)*qc.At(0, 1)
	b := mat.NewDense(max(d, 4), 4, nil) // a QR factorization needs no fewer rows than columns
	for i := range d {
		b.SetRow(i, []float64{pv.At(i, 0), qv.At(i, 0), pv.At(i, 1), qv.At(i, 1)})
	}
	var qr mat.QR
	qr.Factorize(b)
	var r, back, core, w mat.Dense
	qr.RTo(&r)
	k := mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0})
	back.Mul(k, r.Slice(0, 4, 0, 4).T())
	core.Mul(r.Slice(0, 4, 0, 4), &back)
	var e mat.EigenSym
	if !e.Factorize(symmetric.Symmetrized(&core), true) {
		return value, nil
	}
	e.VectorsTo(&w)
	back.Mul(&back, &w)
	next = new(mat.Dense)
	next.Mul(b.Slice(0, d, 0, 4), back.Slice(0, 4, 0, 4))
	return value, orthonormalPair(mat.Col(nil, 3, next), mat.Col(nil, 0, next))
}

// orthonormalPair orthonormalises a and b as columns; it returns nil if they do not span a plane.
func orthonormalPair(a, b []float64) *mat.Dense {
	out := mat.NewDense(len(a), 2, nil)
	floats.Scale(1/floats.Norm(a, 2), a)
	floats.Scale(1/floats.Norm(b, 2), b)
	for range 2 { // the second pass restores numerical orthogonality
		floats.AddScaled(b, -floats.Dot(a, b), a)
		floats.Scale(1/floats.Norm(b, 2), b)
	}
	if floats.HasNaN(a) || floats.HasNaN(b) {
		return nil
	}
	out.SetCol(0, a)
	out.SetCol(1, b)
	return out
}
