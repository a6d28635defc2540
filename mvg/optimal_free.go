package mvg

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// worst returns differences with large tr(PΔQΔᵀ), the largest first; q is nil for
// Ψ = I.
type worst func(p, q *mat.SymDense) ([]*mat.Dense, error)

// mostRounds bounds how often a search adds differences to its list.
const mostRounds = 300

// mostAxes bounds the order of a covariance whose directions are sought: 528
// unknowns.
const mostAxes = 32

func checkAxes(order int) error {
	if order > mostAxes {
		return fmt.Errorf("%w: covariance of order %d, want at most %d where its directions are free", evidence.ErrParameter, order, mostAxes)
	}
	return nil
}

// axes returns the directions as a matrix.
func (o *optimizer) axes() *mat.Dense {
	if o.recipe.Directions == nil {
		return symmetric.Eye(len(o.goal.Weights))
	}
	return mat.DenseCopyOf(o.recipe.Directions)
}

// free is the problem with Ψ = I over all Σ, for a list of differences that grows
// by the worst one while there is one.
func (o *optimizer) free(list []*mat.Dense, more worst) (*Optimum, error) {
	if o.goal.Objective == LeastError {
		return o.geodesic(&geodesic{mode: Unimodal, list: list}, more, true)
	}
	m := len(o.goal.Weights)
	if err := checkAxes(m); err != nil {
		return nil, err
	}
	signal := o.axes()
	for j, l := range o.goal.Weights {
		for i := range m {
			signal.Set(i, j, math.Sqrt(l)*signal.At(i, j))
		}
	}
	budget := o.mu.Lo * o.mu.Lo
	g := &informed{signal: new(mat.Dense)}
	g.signal.Scale(math.Sqrt(budget), signal)
	trace := 0.0
	for _, d := range list {
		g.list = append(g.list, gramOf(d))
		trace = math.Max(trace, mat.Trace(gramOf(d)))
	}
	c := symmetric.Eye(m)
	c.Scale(math.Sqrt(0.5/trace), c)
	var y []float64
	for range mostRounds {
		var err error
		if c, y, err = g.solve(o.ctx, c); err != nil {
			return nil, err
		}
		if more == nil {
			break
		}
		found, err := more(gramOf(c), nil)
		if err != nil {
			return nil, err
		}
		top := 1.0
		for _, d := range found {
			s := gramOf(d)
			if over := mat.Trace(symmetric.Turn(s, c)); over > 1+1e-11 {
				g.list = append(g.list, s)
				top = math.Max(top, over)
			}
		}
		if top == 1 {
			break
		}
		c.Scale(math.Sqrt(0.9/top), c)
	}
	limit := (&informed{signal: scaled(signal, o.mu.Hi), list: g.list[:len(y)]}).bound(y)
	p := gramOf(c)
	p.ScaleSym(budget, p)
	return o.pair(p, nil, o.columns*limit, true, "concave in Σ⁻¹: barrier method, Lagrange dual")
}

func scaled(a *mat.Dense, k float64) *mat.Dense {
	var out mat.Dense
	out.Scale(k, a)
	return &out
}

// geodesic solves for the least error and adds the worst difference while there is
// one. Where g.diagonal, P has the recipe's directions.
func (o *optimizer) geodesic(g *geodesic, more worst, everywhere bool) (*Optimum, error) {
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
	w := o.axes()
	inward := func(d *mat.Dense) *mat.Dense { return d }
	outward := func(p *mat.SymDense) *mat.SymDense { return p }
	g.root = mat.DenseCopyOf(w)
	if g.diagonal {
		g.root = symmetric.Eye(m)
		if o.recipe.Directions != nil {
			inward = func(d *mat.Dense) *mat.Dense {
				out := product(w.T(), d)
				if g.mode == Equimodal {
					out = product(out, w)
				}
				return out
			}
			outward = func(p *mat.SymDense) *mat.SymDense { return symmetric.Turn(p, mat.DenseCopyOf(w.T())) }
		}
	}
	for j, v := range o.goal.Weights {
		for i := range m {
			g.root.Set(i, j, math.Sqrt(v)*g.root.At(i, j))
		}
	}
	for k, d := range g.list {
		g.list[k] = inward(d)
	}
	a, b := symmetric.Eye(m), (*mat.Dense)(nil)
	switch g.mode {
	case Equimodal:
		b = symmetric.Eye(m)
	case Bimodal:
		b = symmetric.Eye(int(o.n))
	}
	var c *chart
	var y []float64
	var p, q *mat.SymDense
	rough := more != nil
	for range mostRounds {
		start, err := g.chart(a, b)
		if err != nil {
			return nil, err
		}
		if c, y, err = g.solve(o.ctx, start, rough); err != nil {
			return nil, err
		}
		a, b = c.a, c.b
		p = outward(gramOf(a))
		if g.mode == Bimodal {
			q = gramOf(b)
		}
		if more == nil {
			break
		}
		found, err := more(p, q)
		if err != nil {
			return nil, err
		}
		tolerance, added := 1e-11, false
		if rough {
			tolerance = 1e-3
		}
		limit := math.Exp(floats.Max(c.constraints())/2) * (1 + tolerance)
		for _, d := range found {
			d = inward(d)
			if mat.Norm(product(product(a.T(), d), orIdentity(b, d)), 2) > limit {
				g.list, added = append(g.list, d), true
			}
		}
		if !added && !rough {
			break
		}
		rough = added && rough
	}
	g.list = g.list[:len(y)]
	limit := g.bound(c, y) / (o.mu.Hi * o.mu.Hi)
	if g.mode == Unimodal {
		limit *= o.n
	}
	// The bound is on tr(WΣ)·tr Ψ, with W on both sides where Equimodal.
	if g.diagonal {
		precisions := make([]float64, m)
		for i := range precisions {
			precisions[i] = mat.Dot(c.a.RowView(i), c.a.RowView(i))
		}
		return o.finish(precisions, limit, everywhere, "convex along geodesics, in given axes: barrier method, Jensen's lower bound")
	}
	return o.pair(p, q, limit, everywhere, "convex along geodesics: barrier method, Jensen's lower bound")
}

