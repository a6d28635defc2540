package definite

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// A Side is one of the two matrices that a difference is whitened by: a factored one, or
// diag(Variances).
type Side struct {
	Factor    *Factor
	Variances []float64
}

// scales returns exponents e and, for a diagonal, numbers h in [½, 2) with 4^e h the
// variances.
func (s Side) scales() (exps []int, h []float64) {
	if s.Factor != nil {
		return s.Factor.exps, nil
	}
	for _, v := range s.Variances {
		_, e := math.Frexp(v)
		exps = append(exps, e>>1)
		h = append(h, math.Ldexp(v, -2*(e>>1)))
	}
	return exps, h
}

// SquaredNorm encloses tr(A⁻¹ΔB⁻¹Δᵀ), in units of 4^exp, for A on the left and B on the
// right: the square of ‖XΔYᵀ‖_F for XAXᵀ and YBYᵀ near I, within (1 ± ε) of either.
func SquaredNorm(left, right Side, delta mat.Matrix) (lo, hi float64, exp int) {
	m, n := delta.Dims()
	rows, h := left.scales()
	cols, k := right.scales()
	exp = math.MinInt
	for i := range m {
		for j := range n {
			if v := delta.At(i, j); v != 0 {
				_, e := math.Frexp(v)
				exp = max(exp, e-rows[i]-cols[j])
			}
		}
	}
	if exp == math.MinInt {
		return 0, 0, 0
	}
	// What underflows, below 2⁻¹⁰²² of the largest entry, is below every rounding: the norm
	// is at least ‖Δ‖/(‖H‖‖K‖)^{1/2} in these units.
	d := make([]float64, m*n)
	for i := range m {
		for j := range n {
			d[i*n+j] = math.Ldexp(delta.At(i, j), max(-rows[i]-cols[j]-exp, -4000))
		}
	}
	widen := func(lo, hi float64) (float64, float64, int) {
		for _, s := range []Side{left, right} {
			if s.Factor != nil {
				e := s.Factor.Spread()
				lo, hi = lo/(1+e), hi/(1-e)
			}
		}
		return math.Max(0, lo*(1-8*unit)), hi*(1+8*unit) + 0x1p-900, exp
	}
	if (left.Factor == nil || left.Factor.long == nil) && (right.Factor == nil || right.Factor.long == nil) {
		return widen(shortNorm(left.Factor, right.Factor, h, k, d))
	}
	return widen(longNorm(left.Factor, right.Factor, h, k, d))
}

// shortNorm encloses ‖XDYᵀ‖² where X and Y are factors in float64, or diag(h)^{−1/2} and
// diag(k)^{−1/2}.
//
// The roots' own errors, below 3u a side, are factors of rows and columns; multiplying them
// in leaves 2u|D| an entry. XD errs by nX(2u‖D‖) + u‖XD‖ + γ_m²‖X‖‖D‖ more, and the other
// product likewise, with sums in twice the precision (dot.go) and Frobenius norms.
func shortNorm(f, g *Factor, h, k, d []float64) (lo, hi float64) {
	m, n := len(h), len(k)
	if f != nil {
		m = f.n
	}
	if g != nil {
		n = g.n
	}
	for i := range m {
		for j := range n {
			if h != nil {
				d[i*n+j] /= math.Sqrt(h[i])
			}
			if k != nil {
				d[i*n+j] /= math.Sqrt(k[j])
			}
		}
	}
	off := 0.0
	if f != nil || g != nil {
		off = 2 * unit * norm(d)
	}
	apply := func(f *Factor, d []float64, transposed []float64, width int) {
		// transposed holds the columns to be multiplied by X, one after another.
		x := norm(f.x)
		gamma := float64(f.n) * unit * slack
		before := norm(transposed)
		for j := range width {
			column := transposed[j*f.n : (j+1)*f.n]
			for i := range f.n {
				d[i*width+j] = sum{}.plus(f.x[i*f.n:i*f.n+i+1], column).float()
			}
		}
		off = (x*off + unit*norm(d) + gamma*gamma*x*before) * slack
	}
	if f != nil {
		apply(f, d, turn(d, m, n), n)
	}
	if g != nil {
		t := make([]float64, len(d))
		apply(g, t, append([]float64(nil), d...), m) // the rows of D are columns of Dᵀ
		d = t
	}
	value := norm(d)
	off += value * float64(len(d)+8) * unit
	low := math.Max(0, value-off)
	return low * low, (value + off) * (value + off)
}

