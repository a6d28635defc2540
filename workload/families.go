package workload

import (
	"fmt"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Equal reports whether two workloads are known to have the same matrix.
func Equal(a, b Workload) bool {
	switch a := a.(type) {
	case *Toeplitz:
		b, ok := b.(*Toeplitz)
		return ok && slices.Equal(a.coefficients, b.coefficients)
	case *Matrix:
		b, ok := b.(*Matrix)
		return ok && (a == b || mat.Equal(a.dense, b.dense))
	case *Kronecker:
		b, ok := b.(*Kronecker)
		return ok && Equal(a.A, b.A) && Equal(a.B, b.B)
	}
	return a == b
}

// Ranges returns the workload of all n(n + 1)/2 sums x_i + … + x_j, i ≤ j < n, in the order of i and then j.
func Ranges(n int) (*Matrix, error) {
	name := fmt.Sprintf("ranges(%d)", n)
	if err := parameter.AtLeast("n", n, 1); err != nil {
		return nil, err
	}
	if n > 1<<12 || n*(n+1)/2 > MaxEntries/n {
		return nil, parameter.Bad("n", n, "at most 321, so that the n(n + 1)/2 ranges have at most %d entries", MaxEntries)
	}
	d := mat.NewDense(n*(n+1)/2, n, nil)
	row := 0
	for i := range n {
		for j := i; j < n; j++ {
			for k := i; k <= j; k++ {
				d.Set(row, k, 1)
			}
			row++
		}
	}
	return &Matrix{name, d}, nil
}

// Marginals returns the workload of all marginals of the given order of a table: for each set of that many axes, in
// lexicographic order, the sums over the other axes. Cells of the table are in row-major order.
func Marginals(shape []int, order int) (*Matrix, error) {
	if len(shape) == 0 {
		return nil, parameter.Errorf("shape is empty, want the sizes of the axes")
	}
	cells := 1
	for i, n := range shape {
		if n < 1 || n > MaxEntries/cells {
			return nil, parameter.Bad(fmt.Sprintf("shape[%d]", i), n, "1 or more, and at most %d cells in all", MaxEntries)
		}
		cells *= n
	}
	if order < 0 || order > len(shape) {
		return nil, parameter.Bad("order", order, "0 to %d, the number of axes of the shape", len(shape))
	}
	var sets [][]int
	rows := 0
	var choose func(from int, set []int, size int) error
	choose = func(from int, set []int, size int) error {
		if len(set) == order {
			if rows += size; rows > MaxEntries/cells {
				return parameter.Errorf("the marginals have more than %d entries, want fewer", MaxEntries)
			}
			sets = append(sets, append([]int(nil), set...))
			return nil
		}
		for a := from; a < len(shape); a++ {
			if err := choose(a+1, append(set, a), size*shape[a]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := choose(0, nil, 1); err != nil {
		return nil, err
	}
	d := mat.NewDense(rows, cells, nil)
	first := 0
	for _, set := range sets {
		size := 1
		for cell := range cells {
			at, rest := 0, cell
			index := make([]int, len(shape))
			for a := len(shape) - 1; a >= 0; a-- {
				index[a], rest = rest%shape[a], rest/shape[a]
			}
			size = 1
			for _, a := range set {
				at, size = at*shape[a]+index[a], size*shape[a]
			}
			d.Set(first+at, cell, 1)
		}
		first += size
	}
	text := strings.Join(strings.Fields(fmt.Sprint(shape)), ", ")
	return &Matrix{fmt.Sprintf("marginals(%s, %d)", text, order), d}, nil
}