func orIdentity(b, delta *mat.Dense) *mat.Dense {
	if b == nil {
		_, n := delta.Dims()
		return symmetric.Eye(n)
	}
	return b
}

// pair makes the design with precisions proportional to p, and q where it is not
// nil, scaled onto the private side. Directions of less than 1e-9 of the largest
// precision are not released, which information may want.
func (o *optimizer) pair(p, q *mat.SymDense, limit float64, everywhere bool, method string) (*Optimum, error) {
	sigma, precisions, released, err := o.inverse(p)
	if err != nil {
		return nil, err
	}
	out := &Optimum{Precisions: precisions, Directions: sigma.Directions(), Everywhere: everywhere, Method: method}
	_, n := o.s.Shape()
	psi, err := Isotropic(n, 1)
	switch {
	case o.recipe.Mode == Equimodal:
		psi = sigma
	case q != nil:
		psi, _, _, err = o.inverse(q)
	}
	if err != nil {
		return nil, err
	}
	for target := o.mu.Lo; ; target *= 1 - 4*unit {
		d, err := NewDesign(o.ctx, o.s, sigma, psi)
		if err != nil {
			return nil, err
		}
		if d.norm.hi <= o.mu.Lo {
			out.Design = d
			break
		}
		k := d.norm.hi / target
		if o.recipe.Mode != Equimodal {
			k *= k
		}
		if sigma, err = sigma.scaled(k); err != nil {
			return nil, err
		}
		if o.recipe.Mode == Equimodal {
			psi = sigma
		}
	}
	reached := o.reached(sigma, psi)
	for i, v := range sigma.variances {
		out.Precisions[i] = 1 / v
		if !released[i] {
			out.Precisions[i], out.Design = 0, nil
		}
	}
	off := 64 * float64(len(precisions)+n) * unit
	lo, hi := reached*(1-off), limit*(1+off)
	if o.goal.Objective == LeastError {
		lo, hi = limit*(1-off), reached*(1+off)
	}
	out.Value = evidence.Certified{Lo: math.Min(lo, hi), Hi: math.Max(lo, hi), Method: method, Source: "optimal noise under exact (ε, δ)"}
	return out, nil
}

// inverse returns the covariance P⁻¹, its precisions, and which are released.
func (o *optimizer) inverse(p *mat.SymDense) (c Covariance, precisions []float64, released []bool, err error) {
	n := p.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(p, true) {
		return c, nil, nil, fmt.Errorf("mvg: eigenvalues of a precision of order %d did not converge", n)
	}
	var w mat.Dense
	e.VectorsTo(&w)
	precisions = e.Values(nil)
	variances := make([]float64, n)
	released = make([]bool, n)
	top := precisions[n-1]
	for i, v := range precisions {
		released[i] = v > 1e-9*top
		variances[i] = 1 / math.Max(v, 1e-12*top)
	}
	c, err = Directional(variances, &w)
	return c, precisions, released, err
}

// scaled returns the covariance times k.
func (c Covariance) scaled(k float64) (Covariance, error) {
	v := c.Variances()
	floats.Scale(k, v)
	if c.directions == nil {
		return Directional(v, nil)
	}
	return Directional(v, c.directions)
}

// reached returns the objective at a pair of covariances.
func (o *optimizer) reached(sigma, psi Covariance) float64 {
	w := o.axes()
	if o.goal.Objective == MostInformation {
		for j, l := range o.goal.Weights {
			for i := range o.goal.Weights {
				w.Set(i, j, math.Sqrt(l)*w.At(i, j))
			}
		}
		a := product(w.T(), rootOf(sigma.Precision()))
		if o.recipe.Mode != Bimodal {
			return o.columns * logDetPlus(a)
		}
		sum := 0.0
		for _, v := range psi.variances {
			sum += logDetPlus(scaled(a, 1/math.Sqrt(v)))
		}
		return sum
	}
	left := 0.0
	inAxes := symmetric.Turn(sigma.Matrix(), w)
	for i, v := range o.goal.Weights {
		left += v * inAxes.At(i, i)
	}
	if o.recipe.Mode == Equimodal {
		return left * left
	}
	return left * psi.Trace()
}

// rootOf returns a root of a positive definite matrix by its eigenvectors.
func rootOf(p *mat.SymDense) *mat.Dense {
	n := p.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(p, true) {
		return symmetric.Eye(n)
	}
	var w mat.Dense
	e.VectorsTo(&w)
	for j, v := range e.Values(nil) {
		for i := range n {
			w.Set(i, j, math.Sqrt(math.Max(v, 0))*w.At(i, j))
		}
	}
	return &w
}
