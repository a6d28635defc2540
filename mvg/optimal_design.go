package mvg

import (
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// finish makes the design with precisions p in the recipe's directions, scaled onto the
// private side, and encloses the optimum between its value and limit, which no design
// passes. A precision of 0 stands for one that costs nothing; its direction is not
// released.
func (o *optimizer) finish(p []float64, limit interval.Interval, everywhere bool, method string) (*Optimum, error) {
	out := &Optimum{Precisions: p, Directions: o.recipe.Directions, Everywhere: everywhere, Method: method}
	variances := make([]float64, len(p))
	for i, v := range p {
		if v == 0 {
			v = o.negligible[i]
		}
		if variances[i] = 1 / v; !(variances[i] > 0) || math.IsInf(variances[i], 1) {
			return nil, errScale
		}
	}
	eps, err := evidence.NewEpsilon("eps", o.recipe.Epsilon)
	if err != nil {
		return nil, err
	}
	d, err := o.recipe.scale(o.ctx, o.s, eps, variances)
	if err != nil {
		return nil, err
	}
	out.Design = d
	for i, v := range d.Sigma().Variances() {
		if p[i] == 0 {
			out.Design = nil
			continue
		}
		p[i] = 1 / v
	}
	members, err := o.members(d.Sigma())
	if err != nil {
		return nil, err
	}
	out.Value, err = o.between(o.reached(members), limit, method)
	return out, err
}

// reached returns the objective at variances v in the recipe's directions.
func (o *optimizer) reached(v []interval.Interval) interval.Interval {
	if o.goal.Objective == LeastError {
		sum := interval.Int(0)
		for i, c := range o.frame.charges {
			sum = sum.Add(c.Mul(v[i]))
		}
		return o.error(sum)
	}
	var log logSum
	for i, w := range o.frame.weights {
		log.add(interval.Int(1).Add(w.Quo(v[i])))
	}
	return interval.Float(o.columns).Mul(log.sum())
}

// members returns variances v for which W diag(v) Wᵀ ⪰ M, M the matrix of a private Σ with
// these directions up to rounding: more noise is as private. They are the given ones times
// 1 + ε, ε the largest eigenvalue of v^{−1/2}W⁻¹MW⁻ᵀv^{−1/2} − I.
func (o *optimizer) members(sigma Covariance) ([]interval.Interval, error) {
	v := sigma.Variances()
	out := make([]interval.Interval, len(v))
	for i, x := range v {
		out[i] = interval.Float(x)
	}
	if o.frame.w == nil {
		return out, nil
	}
	m := float64(len(v))
	var off float64
	if len(v) <= enclosedOrder {
		roots := make([]interval.Interval, len(v))
		for i, x := range out {
			roots[i] = interval.Int(1).Quo(x.Sqrt())
		}
		off = o.frame.turnedBoth(symmetric.Exactly(sigma.Matrix())).Scaled(roots, roots).Minus(identity(len(v))).EigenCeiling()
	} else {
		// M may be a multiple of I, or off by the rounding of m products an entry.
		off = (1/o.frame.least - 1) + 4*m*(m+4)*unit*floats.Max(v)/floats.Min(v)
	}
	if !(off < 0.5) {
		return nil, errScale
	}
	grown := interval.Int(1).Add(interval.Float(math.Max(off, 0)))
	for i, x := range out {
		out[i] = x.Mul(grown)
	}
	return out, nil
}

// error turns tr(KΣ) into the expected squared error.
func (o *optimizer) error(sum interval.Interval) interval.Interval {
	if o.recipe.Mode == Equimodal {
		return square(sum)
	}
	return interval.Float(o.n).Mul(sum)
}

// readings is how far the ends are moved outward, relative to the value: a few units of
// the last place, so that they hold for the decimals that entries of the differences are
// given as, too, where these bear on the optimum as they do on the differences.
const readings = 16 * unit

// between encloses an optimum by the value of a design and the limit on all.
func (o *optimizer) between(reached, limit interval.Interval, method string) (evidence.Certified, error) {
	low, high := reached, limit
	if o.goal.Objective == LeastError {
		low, high = limit, reached
	}
	lo, _ := interval.Hull(low, low).Bounds()
	_, hi := high.Bounds()
	lo, hi = lo*(1-readings), hi*(1+readings)
	if !(lo <= hi) || !(lo >= 0) || math.IsInf(hi, 1) || hi == 0 {
		return evidence.Certified{}, fmt.Errorf("%w (the optimum is from %.6g to %.6g)", errScale, lo, hi)
	}
	return evidence.Certified{Lo: lo, Hi: hi, Method: method, Source: "optimal noise under exact (ε, δ)"}, nil
}

// dense makes the design with precisions proportional to p, and q where it is not nil,
// scaled onto the private side. withheld says how many directions are not released.
func (o *optimizer) dense(p, q *symmetric.Enclosure, limit interval.Interval, everywhere bool, withheld int, method string) (*Optimum, error) {
	sigma, err := inverted("Σ", p)
	if err != nil {
		return nil, err
	}
	_, n := o.s.Shape()
	psi, err := Isotropic(n, 1)
	if err == nil && q != nil {
		var right *mat.SymDense
		if right, err = inverted("Ψ", q); err == nil {
			psi, err = Dense(right)
		}
	}
	if err != nil {
		return nil, err
	}
	d, err := o.scaled(func(k float64) (Covariance, Covariance, error) {
		out := mat.NewSymDense(sigma.SymmetricDim(), nil)
		out.ScaleSym(k, sigma)
		c, err := Dense(out)
		if err != nil {
			return c, psi, fmt.Errorf("mvg: the best Σ: %w", err)
		}
		if o.recipe.Mode == Equimodal {
			return c, c, nil
		}
		return c, psi, nil
	})
	if err != nil {
		return nil, err
	}
	out := &Optimum{Design: d, Everywhere: everywhere, Method: method}
	out.Precisions, out.Directions = spectral(d.Sigma())
	for i := range withheld {
		out.Precisions[i], out.Design = 0, nil
	}
	reached, err := o.reachedBy(d)
	if err != nil {
		return nil, err
	}
	out.Value, err = o.between(reached, limit, method)
	return out, err
}

// scaled returns the design of the covariances at a scale, brought to the constraint: their
// largest whitened difference is just below μ. It falls as 1/k where both are scaled,
// as 1/√k where Σ is, up to what is not known of it.
func (o *optimizer) scaled(at func(k float64) (sigma, psi Covariance, err error)) (*Design, error) {
	const rounds, close = 40, 1 - 1e-13
	var best *Design
	k := 1.0
	for round := range rounds {
		sigma, psi, err := at(k)
		if err != nil {
			return nil, err
		}
		d, err := NewDesign(o.ctx, o.s, sigma, psi)
		if err != nil {
			return nil, err
		}
		if d.norm.hi <= o.mu.Lo && (best == nil || d.norm.hi > best.norm.hi) {
			best = d
		}
		if best != nil && (round > 4 || best.norm.hi >= o.mu.Lo*close) {
			return best, nil
		}
		over := d.norm.hi / (o.mu.Lo * (1 - float64(4*round)*unit))
		if o.recipe.Mode != Equimodal {
			over *= over
		}
		k *= over
	}
	return nil, fmt.Errorf("mvg: no scale of the covariances brings the largest whitened difference to %.17g", o.mu.Lo)
}

// inverted returns the float64 nearest to the inverse of a precision, as symmetric.
func inverted(name string, p *symmetric.Enclosure) (*mat.SymDense, error) {
	n, _ := p.Dims()
	factor, ok := p.Factorize()
	if !ok {
		return nil, fmt.Errorf("mvg: the best precision of %s is not proven positive definite", name)
	}
	out, err := finite(factor.Solve(symmetric.Exactly(symmetric.Eye(n))).Middle())
	if err != nil {
		return nil, err
	}
	return symmetric.Symmetrized(out), nil
}

// spectral returns the precisions of a covariance, ascending, and its directions.
func spectral(c Covariance) ([]float64, mat.Matrix) {
	v := c.Variances()
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	sortBy(order, func(a, b int) bool { return v[a] > v[b] })
	p := make([]float64, len(v))
	w := symmetric.Eye(len(v))
	if given := c.Directions(); given != nil {
		w = given
	}
	out := mat.NewDense(len(v), len(v), nil)
	for at, i := range order {
		p[at] = 1 / v[i]
		out.SetCol(at, mat.Col(nil, i, w))
	}
	return p, out
}

// reachedBy returns the objective at a design.
func (o *optimizer) reachedBy(d *Design) (interval.Interval, error) {
	sigma := symmetric.Exactly(d.Sigma().Matrix())
	root := o.frame.root()
	k := root.Mul(root.T())
	if o.goal.Objective == MostInformation {
		whole, ok := sigma.Plus(k).Factorize()
		noise, proven := sigma.Factorize()
		if !ok || !proven {
			return interval.Interval{}, errScale
		}
		return interval.Float(o.columns).Mul(whole.LogDet().Sub(noise.LogDet())), nil
	}
	left, err := trace(k.Mul(sigma))
	if err != nil || o.recipe.Mode != Bimodal {
		return o.error(left), err
	}
	right, err := trace(symmetric.Exactly(d.Psi().Matrix()))
	return left.Mul(right), err
}

func trace(a *symmetric.Enclosure) (interval.Interval, error) {
	n, _ := a.Dims()
	sum := interval.Int(0)
	for i := range n {
		v, ok := a.At(i, i)
		if !ok {
			return sum, errScale
		}
		sum = sum.Add(v)
	}
	return sum, nil
}

// uniform returns n numbers v.
func uniform(n int, v float64) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = v
	}
	return p
}

// rootOf returns a root of a positive definite matrix by its eigenvectors.
func rootOf(p *mat.SymDense) *mat.Dense {
	n := p.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(p, symmetric.WithVectors) {
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
