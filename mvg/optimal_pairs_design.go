package mvg

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// smallShare is the share of a constraint given to every direction of rows and columns that the optimum would not
// release. It makes the variance of the design finite.
const smallShare = 1e-7

// design makes the design with precisions p and Q = CCᵀ. The limit holds for all Ψ, with Σ in these directions.
func (s *pairs) design(p []float64, c *mat.Dense, limit interval.Interval) (*Optimum, error) {
	c, err := s.withSmallShares(p, c)
	if err != nil {
		return nil, err
	}
	e := symmetric.Exactly(c)
	right, err := inverted("Ψ", e.Mul(e.T()))
	if err != nil {
		return nil, err
	}
	psi, err := NewDense(right)
	if err != nil {
		return nil, fmt.Errorf("mvg: the best Ψ: %w", err)
	}
	precisions := make([]float64, len(s.goal.Weights))
	for at, i := range s.rows {
		precisions[i] = p[at]
	}
	variances := make([]float64, len(precisions))
	for i, v := range precisions {
		cost := 0.0
		for _, d := range s.exact {
			cost = math.Max(cost, mat.Norm(product(d.Row(i).Middle(), c), 2))
		}
		if v*cost*cost < smallShare {
			v = smallShare / (cost * cost)
		}
		if variances[i] = 1 / v; !(variances[i] > 0) || math.IsInf(variances[i], 1) {
			return nil, errScale
		}
	}
	d, err := s.scaled(func(k float64) (Covariance, Covariance, error) {
		v := append([]float64(nil), variances...)
		floats.Scale(k, v)
		sigma, err := NewDirectional(v, s.recipe.Directions)
		return sigma, psi, err
	})
	if err != nil {
		return nil, err
	}
	out := &Optimum{Precisions: precisions, Directions: s.recipe.Directions, Design: d,
		Method: "concave in either covariance: alternated below, a Ψ for every direction above: apart in general"}
	for i, v := range d.Sigma().Variances() {
		precisions[i] = 1 / v
	}
	reached, err := s.reachedBy(d)
	if err != nil {
		return nil, err
	}
	return out.enclosed(s.between(reached, limit, out.Method))
}

// withSmallShares returns a factor of Q plus a small positive definite matrix, which spends smallShare on the columns.
func (s *pairs) withSmallShares(p []float64, c *mat.Dense) (*mat.Dense, error) {
	n, _ := c.Dims()
	base, _, err := s.balancedColumns(p)
	if err != nil {
		return nil, err
	}
	little := mat.DenseCopyOf(base)
	little.Scale(math.Sqrt(smallShare/float64(n)), little)
	// A factor of CCᵀ + BBᵀ is the triangle of the QR decomposition of [C B]ᵀ, transposed.
	var both mat.Dense
	both.Augment(c, little)
	var qr mat.QR
	qr.Factorize(both.T())
	var r mat.Dense
	qr.RTo(&r)
	return mat.DenseCopyOf(r.Slice(0, n, 0, n).T()), nil
}

// reachedBy returns the information of a design with Σ = W diag(v) Wᵀ, Σ_i ln det(I + λ_i Q/v_i).
func (s *pairs) reachedBy(d *Design) (interval.Interval, error) {
	noise := symmetric.Exactly(d.Psi().Matrix())
	alone, ok := noise.Factorize()
	reached := interval.Int(0)
	variances, err := s.members(d.Sigma())
	if !ok || err != nil {
		return reached, errScale
	}
	for i, v := range variances {
		gain := slices.Repeat([]interval.Interval{s.basis.weights[i].Quo(v)}, d.Psi().Order())
		both, ok := noise.Plus(symmetric.Diagonal(gain)).Factorize()
		if !ok {
			return reached, errScale
		}
		reached = reached.Add(both.LogDet().Sub(alone.LogDet()))
	}
	return reached, nil
}

// members returns variances v with W diag(v) Wᵀ ⪰ M, where M is the matrix of a private Σ with these directions up to
// rounding; more noise is at least as private. They are the variances v of sigma times 1 + ε, where ε is the largest
// eigenvalue of v^{−1/2}W⁻¹MW⁻ᵀv^{−1/2} − I.
func (s *pairs) members(sigma Covariance) ([]interval.Interval, error) {
	v := sigma.Variances()
	out := exactly(v)
	if s.basis.w == nil {
		return out, nil
	}
	roots := lists.Each(out, rootInverse)
	off := s.basis.rotateBoth(symmetric.Exactly(sigma.Matrix())).Scaled(roots, roots).Minus(identity(len(v))).EigenvalueUpperBound()
	if !(off < 0.5) {
		return nil, errScale
	}
	grown := interval.Int(1).Add(interval.Float(math.Max(off, 0)))
	return lists.Each(out, grown.Mul), nil
}
