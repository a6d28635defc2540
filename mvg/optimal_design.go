package mvg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// finish makes the design with precisions p in the given directions, scaled to the constraint. It encloses the optimum
// between that design's value and limit, which no design exceeds. A precision of 0 stands for one so small that it
// costs nothing.
func (o *optimizer) finish(p []float64, limit interval.Interval, everywhere bool, method string) (*Optimum, error) {
	out := &Optimum{Precisions: make([]float64, len(p)), Directions: o.recipe.Directions, Everywhere: everywhere, Method: method}
	exact := make([]interval.Interval, len(p))
	for i, v := range p {
		if v == 0 && o.negligible != nil {
			v = o.negligible[i]
		}
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, errScale
		}
		exact[i] = interval.Float(v)
	}
	over, err := o.over(exact)
	if err != nil {
		return nil, err
	}
	for i, v := range exact {
		exact[i] = v.Quo(over)
		out.Precisions[i] = exact[i].Mid()
	}
	reached := o.value(o.basis.ofMembers(o.goal.Objective), exact)
	if o.dropUseless(out, p, reached.Mid()) {
		return out.enclosed(o.between(reached, limit, method))
	}
	shape := lists.Each(out.Precisions, func(v float64) float64 { return 1 / v })
	out.Design, err = o.scaled(func(k float64) (Covariance, Covariance, error) {
		v := append([]float64(nil), shape...)
		floats.Scale(k, v)
		sigma, err := NewDirectional(v, o.recipe.Directions)
		if err != nil || o.recipe.Mode == Equimodal {
			return sigma, sigma, err
		}
		return sigma, unitNoise(int(o.n)), nil
	})
	if err != nil {
		return nil, err
	}
	for i, v := range out.Design.Sigma().Variances() {
		out.Precisions[i] = 1 / v
	}
	return out.enclosed(o.betweenOf(out.Design, reached, limit, method))
}

// enclosed sets the value and its method.
func (out *Optimum) enclosed(v evidence.Certified, err error) (*Optimum, error) {
	if err != nil {
		return nil, err
	}
	out.Value, out.Method = v, v.Method
	return out, nil
}

// dropUseless sets a precision to 0 if its part of the information is negligible, and reports whether there is one. In
// that case the optimum has no design.
func (o *optimizer) dropUseless(out *Optimum, p []float64, value float64) bool {
	if o.goal.Objective == LeastError || o.recipe.LeastShare > 0 {
		return false
	}
	some := false
	for i, w := range o.goal.Weights {
		if p[i] == 0 || !(o.columns*math.Log1p(w*out.Precisions[i]) > 1e-10*value) {
			out.Precisions[i], some = 0, true
		}
	}
	return some
}

// error turns tr(KΣ) into the expected squared error.
func (o *optimizer) error(sum interval.Interval) interval.Interval {
	if o.recipe.Mode == Equimodal {
		return square(sum)
	}
	return interval.Float(o.n).Mul(sum)
}

// decimalSlack is the relative widening of the ends, a few units of the last place. The widened ends also hold for the
// decimals that the entries of the differences were read from, if these affect the optimum as much as the differences.
const decimalSlack = 16 * unit

// mostGap is the relative gap between the ends above which the method mentions the gap.
const mostGap = 1e-6

// between encloses an optimum between the value of feasible covariances and a bound on all covariances. If the ends
// differ unexpectedly, the method says so. That happens for nearly singular differences, or for scales so different
// that float64 cannot find or represent the best design.
func (o *optimizer) between(reached, limit interval.Interval, method string) (evidence.Certified, error) {
	low, high := reached, limit
	if o.goal.Objective == LeastError {
		low, high = limit, reached
	}
	lo, _ := low.Bounds()
	_, hi := high.Bounds()
	lo, hi = lo*(1-decimalSlack), hi*(1+decimalSlack)
	if !(lo <= hi) || !(lo >= 0) || math.IsInf(hi, 1) || hi == 0 {
		return evidence.Certified{}, fmt.Errorf("%w (the optimum is from %.6g to %.6g)", errScale, lo, hi)
	}
	if hi-lo > mostGap*hi && !strings.Contains(method, "apart") {
		method += ": apart here, by the rounding of float64 in the search or the design"
	}
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From("optimal noise under exact (ε, δ)").By(method)}, nil
}

