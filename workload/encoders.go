package workload

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

func identity(n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	for i := range n {
		out.Set(i, i, 1)
	}
	return out
}

// tree returns a row for every node of the tree of an arity over n leaves, from the root down: the indicator of its
// leaves. A node with a single child stands for it.
func tree(n, arity int) *mat.Dense {
	var rows [][2]int
	size := 1
	for size < n {
		size *= arity
	}
	for {
		for first := 0; first < n; first += size {
			last := min(first+size, n)
			if size == 1 || last-first > size/arity {
				rows = append(rows, [2]int{first, last})
			}
		}
		if size == 1 {
			break
		}
		size /= arity
	}
	out := mat.NewDense(len(rows), n, nil)
	for i, r := range rows {
		for j := r[0]; j < r[1]; j++ {
			out.Set(i, j, 1)
		}
	}
	return out
}

// best returns the strategy that the bounds of the optimum rest on.
func (s *Strategy) best(ctx context.Context) (*Strategy, error) {
	o, err := LeastError(ctx, s.Workload, s.Recipe.Objective, s.Recipe.Participation, Options{})
	if err != nil {
		return nil, err
	}
	return s.ofMatrix(ctx, o.C)
}

// keepLower sets what stands above the diagonal, which is rounding, to 0.
func keepLower(a *mat.Dense) {
	r, _ := a.Dims()
	for i := range r {
		clear(a.RawRowView(i)[i+1:])
	}
}
