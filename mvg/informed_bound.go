package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// tangent bounds ln det(I + LᵀPL) for all P ⪰ 0 by v + (1 + η)tr(PA), for a positive definite A. Only the upper end of
// v is a bound, and η ≥ 0.
//
// The logarithm is concave in P. So for any P₀ ⪰ 0 it is at most ln det(I + LᵀP₀L) − tr(GP₀) + tr(GP) with G = L(I +
// LᵀP₀L)⁻¹Lᵀ, and η is chosen such that G ⪯ (1 + η)A. In the coordinates of A = CCᵀ, with X = C⁻¹L and P₀ = C⁻ᵀZZᵀC⁻¹
// and E = XᵀZ, v and the condition on η are
//
//	ln det(I + EEᵀ) − r + tr(I + EEᵀ)⁻¹ and X(I + EEᵀ)⁻¹Xᵀ ⪯ (1 + η)I,
//
// where r is the order of EEᵀ. For X = U√κVᵀ the best Z is U(1 − 1/κ)^½ over κ > 1, with η = 0. Z is computed in
// float64, and η covers its rounding.
func tangent(a, l *symmetric.Enclosure) (v interval.Interval, eta float64, err error) {
	factor, ok := a.Factorize()
	if !ok {
		return v, 0, errScale
	}
	x := factor.Whiten(l)
	m, r := x.Dims()
	svd, ok := singular(x.Middle(), mat.SVDThin)
	if !ok {
		return v, 0, errScale
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	z := mat.NewDense(m, len(values), nil)
	for j, s := range values {
		if s > 1 {
			k := math.Sqrt((1 - 1/s) * (1 + 1/s))
			for i := range m {
				z.Set(i, j, k*u.At(i, j))
			}
		}
	}
	e := x.T().Mul(symmetric.Exactly(z))
	inner, ok := identity(r).Plus(e.Mul(e.T())).Factorize()
	if !ok {
		return v, 0, errScale
	}
	inverse, ok := inner.Whiten(identity(r)).Square() // tr(I + EEᵀ)⁻¹
	if !ok {
		return v, 0, errScale
	}
	t := inner.Whiten(x.T())
	eta = t.T().Mul(t).Minus(identity(m)).EigenvalueUpperBound()
	if !(eta < math.Inf(1)) {
		return v, 0, errScale
	}
	return inner.LogDet().Sub(interval.Int(int64(r))).Add(inverse), math.Max(eta, 0), nil
}

// singular returns the singular value decomposition of a. ok is false if an entry is not finite: gonum may return a
// decomposition even then, or panic.
func singular(a *mat.Dense, kind mat.SVDKind) (svd *mat.SVD, ok bool) {
	svd = new(mat.SVD)
	sum := mat.Sum(a)
	return svd, sum-sum == 0 && svd.Factorize(a, kind)
}

func identity(n int) *symmetric.Enclosure { return symmetric.Exactly(symmetric.Eye(n)) }

// informedLimit bounds ln det(I + KP) over P ⪰ 0 with tr(PΔ_kΔ_kᵀ) ≤ μ². If A is the sum of Δ_kΔ_kᵀ with weights
// y_k/μ², then tr(PA) ≤ Σy. It uses the coordinates of the basis, where K is diag(w).
func (o *optimizer) informedLimit(list []*mat.Dense, y []float64) (interval.Interval, error) {
	paid := interval.Int(0)
	budget := square(interval.Float(o.mu.Hi))
	var a *symmetric.Enclosure
	for k, d := range list {
		if !(y[k] >= 0) || math.IsInf(y[k], 1) {
			return paid, errScale
		}
		share := interval.Float(y[k])
		paid = paid.Add(share)
		a = plus(a, outer(o.basis.rotate(symmetric.Exactly(d)), share.Quo(budget)))
	}
	if a == nil { // the list is empty if the search for y failed at its first step
		return paid, errScale
	}
	v, eta, err := tangent(a, symmetric.Diagonal(lists.Each(o.basis.weights, interval.Interval.Sqrt)))
	if err != nil {
		return paid, err
	}
	return v.Add(paid.Mul(interval.Int(1).Add(interval.Float(eta)))), nil
}
