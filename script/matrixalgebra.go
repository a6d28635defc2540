package script

import (
	"fmt"
	"slices"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"gonum.org/v1/gonum/mat"
)

// denseRows copies rows to the type that package matrix takes. It returns an error for an empty matrix.
func denseRows(rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, parameter.Errorf("the matrix is empty, want at least one row and one column")
	}
	m, n := len(rows), len(rows[0])
	if err := memory.Need(fmt.Sprintf("a matrix of %d x %d floats", m, n), 40*float64(m)*float64(n)); err != nil {
		return nil, err
	}
	return mat.NewDense(m, n, slices.Concat(rows...)), nil
}

// dense returns a copy of the matrix as the type that package matrix takes, or ends the call with the error of
// denseRows.
func (m *Matrix) dense() *mat.Dense {
	a, err := denseRows(m.rows)
	if err != nil {
		Refuse(err)
	}
	return a
}

// operations maps operators to entrywise operations of package matrix.
var operations = map[syntax.Token]matrix.Operation{
	syntax.PLUS: matrix.Add, syntax.MINUS: matrix.Subtract, syntax.STAR: matrix.Multiply, syntax.SLASH: matrix.Divide,
}

// Binary implements starlark.HasBinary: entry by entry, with a number, a matrix or a list of
// rows.
func (m *Matrix) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	operation, ok := operations[op]
	if !ok {
		return nil, nil
	}
	var b matrix.Operand
	names := m.names
	switch y := other.(type) {
	case *Matrix:
		var err error
		if b.Matrix, err = denseRows(y.rows); err != nil {
			return nil, err
		}
		if names == nil {
			names = y.names
		}
	case *starlark.List, starlark.Tuple:
		rows, ok := numbersIn(y)
		if !ok {
			return nil, fmt.Errorf("matrix %s %s: want a number, a matrix or a list of rows; m.dot(b) multiplies with a list of numbers", op, other.Type())
		}
		var err error
		if b.Matrix, err = denseRows(rows); err != nil {
			return nil, err
		}
	default:
		if b.Number, ok = NearestFloat(other); !ok {
			return nil, nil
		}
	}
	own, err := denseRows(m.rows)
	if err != nil {
		return nil, err
	}
	a := matrix.Operand{Matrix: own}
	if side == starlark.Right {
		a, b = b, a
	}
	out, err := matrix.Entrywise(operation, a, b)
	if err != nil {
		return nil, fmt.Errorf("matrix %s: %w", op, err)
	}
	return matrixFrom(out).WithNames(names), nil
}

// numbersIn reads a list of rows of equal length. ok is false for any other value.
func numbersIn(v starlark.Value) (rows [][]float64, ok bool) {
	all, _ := Elements(v)
	for _, v := range all {
		items, ok := Elements(v)
		if !ok {
			return nil, false
		}
		row := make([]float64, len(items))
		for j, x := range items {
			if row[j], ok = NearestFloat(x); !ok {
				return nil, false
			}
		}
		if len(rows) > 0 && len(row) != len(rows[0]) {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, true
}

// Unary implements starlark.HasUnary.
func (m *Matrix) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return NewMatrix(each(m.rows, func(row []float64) []float64 { return each(row, func(x float64) float64 { return -x }) })).WithNames(m.names), nil
	case syntax.PLUS:
		return m, nil
	}
	return nil, nil
}

