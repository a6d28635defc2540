package mvg

import (
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A separationOracle returns differences with large tr(PΔQΔᵀ), the largest first; q is nil for Ψ = I.
type separationOracle func(p, q *mat.SymDense) ([]*mat.Dense, error)

// mostRounds bounds the number of times a search adds differences to its list.
const mostRounds = 300

// mostAxes bounds the order of a covariance whose directions are free: 528 unknowns.
const mostAxes = 32

func checkAxes(order int) error {
	if order > mostAxes {
		return parameter.Errorf("covariance of order %d, want at most %d to optimise its directions", order, mostAxes)
	}
	return nil
}

// within returns a difference in the basis's coordinates: W⁻¹Δ, or W⁻¹ΔW⁻ᵀ for Ψ = Σ.
func (o *optimizer) within(delta *mat.Dense) *mat.Dense {
	if o.basis.w == nil {
		return mat.DenseCopyOf(delta)
	}
	return o.basis.within(o.recipe.Mode, delta).Middle()
}

// outside returns V P Vᵀ for V = W⁻ᵀ, the precision in standard coordinates.
func (o *optimizer) outside(p *mat.SymDense) *mat.SymDense {
	if o.basis.w == nil {
		return p
	}
	return symmetric.Turn(p, mat.DenseCopyOf(o.basis.dual().T()))
}

// free solves the problem with Ψ = I over all Σ. The list of differences grows by the most violated one until none
// is violated.
func (o *optimizer) free(list []*mat.Dense, more separationOracle) (*Optimum, error) {
	if o.goal.Objective == LeastError {
		return o.geodesic(&geodesic{mode: Unimodal}, list, more, true)
	}
	m := len(o.goal.Weights)
	if err := checkAxes(m); err != nil {
		return nil, err
	}
	// In the coordinates P = CXCᵀ, the matrices ΔΔᵀ/μ² of the list sum to I, so their scales do not matter.
	base, err := o.balanced(list)
	if err != nil {
		return nil, err
	}
	g := &informed{signals: []*mat.Dense{product(base.T(), diagonalRoots(o.goal.Weights))}}
	square := func(d *mat.Dense) *mat.SymDense {
		t := product(base.T(), o.within(d))
		t.Scale(1/o.mu.Hi, t)
		return gramOf(t)
	}
	g.list = lists.Each(list, square)
	c := symmetric.Eye(m)
	c.Scale(math.Sqrt(0.5/float64(m)), c)
	var y []float64
	for range mostRounds {
		if c, y, err = g.solve(o.ctx, c); err != nil {
			return nil, err
		}
		if more == nil {
			break
		}
		found, err := more(o.outside(gramOf(product(base, c))), nil)
		if err != nil {
			return nil, err
		}
		top := 1.0
		for _, d := range found {
			s := square(d)
			if over := mat.Trace(symmetric.Turn(s, c)); over > 1+1e-11 {
				g.list, list = append(g.list, s), append(list, d)
				top = math.Max(top, over)
			}
		}
		if top == 1 {
			break
		}
		c.Scale(math.Sqrt(0.9/top), c)
	}
	limit, err := o.informedLimit(list[:len(y)], y)
	if err != nil {
		return nil, err
	}
	a := symmetric.Exactly(product(base, c))
	return o.dense(a, nil, interval.Float(o.columns).Mul(limit), true, g.withheld(c), "concave in Σ⁻¹: barrier method, Lagrange dual")
}

// balanced returns C with CᵀSC = I for S = Σ ΔΔᵀ/μ² in the basis.
func (o *optimizer) balanced(list []*mat.Dense) (*mat.Dense, error) {
	var sum *symmetric.Enclosure
	for _, d := range list {
		t := o.basis.rotate(symmetric.Exactly(d))
		sum = plus(sum, t.Mul(t.T()))
	}
	factor, ok := sum.Factorize()
	if !ok {
		return nil, errScale
	}
	m := len(o.goal.Weights)
	return finite(factor.Whiten(identity(m)).T().Scaled(exactly(uniform(m, o.mu.Hi)), nil).Middle())
}

func finite(a *mat.Dense) (*mat.Dense, error) {
	if sum := mat.Sum(a); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errScale
	}
	return a, nil
}

