package definite

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// ErrNotProven is wrapped where a matrix is not positive definite, or so nearly singular
// that a proof is out of reach.
var ErrNotProven = errors.New("not proven positive definite")

// A Matrix is a sum of symmetric float64 matrices of one order, exactly, written DHD.
type Matrix struct {
	n     int
	exps  []int // D = diag(2^exps)
	terms []mat.Symmetric
}

// New returns the sum of symmetric matrices with finite entries. It returns an error
// wrapping ErrNotProven where the diagonal has a number that is not positive, which no
// positive definite matrix has, and panics where orders differ or nothing is given.
func New(terms ...mat.Symmetric) (*Matrix, error) {
	n := terms[0].SymmetricDim()
	m := &Matrix{n: n, exps: make([]int, n), terms: terms}
	for _, t := range terms {
		if t.SymmetricDim() != n {
			panic("definite: terms of different orders")
		}
	}
	for i := range n {
		d := m.entry(i, i, 2*exactBits)
		if d.Sign() <= 0 {
			return nil, fmt.Errorf("%w: entry (%d, %d) is %.6g", ErrNotProven, i, i, d)
		}
		m.exps[i] = d.MantExp(nil) >> 1
	}
	return m, nil
}

// Order returns n for an n×n matrix.
func (m *Matrix) Order() int { return m.n }

// exactBits is more than any float64 lies above another.
const exactBits = 2200

// entry returns an entry of the sum, rounded once to prec bits.
func (m *Matrix) entry(i, j int, prec uint) *big.Float {
	if len(m.terms) == 1 {
		return new(big.Float).SetPrec(max(prec, 53)).SetFloat64(m.terms[0].At(i, j))
	}
	exact := new(big.Float).SetPrec(exactBits)
	for _, t := range m.terms {
		if v := t.At(i, j); v != 0 {
			exact.Add(exact, new(big.Float).SetFloat64(v))
		}
	}
	return exact.SetPrec(prec)
}

// scaled returns the terms of H in float64, rows one after another. It is exact but for
// entries below 2⁻¹⁰²² of the diagonal, which lose at most 2⁻¹⁰⁷⁵; ok is false where an
// entry is so large beside its diagonal that the matrix is not positive definite.
func (m *Matrix) scaled() (terms [][]float64, ok bool) {
	for _, t := range m.terms {
		h := make([]float64, m.n*m.n)
		for i := range m.n {
			for j := range m.n {
				v := math.Ldexp(t.At(i, j), -m.exps[i]-m.exps[j])
				if !(math.Abs(v) < 0x1p200) {
					return nil, false
				}
				h[i*m.n+j] = v
			}
		}
		terms = append(terms, h)
	}
	return terms, true
}
