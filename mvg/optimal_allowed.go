package mvg

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// over returns a number, as a point interval, by which precisions p in the basis's directions must be divided to be
// feasible. With P = W⁻ᵀ diag(p) W⁻¹ it is the largest tr(PΔQΔᵀ)/μ² for Q = I, and the square root of this maximum for
// Q = P.
func (o *optimizer) over(p []interval.Interval) (interval.Interval, error) {
	budget := square(interval.Float(o.mu.Lo))
	var most interval.Interval
	var err error
	switch v := o.s.(type) {
	case Ball:
		most = o.topTwo(p, 1).Mul(square(interval.Float(v.s2)))
	case Gram:
		count := 1
		if v.replace && v.d > 1 {
			count = 2
		}
		most = o.topTwo(p, count).Mul(square(interval.Float(v.scale).Mul(square(interval.Float(v.rowNorm)))))
	case Box:
		most, err = o.overBox(v, p)
	case Differences:
		most, err = o.overList(v, p)
	}
	if err != nil {
		return most, err
	}
	most = most.Quo(budget)
	if o.recipe.Mode == Equimodal {
		most = most.Sqrt()
	}
	if sign, _ := most.Sign(); sign <= 0 {
		return most, errScale
	}
	return most.Upper(), nil
}

// topTwo bounds the sum of the count largest eigenvalues of P, or of their squares for Ψ = Σ. Each eigenvalue is at
// most the entry of p of the same rank divided by the least eigenvalue of WᵀW (Ostrowski).
func (o *optimizer) topTwo(p []interval.Interval, count int) interval.Interval {
	first, second := interval.Int(0), interval.Int(0)
	for _, v := range p {
		if v.CmpHi(first) > 0 {
			first, second = v, first
		} else if v.CmpHi(second) > 0 {
			second = v
		}
	}
	sum := interval.Int(0)
	for _, v := range []interval.Interval{first, second}[:count] {
		if v = v.Quo(interval.Float(o.basis.least)); o.recipe.Mode == Equimodal {
			v = square(v)
		}
		sum = sum.Add(v)
	}
	return sum
}

// overBox returns max vᵀPv over the vertices, times max_j P_jj for Ψ = Σ.
func (o *optimizer) overBox(b Box, p []interval.Interval) (interval.Interval, error) {
	if o.basis.w == nil {
		sum, top := interval.Int(0), interval.Int(0)
		for i, d := range b.widths() {
			sum = sum.Add(square(d).Mul(p[i]))
			top = interval.Max(top, p[i])
		}
		if o.recipe.Mode == Equimodal {
			sum = sum.Mul(top)
		}
		return sum, nil
	}
	inverse := o.basis.inverse()
	return o.overVertices(b, inverse.T().Scaled(nil, p).Mul(inverse))
}

// overVertices returns the same number as overBox, for P in standard coordinates.
func (o *optimizer) overVertices(b Box, p *symmetric.Enclosure) (interval.Interval, error) {
	widths := b.widths()
	most, err := o.signMaximum(p.Scaled(widths, widths))
	if err != nil || o.recipe.Mode != Equimodal {
		return most, err
	}
	top := interval.Int(0)
	for j := range widths {
		v, _ := p.At(j, j) // signMaximum has rejected unknown entries
		top = interval.Max(top, v)
	}
	return most.Mul(top), nil
}

// signMaximum bounds sᵀQs over sign patterns s from above. Up to order 20 it enumerates them for a float64
// approximation of Q, beyond that it takes a diagonal bound; it adds the error of the approximation.
func (o *optimizer) signMaximum(e *symmetric.Enclosure) (interval.Interval, error) {
	m, _ := e.Dims()
	top := interval.Int(0)
	for i := range m {
		v, ok := e.At(i, i)
		if !ok {
			return top, errScale
		}
		top = interval.Max(top, v)
	}
	if sign, _ := top.Sign(); sign <= 0 {
		return top, errScale
	}
	shift := top.MidFloat(64).MantExp(nil)
	q, off := mat.NewSymDense(m, nil), interval.Int(0)
	for i := range m {
		for j := i; j < m; j++ {
			v, ok := e.At(i, j)
			if !ok {
				return top, errScale
			}
			v = v.Mul(interval.TwoTo(-shift))
			q.SetSym(i, j, v.Mid())
			rest := v.Sub(interval.Float(q.At(i, j)))
			rest = interval.Max(rest, rest.Neg())
			if i != j {
				rest = rest.Add(rest)
			}
			off = off.Add(rest)
		}
	}
	most := interval.Int(0)
	if m-1 <= maxVertexBits {
		signs, short, err := grayVertex(o.ctx, q)
		if err != nil {
			return most, err
		}
		for i := range m {
			for j := range m {
				most = most.Add(interval.Float(signs[i] * q.At(i, j) * signs[j]))
			}
		}
		most = most.Add(interval.Float(short))
	} else {
		bound := diagonalBound(q)
		if math.IsNaN(bound) || math.IsInf(bound, 0) {
			return most, errScale
		}
		most = interval.Float(bound)
	}
	return most.Add(off).Mul(interval.TwoTo(shift)), nil
}