func diagonalRoots(weights []float64) *mat.Dense {
	out := mat.NewDense(len(weights), len(weights), nil)
	for i, w := range weights {
		out.Set(i, i, math.Sqrt(w))
	}
	return out
}

// withheld returns the number of directions of P = CCᵀ that are not released. Each has at most 1e-9 of the largest
// precision, in coordinates in which the constraints have one scale. Together they have at most 1e-8 of the
// information; otherwise withheld returns 0.
func (g *informed) withheld(c *mat.Dense) int {
	var svd mat.SVD
	if !svd.Factorize(c, mat.SVDThinU) {
		return 0
	}
	var u mat.Dense
	svd.UTo(&u)
	values := svd.Values(nil)
	count := 0
	for j, v := range values {
		if !(v*v > 1e-9*values[0]*values[0]) {
			count++
			values[j] = 0
		}
		for i := range values {
			u.Set(i, j, values[j]*u.At(i, j))
		}
	}
	if count > 0 && g.value(&u) < g.value(c)*(1-1e-8) {
		return 0
	}
	return count
}

// geodesic solves for the least error and adds the most violated difference until none is violated. If g.diagonal, P
// has the given directions.
func (o *optimizer) geodesic(g *geodesic, list []*mat.Dense, more separationOracle, everywhere bool) (*Optimum, error) {
	m := len(o.goal.Weights)
	if !g.diagonal {
		if err := checkAxes(m); err != nil {
			return nil, err
		}
	}
	if g.mode == Bimodal {
		if err := checkAxes(int(o.n)); err != nil {
			return nil, err
		}
	}
	g.root = diagonalRoots(o.goal.Weights)
	g.list = lists.Each(list, o.within)
	a, b := g.start()
	var c *iterate
	var y []float64
	rough := more != nil
	for range mostRounds {
		start, err := g.iterateAt(a, b)
		if err != nil {
			return nil, err
		}
		if c, y, err = g.solve(o.ctx, start, rough); err != nil {
			return nil, err
		}
		a, b = c.a, c.b
		if more == nil {
			break
		}
		var q *mat.SymDense
		if g.mode == Bimodal {
			q = gramOf(b)
		}
		found, err := more(o.outside(gramOf(a)), q)
		if err != nil {
			return nil, err
		}
		tolerance, added := 1e-11, false
		if rough {
			tolerance = 1e-3
		}
		limit := math.Exp(floats.Max(c.constraints())/2) * (1 + tolerance)
		for _, d := range found {
			in := o.within(d)
			if mat.Norm(transformAll(a.T(), []*mat.Dense{in}, b)[0], 2) > limit {
				g.list, list, added = append(g.list, in), append(list, d), true
			}
		}
		if !added && !rough {
			break
		}
		rough = added && rough
	}
	precisions := make([]float64, m)
	if g.diagonal {
		for i := range precisions {
			precisions[i] = mat.Dot(a.RowView(i), a.RowView(i))
			a.SetRow(i, make([]float64, m))
			a.Set(i, i, math.Sqrt(precisions[i]))
		}
	}
	bound, err := g.certified(o.basis, list[:len(y)], a, b, without(y))
	if err != nil {
		return nil, err
	}
	// The bound is on tr(KΣ)·tr Ψ, with K on both sides if Equimodal, for μ = 1.
	limit := bound.Quo(square(interval.Float(o.mu.Hi)))
	if g.mode == Unimodal {
		limit = limit.Mul(interval.Float(o.n))
	}
	if g.diagonal {
		return o.finish(precisions, limit, everywhere, "convex along geodesics, in given axes: barrier method, Jensen's lower bound")
	}
	var right *symmetric.Enclosure
	if g.mode == Bimodal {
		right = symmetric.Exactly(b)
	}
	return o.dense(symmetric.Exactly(a), right, limit, everywhere, 0, "convex along geodesics: barrier method, Jensen's lower bound")
}