// turn returns the transposed of an m×n matrix.
func turn(d []float64, m, n int) []float64 {
	out := make([]float64, len(d))
	for i := range m {
		for j := range n {
			out[j*m+i] = d[i*n+j]
		}
	}
	return out
}

// longNorm does the same in long numbers, w = 2^−prec: roots and what they multiply err by
// 8w|D|, products of N terms by 2Nw|x|·|y|, the sum of squares by 2mnw of itself, so
// ‖XDYᵀ‖ by less than 2(m + n + 8)w·‖Y‖(‖X‖‖D‖ + ‖XD‖) and that.
func longNorm(f, g *Factor, h, k, d []float64) (lo, hi float64) {
	var prec uint // one of the two is long
	m, n := len(h), len(k)
	if f != nil {
		m = f.n
	}
	if g != nil {
		n = g.n
	}
	for _, f := range []*Factor{f, g} {
		if f != nil && f.long != nil {
			prec = max(prec, f.long.prec)
		}
	}
	roots := func(v []float64) []*big.Float {
		out := make([]*big.Float, len(v))
		for i, x := range v {
			out[i] = new(big.Float).SetPrec(prec).SetFloat64(x)
			out[i].Quo(big.NewFloat(1), out[i].Sqrt(out[i]))
		}
		return out
	}
	left, right := roots(h), roots(k)
	a := newLong(n, m, prec) // Dᵀ
	for i := range m {
		for j := range n {
			if d[i*n+j] == 0 {
				continue
			}
			v := new(big.Float).SetPrec(prec).SetFloat64(d[i*n+j])
			if h != nil {
				v.Mul(v, left[i])
			}
			if k != nil {
				v.Mul(v, right[j])
			}
			a.set(j, i, v)
		}
	}
	one := big.NewFloat(1)
	b, nx := a, one
	if f != nil {
		x := f.lengthened(prec)
		b, nx = x.onRows(a), x.norm()
	}
	c, ny := b, one
	if g != nil {
		y := g.lengthened(prec)
		c, ny = y.onRows(b.transposed()), y.norm()
	}
	w := new(big.Float).SetMantExp(big.NewFloat(float64(2*(m+n+8))), -int(prec))
	off := up().Mul(nx, a.norm())
	off.Mul(off.Mul(off.Add(off, b.norm()), ny), w)
	value := c.norm()
	square, t := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec)
	for _, v := range c.v {
		if v != nil {
			square.Add(square, t.Mul(v, v))
		}
	}
	// (‖·‖ ± off)², and the rounding of the sum.
	gap := up().Mul(value, off)
	gap.Add(gap.Add(gap, gap), up().Mul(off, off))
	rounding := new(big.Float).SetMantExp(big.NewFloat(float64(2*m*n)), -int(prec))
	gap.Add(gap, rounding.Mul(rounding, up().Mul(value, value)))
	below := new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf).Sub(square, gap)
	above := new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf).Add(square, gap)
	lo, _ = below.Float64()
	hi, _ = above.Float64()
	return math.Nextafter(lo, -1), math.Nextafter(hi, math.Inf(1))
}

// lengthened returns X in long numbers.
func (f *Factor) lengthened(prec uint) *long {
	if f.long != nil {
		return f.long
	}
	out := newLong(f.n, f.n, prec)
	for i, v := range f.x {
		if v != 0 {
			out.v[i] = new(big.Float).SetPrec(prec).SetFloat64(v)
		}
	}
	return out
}

// onRows returns the rows of b, each multiplied by the lower triangular a.
func (a *long) onRows(b *long) *long {
	out, s := newLong(b.rows, b.cols, a.prec), newAdder(max(a.prec, b.prec))
	n := a.rows
	for r := range b.rows {
		for i := range n {
			s.reset(nil)
			s.addAll(a.v[i*n:i*n+i+1], b.v[r*n:r*n+i+1], false)
			out.set(r, i, s.value())
		}
	}
	return out
}