// matrixAlgebra returns the methods for linear algebra; see package matrix.
func matrixAlgebra() []Attr[*Matrix] {
	return []Attr[*Matrix]{
		Get("t -> matrix", "The transpose, without names.", matrixSetup+"print(m.t)", func(m *Matrix) any {
			rows := make([][]float64, m.cols)
			for j := range rows {
				rows[j] = each(m.rows, func(row []float64) float64 { return row[j] })
			}
			return NewMatrix(rows)
		}),
		Do("dot(b: matrix|numbers) -> matrix|list", "The product with a matrix that has as many rows as this one has columns, or with a list of as many numbers, which gives a list. The error of an entry is at most the number of columns times 2^-53 times the sum of the absolute values of its products.", "([1, 10])",
			func(c *Call, m *Matrix) (any, error) { return m.applied(c, matrix.Product) }),
		Do("solve(b: matrix|numbers) -> matrix|list", "x with m.dot(x) == b, for a square matrix of order at most 1024 and a matrix b with as many rows, or a list of as many numbers, which gives a list. The solution is refined with residuals in double-double arithmetic. The error of an entry is about one unit in its last place for the floats in m and b. For an entry much smaller than the largest it is at most 2^-104 of the largest times the condition number after scaling rows and columns. A matrix that is singular, or has a condition number above 2^52 after scaling, is an error.", "([1, 10])",
			func(c *Call, m *Matrix) (any, error) {
				return m.applied(c, func(a, b *mat.Dense) (*mat.Dense, error) { return matrix.Solve(c.Context, a, b) })
			}),
		Do("inverse() -> matrix", "The inverse of a square matrix of order at most 1024, with the accuracy of solve. The same matrices are errors.", "()",
			func(c *Call, m *Matrix) (any, error) { return matrix.Inverse(c.Context, m.dense()) }),
		Do("determinant() -> number", "The determinant of a square matrix: exact and rounded once up to order 64; beyond that with a relative error of about the order times the condition number times 2^-53. A nonzero determinant outside the range of floats is an error; log_determinant computes it.", "()",
			func(_ *Call, m *Matrix) (any, error) { return matrix.Determinant(m.dense()) }),
		Do("log_determinant() -> tuple", "The sign of the determinant, -1, 0 or 1, and the natural logarithm of its absolute value, -inf if it is 0: a tuple, for determinants of any size.", "()",
			func(_ *Call, m *Matrix) (any, error) {
				sign, log, err := matrix.LogDeterminant(m.dense())
				return Tuple{sign, log}, err
			}),
		Do("trace() -> number", "The sum of the diagonal of a square matrix.", "()",
			func(_ *Call, m *Matrix) (any, error) { return matrix.Trace(m.dense()) }),
		Do("eigen() -> tuple", "The eigenvalues of a square matrix of order at most 1024, in decreasing order, and its eigenvectors as the columns of a matrix: a tuple (values, vectors). Vectors have length 1 and a positive largest entry. For a symmetric matrix the vectors are orthonormal, and the error of an eigenvalue is a few units in the last place of the largest. For other matrices the accuracy depends on their conditioning. A matrix with complex eigenvalues is an error; spectrum computes them.", "values, vectors = matrix([[2, 0], [0, 3]]).eigen()\nprint(values, vectors)",
			func(_ *Call, m *Matrix) (any, error) {
				values, vectors, err := matrix.Decompose(m.dense())
				if err != nil {
					return nil, err
				}
				return Tuple{values, matrixFrom(vectors)}, nil
			}),
		Do("spectrum() -> list", "All eigenvalues of a square matrix of order at most 1024 as a list of pairs (real part, imaginary part), in decreasing order of the real part. Multiple eigenvalues are repeated.", "matrix([[0, -1], [1, 0]]).spectrum()",
			func(_ *Call, m *Matrix) (any, error) {
				values, err := matrix.Spectrum(m.dense())
				return Each(values, func(v complex128) any { return Tuple{real(v), imag(v)} }), err
			}),
		Do("svd() -> tuple", "The singular value decomposition of a matrix whose smaller side is at most 1024: a tuple (u, values, v) with m = u.dot(diagonal matrix of the values).dot(v.t). values is a list of min(rows, columns) numbers in decreasing order, each with an error of a few units in the last place of the largest. The columns of u and v are orthonormal, and the largest entry of each column of u is positive.", "u, values, v = matrix([[0, 2], [1, 0]]).svd()\nprint(values, u, v)",
			func(_ *Call, m *Matrix) (any, error) {
				u, values, v, err := matrix.Singular(m.dense())
				if err != nil {
					return nil, err
				}
				return Tuple{matrixFrom(u), values, matrixFrom(v)}, nil
			}),
		Do(`norm(kind: "frobenius"|"spectral"|"nuclear"|"one"|"infinity"|"max"="frobenius") -> number`, `A norm: "frobenius", the root of the sum of squares; "spectral", the largest singular value; "nuclear", the sum of the singular values; "one" and "infinity", the largest sum of absolute values in a column and in a row; "max", the largest absolute value.`, `("one")`,
			func(c *Call, m *Matrix) (any, error) { return matrix.Norm(m.dense(), c.Text("kind")) }),
		Do("rank(tolerance: number=0) -> int", "The number of singular values above tolerance times the largest, 0 ≤ tolerance < 1. 0 means max(rows, columns) times 2^-52.", "()",
			func(c *Call, m *Matrix) (any, error) { return matrix.Rank(m.dense(), c.Float("tolerance")) }),
		Do("condition() -> number", "The condition number, the largest singular value divided by the smallest; inf if that is 0. Above 2^52 it only shows that the condition is large.", "matrix([[2, 0], [0, 8]]).condition()",
			func(_ *Call, m *Matrix) (any, error) { return matrix.Condition(m.dense()) }),
	}
}

// applied returns f(m, b) for the call's argument b. If b is a list of numbers, it is taken as one column, and the
// result is a list.
func (m *Matrix) applied(c *Call, f func(a, b *mat.Dense) (*mat.Dense, error)) (any, error) {
	if xs, ok := c.Arg("b").([]float64); ok {
		b := &mat.Dense{}
		if len(xs) > 0 {
			b = mat.NewDense(len(xs), 1, xs)
		}
		out, err := f(m.dense(), b)
		if err != nil {
			return nil, err
		}
		return mat.Col(nil, 0, out), nil
	}
	b, err := denseRows(c.Rows("b"))
	if err != nil {
		return nil, err
	}
	return f(m.dense(), b)
}
