// Package workload implements the matrix mechanism for linear workloads. A workload W is a matrix; Wx are the
// requested answers about a vector x. A strategy factors it, W = BC. The mechanism adds Gaussian noise to Cx and
// multiplies by B, so the noise of the answers has covariance proportional to BBᵀ. At sensitivity 1 and noise of
// standard deviation 1, the error of the answers is the largest row norm of B (Max), or the root of the mean squared
// row norm (Mean).
//
// LeastError encloses the least error of all strategies. Sensitivity bounds how far one person moves Cx by taking part
// in several steps of a stream.
package workload

import (
	"fmt"
	"math"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// MaxEntries bounds the number of entries of a workload as a dense matrix.
const MaxEntries = 1 << 24

// Workload is a linear query, a matrix with a row for each answer. Its entries are exactly the given float64s. It is
// immutable.
type Workload interface {
	// Name returns a short description: "prefix_sums(64)".
	Name() string
	// Dims returns the numbers of answers and of coordinates of x.
	Dims() (rows, columns int)
	// Dense returns the matrix, which the caller may not change. It returns an error wrapping evidence.ErrParameter
	// if the matrix has more than MaxEntries entries.
	Dense() (*mat.Dense, error)
}

// Matrix is a workload without known structure.
type Matrix struct {
	name  string
	dense *mat.Dense
}

// NewMatrix returns a copy of m as a workload. It returns an error wrapping evidence.ErrParameter unless all entries
// are finite, some entry is not 0, and there are at most MaxEntries of them.
func NewMatrix(name string, m *mat.Dense) (*Matrix, error) {
	if m == nil || m.IsEmpty() {
		return nil, parameter.Errorf("%s has no entries, want at least one row and one column", name)
	}
	r, c := m.Dims()
	if r > MaxEntries/c {
		return nil, parameter.Errorf("%s has %d × %d entries, want at most %d", name, r, c, MaxEntries)
	}
	zero := true
	for i := range r {
		for j := range c {
			v := m.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, parameter.Bad(fmt.Sprintf("%s[%d][%d]", name, i, j), v, "a finite number")
			}
			zero = zero && v == 0
		}
	}
	if zero {
		return nil, parameter.Errorf("every entry of %s is 0, want at least one that is not 0", name)
	}
	return &Matrix{name, mat.DenseCopyOf(m)}, nil
}

// Name implements Workload.
func (w *Matrix) Name() string { return w.name }

// Dims implements Workload.
func (w *Matrix) Dims() (rows, columns int) { return w.dense.Dims() }

// Dense implements Workload.
func (w *Matrix) Dense() (*mat.Dense, error) { return w.dense, nil }

// Toeplitz is a square lower triangular workload whose entry (i, j) depends on i − j alone: the answer of step i of a
// stream is Σ_k w_k x_{i−k}.
type Toeplitz struct {
	name         string
	coefficients []float64
}

// NewToeplitz returns the workload with the given first column. It returns an error wrapping evidence.ErrParameter
// unless the coefficients are finite and the first is not 0.
func NewToeplitz(name string, coefficients []float64) (*Toeplitz, error) {
	if len(coefficients) == 0 {
		return nil, parameter.Errorf("%s has no coefficients, want at least one", name)
	}
	for i, v := range coefficients {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, parameter.Bad(fmt.Sprintf("coefficients[%d]", i), v, "a finite number")
		}
	}
	if coefficients[0] == 0 {
		return nil, parameter.Bad("coefficients[0]", 0.0, "a number other than 0")
	}
	return &Toeplitz{name, append([]float64(nil), coefficients...)}, nil
}

// PrefixSums returns the workload of all sums x_0 + … + x_i, i < n.
func PrefixSums(n int) (*Toeplitz, error) {
	if err := parameter.AtLeast("n", n, 1); err != nil {
		return nil, err
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	return NewToeplitz(fmt.Sprintf("prefix_sums(%d)", n), ones)
}

// Name implements Workload.
func (w *Toeplitz) Name() string { return w.name }

// Dims implements Workload.
func (w *Toeplitz) Dims() (rows, columns int) { return len(w.coefficients), len(w.coefficients) }

// Coefficients returns the first column, which the caller may not change.
func (w *Toeplitz) Coefficients() []float64 { return w.coefficients }

// Dense implements Workload.
func (w *Toeplitz) Dense() (*mat.Dense, error) {
	n := len(w.coefficients)
	if n > MaxEntries/n {
		return nil, tooLarge(w)
	}
	d := mat.NewDense(n, n, nil)
	for i := range n {
		row := d.RawRowView(i)
		for j := range i + 1 {
			row[j] = w.coefficients[i-j]
		}
	}
	return d, nil
}

// Kronecker is the Kronecker product A ⊗ B of two workloads: row i·(rows of B) + k is row i of A along the first axis
// of a table and row k of B along the second.
type Kronecker struct {
	name string
	A, B Workload
}

// NewKronecker returns A ⊗ B.
func NewKronecker(a, b Workload) (*Kronecker, error) {
	if a == nil || b == nil {
		return nil, parameter.Errorf("a or b is nil, want two workloads")
	}
	w := &Kronecker{fmt.Sprintf("kron(%s, %s)", a.Name(), b.Name()), a, b}
	ar, ac := a.Dims()
	br, bc := b.Dims()
	if ar > math.MaxInt/br || ac > math.MaxInt/bc {
		return nil, parameter.Errorf("%s has more than 2^63 − 1 rows or columns, want fewer", w.name)
	}
	return w, nil
}

// Name implements Workload.
func (w *Kronecker) Name() string { return w.name }

// Dims implements Workload.
func (w *Kronecker) Dims() (rows, columns int) {
	ar, ac := w.A.Dims()
	br, bc := w.B.Dims()
	return ar * br, ac * bc
}

// Dense implements Workload. Its entries are rounded products of entries of the factors; Optimum works with the
// factors instead.
func (w *Kronecker) Dense() (*mat.Dense, error) {
	if r, c := w.Dims(); r > MaxEntries/c {
		return nil, tooLarge(w)
	}
	a, err := w.A.Dense()
	if err != nil {
		return nil, err
	}
	b, err := w.B.Dense()
	if err != nil {
		return nil, err
	}
	var d mat.Dense
	d.Kronecker(a, b)
	return &d, nil
}

func tooLarge(w Workload) error {
	r, c := w.Dims()
	return parameter.Errorf("%s has %d × %d entries, want at most %d", w.Name(), r, c, MaxEntries)
}
