package matrix

import (
	"math"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/mat"
)

// Operation is an arithmetic operation on two entries.
type Operation int

// The four operations.
const (
	Add Operation = iota
	Subtract
	Multiply
	Divide
)

// Operand is an operand of an entrywise operation: a matrix, or if that is nil one number for all entries.
type Operand struct {
	Matrix *mat.Dense
	Number float64
}

func (o Operand) at(i, j int) float64 {
	if o.Matrix == nil {
		return o.Number
	}
	return o.Matrix.At(i, j)
}

// Entrywise returns a op b, entry by entry. Infinite entries follow float arithmetic. It returns an error wrapping
// parameter.Err if neither operand is a matrix, two matrices differ in shape, a divisor is 0, or an entry would be NaN,
// as in inf − inf.
func Entrywise(op Operation, a, b Operand) (*mat.Dense, error) {
	shaped := a.Matrix
	if shaped == nil {
		shaped = b.Matrix
	}
	if shaped == nil || shaped.IsEmpty() {
		return nil, parameter.Errorf("a matrix is empty, want at least one row and one column")
	}
	m, n := shaped.Dims()
	if a.Matrix != nil && b.Matrix != nil {
		if k, l := b.Matrix.Dims(); k != m || l != n {
			return nil, parameter.Errorf("the matrices are %d x %d and %d x %d, want the same shape: the operation is entrywise, and dot multiplies matrices", m, n, k, l)
		}
	}
	out := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			x, y := a.at(i, j), b.at(i, j)
			var z float64
			switch op {
			case Add:
				z = x + y
			case Subtract:
				z = x - y
			case Multiply:
				z = x * y
			case Divide:
				if y == 0 {
					return nil, parameter.Errorf("division by zero in row %d, column %d", i, j)
				}
				z = x / y
			default:
				return nil, parameter.Errorf("op = %d, want Add, Subtract, Multiply or Divide", op)
			}
			if math.IsNaN(z) {
				return nil, parameter.Errorf("the result in row %d, column %d is not a number: it is computed from %s and %s", i, j, spell(x), spell(y))
			}
			out.Set(i, j, z)
		}
	}
	return out, nil
}

// Product returns the product of two matrices. With n the number of columns of a, the error of an entry is at most
// n·2⁻⁵³/(1 − n·2⁻⁵³) times the same entry of |a|·|b|. b must have as many rows as a has columns.
func Product(a, b *mat.Dense) (*mat.Dense, error) {
	if err := finite("the matrix", a); err != nil {
		return nil, err
	}
	if err := finite("b", b); err != nil {
		return nil, err
	}
	m, n := a.Dims()
	k, l := b.Dims()
	if k != n {
		return nil, parameter.Errorf("b is %d x %d, want %d rows, one for each column of the %d x %d matrix", k, l, n, m, n)
	}
	out := mat.NewDense(m, l, nil)
	products.Mul(out.RawMatrix(), a.RawMatrix(), b.RawMatrix())
	return inRange(out)
}
