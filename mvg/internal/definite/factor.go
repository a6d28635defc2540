package definite

import (
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"dpworkbench/interval"
)

// Up to order carefulOrder, products are summed in double-double. Beyond it they are summed in float64, which is many
// times faster, and in double-double only if ε is then above plainSpread.
const (
	carefulOrder = 256
	plainSpread  = 1e-9
)

// A Factor is a lower triangular X with XHXᵀ = I + E, ‖E‖₂ ≤ spread < ½.
type Factor struct {
	n      int
	exps   []int
	spread *big.Float
	x      []float64 // rows one after another; nil if long holds X
	long   *long

	root      []float64 // B, lower triangular, BBᵀ near H
	rootError float64   // ‖XB − I‖₂
}

// floatFactor searches for an X in float64. The first X is the inverse of a Cholesky factor of H. Each next one is the
// inverse of a Cholesky factor of XHXᵀ times the last X, as long as ε decreases. The first ε is about the condition
// number times u, the second about its root times u.
func (m *Matrix) floatFactor() *Factor {
	n := m.n
	terms, ok := m.scaled()
	if !ok {
		return nil
	}
	h := terms[0]
	if len(terms) > 1 {
		h = make([]float64, n*n)
		for _, t := range terms {
			for i, v := range t {
				h[i] += v
			}
		}
	}
	if n > carefulOrder {
		if f := m.refined(terms, h, false); f != nil && f.Spread() <= plainSpread {
			return f
		}
	}
	return m.refined(terms, h, true)
}

// refined searches as floatFactor does, with sums in double-double if careful is true, and in float64 otherwise.
func (m *Matrix) refined(terms [][]float64, h []float64, careful bool) *Factor {
	n := m.n
	x, left := identity(n), h
	var best *Factor
	reached := 0.5
	for range 4 {
		if x = inverseRoot(n, left, x); x == nil {
			break
		}
		r := residual(n, terms, h, x, careful)
		enough := r.spread > reached/2 && best != nil
		if r.spread < reached {
			reached, best = r.spread, r.factor(m, x)
		}
		if left = r.g; enough {
			break
		}
	}
	return best
}

// factor returns the Factor of X. Its root is the lower triangle of T = HXᵀ: X is near the inverse of the Cholesky
// factor C of H, so T is near C. ‖XT − I‖ is at most the spread. The omitted upper part U adds ‖XU‖, whose computed
// value has an error of γ_n‖X‖‖U‖.
func (r checked) factor(m *Matrix, x []float64) *Factor {
	n := m.n
	upper := make([]float64, n*n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			upper[i*n+j], r.t[i*n+j] = r.t[i*n+j], 0
		}
	}
	off := slack * (norm(gemm(n, x, upper, blas.NoTrans, blas.NoTrans)) + float64(n)*unit*norm(x)*norm(upper))
	return &Factor{n: n, exps: m.exps, spread: big.NewFloat(r.spread), x: x, root: r.t, rootError: r.spread + off}
}

// gemm returns ab in float64; ofA and ofB say whether a and b are transposed.
func gemm(n int, a, b []float64, ofA, ofB blas.Transpose) []float64 {
	general := func(d []float64) blas64.General { return blas64.General{Rows: n, Cols: n, Stride: n, Data: d} }
	out := make([]float64, n*n)
	blas64.Gemm(ofA, ofB, 1, general(a), general(b), 0, general(out))
	return out
}

func identity(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i*n+i] = 1
	}
	return x
}

// inverseRoot returns C⁻¹x for the Cholesky factor C of a and a lower triangular x, or nil if a has no factor. The
// result is lower triangular, because forward substitution keeps the leading zeros of x.
func inverseRoot(n int, a, x []float64) []float64 {
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, append([]float64(nil), a...))) {
		return nil
	}
	l := new(mat.TriDense)
	chol.LTo(l)
	out := append([]float64(nil), x...)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l.RawTriangular(), blas64.General{Rows: n, Cols: n, Stride: n, Data: out})
	return out // residual rejects NaN and infinite entries
}

