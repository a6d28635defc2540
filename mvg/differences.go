package mvg

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// whitened visits the list: ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F for each.
func (d Differences) whitened(ctx context.Context, sigma, psi Covariance) (bound, error) {
	best := bound{}
	for _, a := range d.list {
		if err := ctx.Err(); err != nil {
			return bound{}, err
		}
		half := mat.NewDense(d.m, d.n, nil)
		col, out := make([]float64, d.m), make([]float64, d.m)
		off := 0.0
		for j := range d.n {
			mat.Col(col, j, a)
			sigma.whiten(out, col)
			half.SetCol(j, out)
			square := dot(out, out)
			off += sigma.whitenError(col, square) * square
		}
		total, rowOff := 0.0, 0.0
		row := make([]float64, d.n)
		for i := range d.m {
			psi.whiten(row, half.RawRowView(i))
			square := dot(row, row)
			rowOff += psi.whitenError(half.RawRowView(i), square) * square
			total += square
		}
		off = off/psi.smallest() + rowOff + float64(d.m*d.n)*unit*total
		k := bound{math.Max(0, total-off), total + off}
		best = bound{math.Max(best.lo, k.lo), math.Max(best.hi, k.hi)}
	}
	return bound{math.Sqrt(best.lo) * (1 - 4*unit), math.Sqrt(best.hi) * (1 + 4*unit)}, nil
}

func (c Covariance) smallest() float64 { return slices.Min(c.variances) }

func sortDescending(v []float64) {
	slices.Sort(v)
	slices.Reverse(v)
}

func sortBy(order []int, before func(a, b int) bool) {
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case before(a, b):
			return -1
		case before(b, a):
			return 1
		}
		return 0
	})
}
