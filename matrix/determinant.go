package matrix

import (
	"math"
	"math/big"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// ExactOrder is the order up to which a determinant is computed exactly.
const ExactOrder = 64

// Determinant returns the determinant of a square matrix. Up to order ExactOrder it is the nearest float. Beyond that
// its relative error is about the order times the condition number times 2⁻⁵³. It returns an error if that bound is
// useless, or if the determinant is not 0 but outside the range of floats, where LogDeterminant still works.
func Determinant(a *mat.Dense) (float64, error) {
	d, err := determinant(a)
	if err != nil {
		return 0, err
	}
	v, _ := d.Float64()
	if math.IsInf(v, 0) || v == 0 && d.Sign() != 0 {
		return 0, parameter.Errorf("the determinant, about %.3g, is outside the range of float64: use log_determinant", d)
	}
	return v, nil
}

// LogDeterminant returns the sign of the determinant, −1, 0 or 1, and the logarithm of its absolute value, −inf for 0.
func LogDeterminant(a *mat.Dense) (sign int, log float64, err error) {
	d, err := determinant(a)
	if err != nil {
		return 0, 0, err
	}
	if d.Sign() == 0 {
		return 0, math.Inf(-1), nil
	}
	fraction := new(big.Float)
	exponent := d.MantExp(fraction)
	f, _ := fraction.Float64()
	if f = math.Abs(f); f < math.Sqrt2/2 { // near 1 the two terms below would cancel
		f, exponent = 2*f, exponent-1
	}
	return d.Sign(), float64(float64(exponent)*math.Ln2) + math.Log(f), nil
}

// determinant returns the determinant, without a limit on its size.
func determinant(a *mat.Dense) (*big.Float, error) {
	n, err := square("the matrix", a)
	switch {
	case err != nil:
		return nil, err
	case n <= ExactOrder:
		return exactDeterminant(a, n), nil
	}
	s, err := newSystem(a)
	if err != nil { // singular: square has excluded every other error
		return nil, parameter.Errorf("no digit of the determinant is known: %w", err)
	}
	return s.determinant(), nil
}

// determinant multiplies the pivots in floats with unlimited exponents.
func (s *system) determinant() *big.Float {
	d := new(big.Float).SetPrec(64).SetInt64(1)
	var upper mat.TriDense
	s.lu.UTo(&upper)
	shift := 0
	for i := range s.rows {
		d.Mul(d, big.NewFloat(upper.At(i, i)))
		shift += s.rows[i] + s.columns[i]
	}
	if odd(s.lu.RowPivots(nil)) {
		d.Neg(d)
	}
	return d.SetMantExp(d, shift)
}

// odd reports whether a permutation is odd.
func odd(permutation []int) bool {
	odd, seen := false, make([]bool, len(permutation))
	for i := range permutation {
		for j := i; !seen[j]; j = permutation[j] {
			seen[j] = true
			odd = odd != (permutation[j] != i) // a cycle of length k is k − 1 transpositions
		}
	}
	return odd
}

// exactDeterminant returns the determinant by fraction-free elimination (Bareiss 1968). The entries are multiples of
// powers of two, so it computes with integers and all divisions are exact.
func exactDeterminant(a *mat.Dense, n int) *big.Float {
	rows := make([][]*big.Int, n)
	shift := 0 // the integers' determinant is 2^−shift times that of a
	for i := range rows {
		var e int
		rows[i], e = wholes(a.RawRowView(i))
		shift += e
	}
	negative, last := false, big.NewInt(1)
	for k := range n {
		p := k
		for p < n && rows[p][k].Sign() == 0 {
			p++
		}
		if p == n {
			return new(big.Float)
		}
		if p != k {
			rows[p], rows[k] = rows[k], rows[p]
			negative = !negative
		}
		pivot, t := rows[k][k], new(big.Int)
		for _, row := range rows[k+1:] {
			for j := k + 1; j < n; j++ {
				row[j].Mul(row[j], pivot)
				row[j].Sub(row[j], t.Mul(row[k], rows[k][j]))
				row[j].Quo(row[j], last)
			}
		}
		last = pivot
	}
	d := new(big.Float).SetInt(last) // with as many bits as last
	if negative {
		d.Neg(d)
	}
	return d.SetMantExp(d, shift)
}

// wholes returns integers and an exponent e such that xs = 2^e times the integers.
func wholes(xs []float64) (out []*big.Int, e int) {
	e = math.MaxInt
	for _, x := range xs {
		if x != 0 {
			_, exponent := math.Frexp(x)
			e = min(e, exponent-53)
		}
	}
	out = make([]*big.Int, len(xs))
	for i, x := range xs {
		out[i] = new(big.Int)
		if x != 0 {
			f, exponent := math.Frexp(x)
			out[i].SetInt64(int64(math.Ldexp(f, 53)))
			out[i].Lsh(out[i], uint(exponent-53-e))
		}
	}
	return out, e
}