// checked holds the computed g = XHXᵀ and t = HXᵀ, and a bound spread on ‖XHXᵀ − I‖.
type checked struct {
	g, t   []float64
	spread float64
	off    float64 // the part of spread that bounds rounding
}

// slack covers the roundings of bounds that are themselves computed in float64.
const slack = 1 + 1e-6

// residual bounds ‖XHXᵀ − I‖₂ for a lower triangular X. H is the exact sum of terms, and h the rounded sum.
//
// If careful, the N = n·terms products of an entry are summed in double-double. Each entry of T = HXᵀ has an error of
// at most u|T| + γ_N²|H||X|ᵀ, and XT adds u|XT| + γ_n²|X||T|. In Frobenius norms these are
//
//	‖X‖(u‖T‖ + γ_N²‖H‖‖X‖) + u‖G‖ + γ_n²‖X‖‖T‖;
//
// Entries above the diagonal are copies of those below, hence the factor √2.
//
// Otherwise T = hXᵀ has an error of γ_n|h||X|ᵀ, h has an error of (terms − 1)u Σ|H|, and XT has an error of γ_n|X||T|.
// So the total error is below |X|·γ|H|·|X|ᵀ for γ = 2γ_n + 2u·terms, and its norm below the largest row sum.
func residual(n int, terms [][]float64, h, x []float64, careful bool) checked {
	var r checked
	products := float64(n * len(terms))
	if careful {
		r.g, r.t = make([]float64, n*n), make([]float64, n*n)
		transposed := make([]float64, n*n) // row j is column j of T
		for j := range n {
			row := x[j*n : j*n+j+1]
			for k := range n {
				var s interval.DoubleDouble
				for _, t := range terms {
					s = s.AddProducts(row, t[k*n:])
				}
				transposed[j*n+k] = s.Float()
			}
		}
		for i := range n {
			for j := range i + 1 {
				v := interval.DoubleDouble{}.AddProducts(x[i*n:i*n+i+1], transposed[j*n:]).Float()
				r.g[i*n+j], r.g[j*n+i] = v, v
			}
			for j := range n {
				r.t[i*n+j] = transposed[j*n+i]
			}
		}
		size := 0.0
		for _, t := range terms {
			size += norm(t)
		}
		gamma := products * unit * slack
		nx, nt := norm(x), norm(r.t)
		r.off = math.Sqrt2 * slack * (nx*(unit*nt+gamma*gamma*size*nx) + unit*norm(r.g) + gamma*gamma*nx*nt)
	} else {
		r.t = gemm(n, h, x, blas.NoTrans, blas.Trans)
		r.g = gemm(n, x, r.t, blas.NoTrans, blas.NoTrans)
		v := absProduct(n, [][]float64{x}, slices.Repeat([]float64{1}, n), true)
		v = absProduct(n, terms, v, false)
		v = absProduct(n, [][]float64{x}, v, false)
		for _, s := range v {
			r.off = math.Max(r.off, s)
		}
		r.off *= (2*float64(n) + 2*float64(len(terms))) * unit * slack
	}
	gap := 0.0
	for i := range n {
		for j := range n {
			v := r.g[i*n+j]
			if i == j {
				v--
			}
			gap += v * v
		}
	}
	r.spread = slack*math.Sqrt(gap) + r.off + 0x1p-900
	if !(r.spread >= 0) {
		r.spread = math.Inf(1)
	}
	return r
}

// absProduct returns Σ|A|·v over the terms A, or Σ|Aᵀ|·v if transposed.
func absProduct(n int, terms [][]float64, v []float64, transposed bool) []float64 {
	out := make([]float64, n)
	for _, a := range terms {
		for i := range n {
			for j := range n {
				if transposed {
					out[j] += math.Abs(a[i*n+j]) * v[i]
				} else {
					out[i] += math.Abs(a[i*n+j]) * v[j]
				}
			}
		}
	}
	return out
}
