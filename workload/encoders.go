package workload

import (
	"context"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

func identity(n int) *mat.Dense {
	out := mat.NewDense(n, n, nil)
	for i := range n {
		out.Set(i, i, 1)
	}
	return out
}

// tree returns the matrix of the tree of the given arity over n leaves. Each row is a node, from the root down, and has
// 1 for the leaves below that node. A node with a single child is omitted, because its child has the same row.
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

// FromOptimum returns the strategy "optimal" that attains the upper end of o, where o is the LeastError of w for the
// objective and participation of r. It returns an error wrapping evidence.ErrParameter if o lacks a factorisation of w
// or of one of its Kronecker factors.
func FromOptimum(ctx context.Context, w Workload, o Optimum, r StrategyParams) (*Strategy, error) {
	if err := r.Check(w, optimal); err != nil {
		return nil, err
	}
	rest := o.Factors
	if rest == nil {
		rest = []Optimum{o}
	}
	var of func(w Workload) (*Strategy, error)
	of = func(w Workload) (*Strategy, error) {
		if k, ok := w.(*Kronecker); ok && r.Participation.Kind == Once {
			return newProduct(k, optimal, r, of)
		}
		if len(rest) == 0 || rest[0].C == nil {
			return nil, parameter.Errorf("the optimum has no factors for %s, want the optimum of that workload", w.Name())
		}
		c := rest[0].C
		rest = rest[1:]
		s := &Strategy{Name: optimal, Workload: w, Params: r, Memory: -1, Steps: -1}
		return s.ofMatrix(ctx, c)
	}
	return of(w)
}

// keepLower sets the entries above the diagonal, which are rounding errors, to 0.
func keepLower(a *mat.Dense) {
	r, _ := a.Dims()
	for i := range r {
		clear(a.RawRowView(i)[i+1:])
	}
}