// betweenOf returns between's enclosure, widened if the design's own value is worse than reached. The matrices of a
// design are rounded to float64, which costs a little and keeps their form only approximately.
func (o *optimizer) betweenOf(d *Design, reached, limit interval.Interval, method string) (evidence.Certified, error) {
	own, err := o.reachedBy(d)
	if err != nil {
		return evidence.Certified{}, err
	}
	if o.goal.Objective == LeastError {
		return o.between(interval.Max(own, reached), limit, method)
	}
	return o.between(interval.Min(own, reached), limit, method)
}

// dense encloses the optimum between limit and the value of P' = AAᵀ in the basis and, if b is not nil, Q = BBᵀ, and
// makes the design. If withheld is positive, that many directions are not released and there is no design.
func (o *optimizer) dense(a, b *symmetric.Enclosure, limit interval.Interval, everywhere bool, withheld int, method string) (*Optimum, error) {
	at, err := o.factored(a, b)
	if err != nil {
		return nil, err
	}
	reached, err := at.value()
	if err != nil {
		return nil, err
	}
	out := &Optimum{Everywhere: everywhere, Method: method}
	precision := at.precision().Middle()
	if out.Precisions, out.Directions, err = spectral(symmetric.Symmetrized(precision)); err != nil {
		return nil, err
	}
	if withheld > 0 {
		for i := range withheld {
			out.Precisions[i] = 0
		}
		return out.enclosed(o.between(reached, limit, method))
	}
	sigma, psi, err := at.covariances()
	if err != nil {
		return nil, err
	}
	out.Design, err = o.scaled(func(k float64) (Covariance, Covariance, error) {
		scaled := mat.NewSymDense(sigma.SymmetricDim(), nil)
		scaled.ScaleSym(k, sigma)
		c, err := NewDense(scaled)
		if err != nil {
			return c, psi, fmt.Errorf("mvg: the best Σ in float64: %w", err)
		}
		if o.recipe.Mode == Equimodal {
			return c, c, nil
		}
		return c, psi, nil
	})
	if err != nil {
		return nil, err
	}
	return out.enclosed(o.betweenOf(out.Design, reached, limit, method))
}

// scaled returns the design of the covariances at(k), with k chosen such that the largest whitened difference is just
// below μ. Up to the width of its enclosure, the difference is proportional to 1/k if both covariances are scaled and
// to 1/√k if only Σ is.
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
	return nil, parameter.Errorf("no scale of the covariances brings the largest whitened difference to %.17g", o.mu.Lo)
}

// inverted returns the float64 nearest to the inverse of a precision, symmetrized.
func inverted(name string, p *symmetric.Enclosure) (*mat.SymDense, error) {
	n, _ := p.Dims()
	factor, ok := p.Factorize()
	if !ok {
		return nil, parameter.Errorf("the best precision of %s is not proven positive definite", name)
	}
	out, err := finite(factor.Solve(identity(n)).Middle())
	if err != nil {
		return nil, err
	}
	return symmetric.Symmetrized(out), nil
}

// spectral returns the eigenvalues of a precision, ascending, and its directions. It rejects NaN, because gonum may
// return eigenvalues of such a matrix.
func spectral(p *mat.SymDense) ([]float64, mat.Matrix, error) {
	var e mat.EigenSym
	if sum := mat.Sum(p); sum-sum != 0 || !e.Factorize(p, symmetric.WithVectors) {
		return nil, nil, errScale
	}
	w := new(mat.Dense)
	e.VectorsTo(w)
	return e.Values(nil), w, nil
}

// reachedBy returns the objective at a design, from its matrices.
func (o *optimizer) reachedBy(d *Design) (interval.Interval, error) {
	if o.basis.w == nil && d.Sigma().Directions() == nil && o.recipe.Mode != Bimodal {
		return o.value(o.basis.weights, lists.Each(exactly(d.Sigma().Variances()), inverseOf)), nil
	}
	sigma := symmetric.Exactly(d.Sigma().Matrix())
	root := o.basis.root()
	if o.goal.Objective == MostInformation {
		whole, ok := sigma.Plus(root.Mul(root.T())).Factorize()
		noise, proven := sigma.Factorize()
		if !ok || !proven {
			return interval.Interval{}, errScale
		}
		return interval.Float(o.columns).Mul(whole.LogDet().Sub(noise.LogDet())), nil
	}
	left, err := trace(root.T().Mul(sigma).Mul(root))
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

// uniform returns a slice of n times v.
func uniform(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// rootOf returns a root of a positive definite matrix, by its eigenvectors.
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
