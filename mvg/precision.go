package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"

	"gonum.org/v1/gonum/mat"
)

// Privacy is computed from the inverse P of a covariance. P is exact for a diagonal covariance; for others
// internal/definite encloses it.

// bound is an enclosure in float64.
type bound struct{ lo, hi float64 }

func outward(a interval.Interval) bound {
	lo, hi := a.Bounds()
	return bound{lo, hi}
}

// nonNegative returns [lo, hi]·4^k for a quantity that is at least 0.
func nonNegative(lo, hi float64, k int) interval.Interval {
	return interval.Between(math.Max(lo, 0), hi).Mul(interval.TwoTo(2 * k))
}

// spread widens an enclosure computed for P̂ (definite.Inverse) to one for P. The quantity must increase with P.
func spread(p definite.Inverse, lo, hi float64) (float64, float64) {
	return lo / (1 + p.Spread) * (1 - 4*unit), hi / (1 - p.Spread) * (1 + 4*unit)
}

// top encloses the count largest eigenvalues of the inverse, in descending order.
func (c Covariance) top(count int) []interval.Interval {
	var out []interval.Interval
	if c.dense == nil {
		v := slices.Clone(c.diagonal)
		slices.Sort(v)
		return lists.Each(exactly(v[:min(count, len(v))]), inverseOf)
	}
	p := c.dense.inverse()
	values, off := c.spectrum(p)
	// Errors of Entry·√(p_ii p_jj) in the entries change eigenvalues by at most Entry·tr P.
	off += p.Entry * mat.Trace(p.Near) * (1 + 1e-9)
	for _, v := range values[:min(count, len(values))] {
		lo, hi := spread(p, v-off, v+off)
		out = append(out, nonNegative(lo, hi, p.Exp))
	}
	return out
}

// norm encloses the largest eigenvalue of the inverse.
func (c Covariance) norm() interval.Interval { return c.top(1)[0] }

// topTwo encloses the two largest eigenvalues; the order is at least 2.
func (c Covariance) topTwo() (first, second interval.Interval) {
	v := c.top(2)
	return v[0], v[1]
}

// spectrum returns the eigenvalues of Near, in descending order, and their error. Up to order 64 it uses Near's own
// eigenvectors, which reduce the error, and beyond that the covariance's directions if these suffice.
func (c Covariance) spectrum(p definite.Inverse) (values []float64, off float64) {
	if n := c.Order(); n > 64 {
		values, off = definite.Eigenvalues(p.Near, c.directions)
		if off <= 8*float64(n*n)*unit*values[0] {
			return values, off
		}
	}
	return definite.Eigenvalues(p.Near, nil)
}

// largestEntry encloses max_j P_jj.
func (c Covariance) largestEntry() interval.Interval {
	if c.dense == nil {
		return c.norm()
	}
	p := c.dense.inverse()
	largest := 0.0
	for j := range c.Order() {
		largest = math.Max(largest, p.Near.At(j, j))
	}
	lo, hi := spread(p, largest*(1-p.Entry), largest*(1+p.Entry))
	return nonNegative(lo, hi, p.Exp)
}

// normalized returns an approximation of P/s with norm at most 1, the number s, and a bound on the spectral norm of
// the approximation's error.
func (c Covariance) normalized() (p *mat.SymDense, s interval.Interval, off float64) {
	n := c.Order()
	if c.dense == nil {
		least := slices.Min(c.diagonal)
		p = mat.NewSymDense(n, nil)
		for i, v := range c.diagonal {
			p.SetSym(i, i, least/v)
		}
		return p, c.norm(), 2 * unit
	}
	inverse := c.dense.inverse()
	values, wide := c.spectrum(inverse)
	scale := values[0] + wide
	p = mat.NewSymDense(n, nil)
	p.ScaleSym(1/scale, inverse.Near)
	// ‖P̂‖ ≤ (1 + Entry·tr)·scale. P differs from P̂ by at most ε/(1 − ε) of that, and 1/scale and its products are
	// rounded. 1e-6 covers products of two of these.
	trace := mat.Trace(p)
	off = inverse.Entry*trace + inverse.Spread/(1-inverse.Spread) + 3*unit*trace
	return p, interval.Float(scale).Mul(interval.TwoTo(2 * inverse.Exp)), off * (1 + 1e-6)
}

// side returns the covariance as one side of definite.SquaredNorm.
func (c Covariance) side() definite.Side {
	if c.dense == nil {
		return definite.Side{Variances: c.diagonal}
	}
	return definite.Side{Factor: c.dense.factor}
}

// precisionSquares encloses Σ p_i², the squared Frobenius norm of the inverse.
func (c Covariance) precisionSquares() interval.Interval {
	sum := interval.Int(0)
	if c.dense == nil {
		for _, p := range c.top(c.Order()) {
			sum = sum.Add(p.Mul(p))
		}
		return sum
	}
	// ‖P̂ − Near‖ ≤ Entry·tr Near, and Σ p_i² grows as the square of P's scale. The norm in float64 has a relative
	// error of at most n²u.
	p := c.dense.inverse()
	norm := mat.Norm(p.Near, 2)
	off := p.Entry*mat.Trace(p.Near)*(1+1e-9) + norm*float64(c.Order()*c.Order()+8)*unit
	lo, hi := spread(p, norm-off, norm+off)
	square := nonNegative(lo, hi, p.Exp)
	return square.Mul(square)
}

// trace encloses the trace of the covariance.
func (c Covariance) trace() interval.Interval {
	sum := interval.Int(0)
	for i := range c.Order() {
		if c.dense == nil {
			sum = sum.Add(interval.Float(c.diagonal[i]))
		} else {
			sum = sum.Add(interval.Float(c.dense.matrix.At(i, i)))
		}
	}
	return sum
}
