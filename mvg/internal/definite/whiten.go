package definite

import (
	"math"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// A Side is one of the two covariances that whiten a difference: a factored matrix, or diag(Variances).
type Side struct {
	Factor    *Factor
	Variances []float64
}

// scales returns exponents e and, for a diagonal matrix, numbers h in [½, 2) such that the variances are 4^e h.
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

// SquaredNorm encloses tr(A⁻¹ΔB⁻¹Δᵀ) in units of 4^exp, for A on the left and B on the right. It is the square of
// ‖XΔYᵀ‖_F, where XAXᵀ and YBYᵀ are near I, up to a factor 1 ± ε for each side.
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
	// Underflow, below 2⁻¹⁰²² of the largest entry, is smaller than every rounding error: the norm is at least
	// ‖Δ‖/(‖H‖‖K‖)^{1/2} in these units.
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

// shortNorm encloses ‖XDYᵀ‖², where X and Y are factors in float64, or diag(h)^{−1/2} and diag(k)^{−1/2}.
//
// The square roots have relative errors, below 3u for each side, that multiply whole rows and columns. Dividing by the
// roots leaves an error of 2u|D| in each entry. In Frobenius norms, with sums in double-double, the error of XD is then
// ‖X‖(2u‖D‖) + u‖XD‖ + γ_m²‖X‖‖D‖, and that of (XD)Yᵀ follows from it in the same way.
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
				d[i*width+j] = interval.DoubleDouble{}.AddProducts(f.x[i*f.n:i*f.n+i+1], column).Float()
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

// turn returns the transpose of an m×n matrix.
func turn(d []float64, m, n int) []float64 {
	out := make([]float64, len(d))
	for i := range m {
		for j := range n {
			out[j*m+i] = d[i*n+j]
		}
	}
	return out
}

// longNorm encloses the same norm as shortNorm, in interval arithmetic.
func longNorm(f, g *Factor, h, k, d []float64) (lo, hi float64) {
	m, n := len(h), len(k)
	if f != nil {
		m = f.n
	}
	if g != nil {
		n = g.n
	}
	roots := func(v []float64) (out []interval.Interval) {
		for _, x := range v {
			out = append(out, interval.Int(1).Quo(interval.Float(x).Sqrt()))
		}
		return out
	}
	e := symmetric.Exactly(mat.NewDense(m, n, d)).Scaled(roots(h), roots(k))
	if f != nil {
		e = f.enclosure().Mul(e)
	}
	if g != nil {
		e = e.Mul(g.enclosure().T())
	}
	square, ok := e.Square()
	if !ok {
		return 0, math.Inf(1)
	}
	return square.Bounds()
}

// enclosure encloses X.
func (f *Factor) enclosure() *symmetric.Enclosure {
	if f.long == nil {
		return symmetric.Exactly(mat.NewDense(f.n, f.n, f.x))
	}
	out := symmetric.Exactly(mat.NewDense(f.n, f.n, nil))
	for at, v := range f.long.v {
		if v != nil {
			out.Set(at/f.n, at%f.n, interval.Big(v))
		}
	}
	return out
}

// Congruence returns W diag(v) Wᵀ, each entry summed in double-double (up to order 256) and rounded. An entry that
// overflows float64 is infinite or NaN.
func Congruence(w *mat.Dense, v []float64) *mat.SymDense {
	n, _ := w.Dims()
	out := mat.NewSymDense(n, nil)
	if n > carefulOrder {
		root := mat.DenseCopyOf(w)
		for j, x := range v {
			for i := range n {
				root.Set(i, j, math.Sqrt(x)*w.At(i, j))
			}
		}
		out.SymOuterK(1, root)
		return out
	}
	high, low := make([]float64, n), make([]float64, n) // high + low is v_k w_ik exactly
	for i := range n {
		row := w.RawRowView(i)
		for k, x := range v {
			high[k] = float64(x * row[k])
			low[k] = math.FMA(x, row[k], -high[k])
		}
		for j := i; j < n; j++ {
			other := w.RawRowView(j)
			out.SetSym(i, j, interval.DoubleDouble{}.AddProducts(high, other).AddProducts(low, other).Float())
		}
	}
	return out
}