// overList returns the largest tr(PΔQΔᵀ) of the list.
func (o *optimizer) overList(d Differences, p []interval.Interval) (interval.Interval, error) {
	most := interval.Int(0)
	for k, delta := range d.list {
		if k%64 == 0 && o.ctx.Err() != nil {
			return most, o.ctx.Err()
		}
		e := o.basis.within(o.recipe.Mode, delta)
		rows, cols := e.Dims()
		sum := interval.Int(0)
		for i := range rows {
			part := interval.Int(0)
			for j := range cols {
				v, ok := e.At(i, j)
				if !ok {
					return most, errScale
				}
				if v = square(v); o.recipe.Mode == Equimodal {
					v = v.Mul(p[j])
				}
				part = part.Add(v)
			}
			sum = sum.Add(part.Mul(p[i]))
		}
		most = interval.Max(most, sum)
	}
	return most, nil
}

// factored is a pair of precisions, P = W⁻ᵀAAᵀW⁻¹ and Q = BBᵀ (I for a nil b, P if Equimodal), with the number by
// which P, or both, must be divided to be feasible.
type factored struct {
	*optimizer
	a, b *symmetric.Enclosure // A in the coordinates of the basis
	over interval.Interval
}

// factored returns the pair with its divisor over.
func (o *optimizer) factored(a, b *symmetric.Enclosure) (*factored, error) {
	at := &factored{o, a, b, interval.Int(0)}
	most := interval.Int(0)
	var err error
	switch v := o.s.(type) {
	case Box:
		out := o.basis.fromPrecisionBasis(a)
		most, err = o.overVertices(v, out.Mul(out.T()))
	case Differences:
		for _, delta := range v.list {
			e := a.T().Mul(o.basis.within(o.recipe.Mode, delta))
			switch {
			case o.recipe.Mode == Equimodal:
				e = e.Mul(a)
			case b != nil:
				e = e.Mul(b)
			}
			size, ok := e.Square()
			if !ok {
				return nil, errScale
			}
			most = interval.Max(most, size)
		}
	default:
		return nil, parameter.Errorf("the directions of Σ cannot be free for %s", o.s.Describe())
	}
	if err != nil {
		return nil, err
	}
	if sign, _ := most.Sign(); sign <= 0 {
		return nil, errScale
	}
	at.over = most.Quo(square(interval.Float(o.mu.Lo)))
	if o.recipe.Mode == Equimodal {
		at.over = at.over.Sqrt()
	}
	at.over = at.over.Upper()
	return at, nil
}

// precision returns P, divided by over.
func (at *factored) precision() *symmetric.Enclosure {
	out := at.basis.fromPrecisionBasis(at.a)
	return out.Mul(out.T()).Scaled(slices.Repeat([]interval.Interval{inverseOf(at.over)}, len(at.basis.weights)), nil)
}

// value returns the objective at the feasible pair.
func (at *factored) value() (interval.Interval, error) {
	if at.goal.Objective == MostInformation {
		// WᵀW⁻ᵀ = I, so LᵀPL = diag(√w)AAᵀdiag(√w).
		roots := lists.Each(at.basis.weights, func(w interval.Interval) interval.Interval { return w.Quo(at.over).Sqrt() })
		e := at.a.Scaled(roots, nil)
		f, ok := identity(len(roots)).Plus(e.Mul(e.T())).Factorize()
		if !ok {
			return interval.Interval{}, errScale
		}
		return interval.Float(at.columns).Mul(f.LogDet()), nil
	}
	// tr(KP⁻¹) is the squared norm of C⁻¹L for P = CCᵀ.
	f, ok := at.precision().Factorize()
	if !ok {
		return interval.Interval{}, errScale
	}
	left, ok := f.Whiten(at.basis.root()).Square()
	if !ok {
		return interval.Interval{}, errScale
	}
	if at.b == nil || at.recipe.Mode == Equimodal {
		return at.error(left), nil
	}
	n, _ := at.b.Dims()
	g, ok := at.b.Mul(at.b.T()).Factorize()
	if !ok {
		return interval.Interval{}, errScale
	}
	right, ok := g.Whiten(identity(n)).Square()
	if !ok {
		return interval.Interval{}, errScale
	}
	return left.Mul(right), nil
}

// covariances returns Σ and Ψ in float64.
func (at *factored) covariances() (*mat.SymDense, Covariance, error) {
	sigma, err := inverted("Σ", at.precision())
	if err != nil {
		return nil, Covariance{}, err
	}
	if at.b == nil || at.recipe.Mode == Equimodal {
		return sigma, unitNoise(int(at.n)), nil
	}
	right, err := inverted("Ψ", at.b.Mul(at.b.T()))
	if err != nil {
		return nil, Covariance{}, err
	}
	psi, err := NewDense(right)
	if err != nil {
		return nil, psi, fmt.Errorf("mvg: the best Ψ in float64: %w", err)
	}
	return sigma, psi, nil
}
