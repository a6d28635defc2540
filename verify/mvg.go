package verify

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mvg"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// Design has the methods of an MVG design whose results MVG recomputes.
type Design interface {
	Sensitivity() mvg.Sensitivity
	Sigma() mvg.Covariance
	Psi() mvg.Covariance
	WhitenedSensitivity() evidence.Certified
	NoiseSD() evidence.Certified
	Privacy() privacy.Profile
}

// The number of random directions besides the axes, and the largest number of corners of a box that are enumerated.
const (
	randomDirections = 16
	maxCorners       = 1 << 14
)

// MVG checks a design by the extremal differences of its sensitivity set and by random differences. It recomputes the
// largest whitened norm and returns the difference f(X₁) − f(X₂) that attains it. It recomputes δ at some ε by the
// closed form for a Gaussian.
//
// The printed whitened sensitivity is confirmed if a difference attains it. It is refuted if a difference exceeds it,
// or if all are below it, since in theory an extremal difference attains it.
func MVG(ctx context.Context, d Design) (*Report, *mat.Dense, error) {
	sigma, psi := d.Sigma().Matrix(), d.Psi().Matrix()
	var s, t mat.Cholesky
	if !s.Factorize(sigma) || !t.Factorize(psi) {
		return nil, nil, parameter.Errorf("a covariance of the design is not positive definite")
	}
	r := new(Report)
	m, n := d.Sensitivity().Shape()
	trace := func(a *mat.SymDense) (sum float64) {
		for i := range a.SymmetricDim() {
			sum += a.At(i, i)
		}
		return sum
	}
	r.part("sd of an entry").number(d.NoiseSD(), math.Sqrt(trace(sigma)*trace(psi)/float64(m*n)), ".element_sd")
	list, err := differences(d.Sensitivity(), sigma, psi)
	if err != nil {
		return nil, nil, err
	}
	norm, worst, at := r.part("whitened sensitivity"), 0.0, (*mat.Dense)(nil)
	for _, a := range list {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		// ‖Σ^{−1/2} Δ Ψ^{−1/2}‖² = tr(Δᵀ Σ⁻¹ Δ Ψ⁻¹)
		var left, right, product mat.Dense
		if err := s.SolveTo(&left, a); err != nil {
			return nil, nil, parameter.Errorf("Σ is too ill-conditioned: %v", err)
		}
		if err := t.SolveTo(&right, a.T()); err != nil {
			return nil, nil, parameter.Errorf("Ψ is too ill-conditioned: %v", err)
		}
		product.Mul(&left, &right)
		if mu := math.Sqrt(mat.Trace(&product)); mu > worst {
			worst, at = mu, a
		}
		norm.Cases++
	}
	if _, gram := d.Sensitivity().(mvg.Gram); gram && worst < d.WhitenedSensitivity().Lo {
		norm.Verdict = evidence.Undecided // the largest difference of a Gram set need not lie on the axes
	} else {
		norm.number(d.WhitenedSensitivity(), worst, ".whitened_sensitivity")
	}
	if norm.Verdict != evidence.Confirmed {
		return r, at, nil
	}
	profile := r.part("δ")
	for _, eps := range []float64{worst * worst / 2, worst*worst/2 + worst, worst*worst/2 + 2*worst} {
		e, err := evidence.NewEpsilon("eps", eps)
		if err != nil {
			return nil, nil, err
		}
		printed, err := d.Privacy().Delta(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		profile.number(printed, normal(worst/2-eps/worst)-math.Exp(eps)*normal(-worst/2-eps/worst), ".delta_at(%v)", eps)
	}
	return r, at, nil
}

// differences returns random differences of a set and extremal ones. One of the extremal differences attains the
// largest whitened norm.
func differences(s mvg.Sensitivity, sigma, psi *mat.SymDense) (out []*mat.Dense, err error) {
	m, n := s.Shape()
	src := rand.New(rand.NewPCG(1, 2))
	rows, columns := axes(sigma, src), axes(psi, src)
	outer := func(scale float64, u, v []float64) *mat.Dense {
		d := mat.NewDense(len(u), len(v), nil)
		d.Outer(scale, mat.NewVecDense(len(u), u), mat.NewVecDense(len(v), v))
		return d
	}
	switch s := s.(type) {
	case mvg.Ball: // s₂uvᵀ is the worst, for the axes u and v of least variance
		for _, u := range rows {
			for _, v := range columns {
				out = append(out, outer(s.S2(), u, v))
			}
		}
	case mvg.Box: // a convex function attains its maximum at a corner
		h := s.HalfWidths()
		if m >= 30 || 1<<m*n > maxCorners {
			return nil, parameter.Errorf("the box has 2^%d corners for each of %d records, want at most %d in all", m, n, maxCorners)
		}
		for corner := range 1 << m {
			v := make([]float64, m)
			for i := range v {
				v[i] = 2 * h[i] * float64(1-2*(corner>>i&1))
			}
			for j := range n {
				unit := make([]float64, n)
				unit[j] = 1
				out = append(out, outer(1, v, unit))
			}
		}
	case mvg.Gram:
		c := s.Scale() * s.RowNorm() * s.RowNorm()
		for _, u := range rows {
			one := outer(c, u, u)
			if !s.Replaces() {
				out = append(out, one)
				continue
			}
			for _, v := range rows {
				var d mat.Dense
				d.Sub(one, outer(c, v, v))
				out = append(out, &d)
			}
		}
	case mvg.Differences:
		return s.List(), nil
	default:
		return nil, parameter.Errorf("the extremal differences of %s are not known", s.Describe())
	}
	return out, nil
}

// axes returns the axes of a covariance, and random directions.
func axes(a *mat.SymDense, src *rand.Rand) (out [][]float64) {
	n := a.SymmetricDim()
	var e mat.EigenSym
	if e.Factorize(a, true) {
		var v mat.Dense
		e.VectorsTo(&v)
		for j := range n {
			out = append(out, mat.Col(nil, j, &v))
		}
	}
	for range randomDirections {
		u := make([]float64, n)
		for i := range u {
			u[i] = src.NormFloat64()
		}
		norm := mat.Norm(mat.NewVecDense(n, u), 2)
		for i := range u {
			u[i] /= norm
		}
		out = append(out, u)
	}
	return out
}
