package optimize

import (
	"context"
	"math"

	"dpworkbench/internal/lists"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// step is the number of columns processed between polls of the context, and slab the number of rows of a product. At
// 3000 columns, a step takes tenths of a second and a slab hundredths.
const (
	step = 32
	slab = 512
)

// invert returns an approximate inverse of a square matrix, from its LU factors with partial pivoting. It returns
// nil if a pivot is 0 or an entry is not finite. The matrix is overwritten. It replaces mat.Dense.Inverse, which
// cannot be cancelled.
func invert(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	n, _ := a.Dims()
	rows := lists.Of(n, func(i int) int { return i }) // rows of a, in pivoted order
	part := func(m *mat.Dense, i, k, j, l int) blas64.General { return m.Slice(i, k, j, l).(*mat.Dense).RawMatrix() }
	for j := 0; ; j += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(j+step, n)
		pivots := make([]int, end-j)
		if !lapack64.Getrf(part(a, j, n, j, end), pivots) {
			return nil, nil
		}
		for i, p := range pivots {
			if p == i {
				continue
			}
			x, y := a.RawRowView(j+i), a.RawRowView(j+p)
			rows[j+i], rows[j+p] = rows[j+p], rows[j+i]
			blas64.Swap(blas64.Vector{N: j, Data: x, Inc: 1}, blas64.Vector{N: j, Data: y, Inc: 1})
			blas64.Swap(blas64.Vector{N: n - end, Data: x[end:], Inc: 1}, blas64.Vector{N: n - end, Data: y[end:], Inc: 1})
		}
		if end == n {
			break
		}
		lower := triangle(part(a, j, end, j, end), blas.Lower, blas.Unit)
		blas64.Trsm(blas.Left, blas.NoTrans, 1, lower, part(a, j, end, end, n))
		for i := end; i < n; i += slab {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			k := min(i+slab, n)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, part(a, i, k, j, end), part(a, j, end, end, n), 1, part(a, i, k, end, n))
		}
	}
	inverse := mat.NewDense(n, n, nil)
	for i, row := range rows {
		inverse.Set(i, row, 1)
	}
	whole := a.RawMatrix()
	for j := 0; j < n; j += step {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		columns := part(inverse, 0, n, j, min(j+step, n))
		blas64.Trsm(blas.Left, blas.NoTrans, 1, triangle(whole, blas.Lower, blas.Unit), columns)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, triangle(whole, blas.Upper, blas.NonUnit), columns)
	}
	for i := range n {
		for _, v := range inverse.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, nil
			}
		}
	}
	return inverse, nil
}

// triangle views a square matrix as a triangular one.
func triangle(g blas64.General, uplo blas.Uplo, diag blas.Diag) blas64.Triangular {
	return blas64.Triangular{Uplo: uplo, Diag: diag, N: g.Cols, Data: g.Data, Stride: g.Stride}
}
