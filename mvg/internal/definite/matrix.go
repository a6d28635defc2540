package definite

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// ErrNotProven is wrapped if a matrix is not positive definite, or too close to a singular one for a proof.
var ErrNotProven = errors.New("not proven positive definite")

// A Term is a symmetric matrix whose entries are v·2^exp.
type Term func(i, j int) (v float64, exp int)

// Entries returns the matrix of the given entries, which are finite.
func Entries(a mat.Symmetric) Term { return func(i, j int) (float64, int) { return a.At(i, j), 0 } }

// Kronecker returns two terms whose sum is exactly a⊗b: the rounded products and their rounding errors.
func Kronecker(a, b mat.Symmetric) (high, low Term) {
	n := b.SymmetricDim()
	product := func(i, j int) (p, rest float64, exp int) {
		x, e := math.Frexp(a.At(i/n, j/n))
		y, f := math.Frexp(b.At(i%n, j%n))
		p = float64(x * y)
		return p, math.FMA(x, y, -p), e + f
	}
	return func(i, j int) (float64, int) {
			p, _, exp := product(i, j)
			return p, exp
		}, func(i, j int) (float64, int) {
			_, rest, exp := product(i, j)
			return rest, exp
		}
}

// A Matrix is the exact sum of terms, A = DHD.
type Matrix struct {
	n     int
	exps  []int // D = diag(2^exps)
	terms []Term
}

// New returns the sum of terms of order n. It returns an error wrapping ErrNotProven if a diagonal entry is not
// positive.
func New(n int, terms ...Term) (*Matrix, error) {
	m := &Matrix{n: n, exps: make([]int, n), terms: terms}
	for i := range n {
		d := m.entry(i, i, exactBits)
		if d.Sign() <= 0 {
			return nil, fmt.Errorf("%w: entry (%d, %d) is %.6g", ErrNotProven, i, i, d)
		}
		m.exps[i] = d.MantExp(nil) >> 1
	}
	return m, nil
}

// exactBits exceeds the distance from the highest bit of the largest product of two float64s to the lowest bit of the
// smallest one. So sums of such products are exact.
const exactBits = 4800

// entry returns an entry of the sum, rounded once to prec bits, which are at least 53.
func (m *Matrix) entry(i, j int, prec uint) *big.Float {
	sum := new(big.Float).SetPrec(exactBits)
	for _, t := range m.terms {
		if v, exp := t(i, j); v != 0 {
			x := new(big.Float).SetFloat64(v)
			sum.Add(sum, x.SetMantExp(x, exp))
		}
	}
	return sum.SetPrec(prec)
}

// scaled returns the terms of H in float64, row by row. It is exact except for entries below 2⁻¹⁰²², which lose at
// most 2⁻¹⁰⁷⁵. ok is false if an entry is 2²⁰⁰ or more, far above the diagonal of H, or NaN.
func (m *Matrix) scaled() (terms [][]float64, ok bool) {
	for _, t := range m.terms {
		h := make([]float64, m.n*m.n)
		for i := range m.n {
			for j := range m.n {
				v, exp := t(i, j)
				if v = math.Ldexp(v, exp-m.exps[i]-m.exps[j]); !(math.Abs(v) < 0x1p200) {
					return nil, false
				}
				h[i*m.n+j] = v
			}
		}
		terms = append(terms, h)
	}
	return terms, true
}

// Det encloses the determinant by numbers of prec bits. It is 4^Σexps det H with det H = det(I + E)/Π x_ii², and the
// eigenvalues of I + E lie between 1 − ε and 1 + ε.
func (f *Factor) Det(prec uint) (lo, hi *big.Float) {
	end := func(mode, back big.RoundingMode, spread *big.Float) *big.Float {
		over := new(big.Float).SetPrec(prec).SetMode(back).SetInt64(1) // Π x_ii
		one := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		base := new(big.Float).SetPrec(prec).SetMode(mode).Add(one, spread)
		out := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		for i := range f.n {
			over.Mul(over, f.diagonal(i))
			out.Mul(out, base)
		}
		out.Quo(out, over)
		out.Quo(out, over)
		shift := 0
		for _, e := range f.exps {
			shift += 2 * e
		}
		return out.SetMantExp(out, shift)
	}
	lo = end(big.ToNegativeInf, big.ToPositiveInf, new(big.Float).Neg(f.spread))
	return lo, end(big.ToPositiveInf, big.ToNegativeInf, f.spread)
}

func (f *Factor) diagonal(i int) *big.Float {
	if f.long != nil {
		return f.long.at(i, i)
	}
	return new(big.Float).SetFloat64(f.x[i*f.n+i])
}

// Product encloses a product of positive numbers.
func Product(v []float64, prec uint) (lo, hi *big.Float) {
	end := func(mode big.RoundingMode) *big.Float {
		out := new(big.Float).SetPrec(prec).SetMode(mode).SetInt64(1)
		for _, x := range v {
			out.Mul(out, new(big.Float).SetFloat64(x))
		}
		return out
	}
	return end(big.ToNegativeInf), end(big.ToPositiveInf)
}
