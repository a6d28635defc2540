// Package products multiplies dense matrices:
//
//	c_ij + (αa_i0 b_0j) + (αa_i1 b_1j) + …,
//
// from the left, every product and every sum rounded. So the result has the same bytes as gonum's on amd64,
// regardless of the number of processors. A BLAS with fused operations or another order of summation is no faster
// on a processor that multiplies and adds in parallel.
package products

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Mul sets c to a·b. All entries must be finite, in all three functions, and c must not share memory with a or b. They
// panic if shapes do not match.
func Mul(c, a, b blas64.General) {
	reset(c)
	add(c, 1, blas.NoTrans, a, b, whole)
}

// MulLower is Mul for an a whose entries above the diagonal are 0. It takes half the time.
func MulLower(c, a, b blas64.General) {
	reset(c)
	add(c, 1, blas.NoTrans, a, b, lower)
}

// Add adds α·a·b to c, or α·aᵀ·b if ta is blas.Trans.
func Add(c blas64.General, alpha float64, ta blas.Transpose, a, b blas64.General) {
	add(c, alpha, ta, a, b, whole)
}

// shape tells where a can have nonzero entries.
type shape bool

const (
	whole shape = false
	lower shape = true
)

func reset(c blas64.General) {
	for i := range c.Rows {
		clear(c.Data[i*c.Stride : i*c.Stride+c.Cols])
	}
}

// plain does what add does, with the BLAS implementation in use. If a is lower triangular, it multiplies blocks of
// rows.
func plain(c blas64.General, alpha float64, ta blas.Transpose, a, b blas64.General, s shape) {
	if s == whole {
		blas64.Gemm(ta, blas.NoTrans, alpha, a, b, 1, c)
		return
	}
	const block = 256
	for i := 0; i < c.Rows; i += block {
		rows := min(block, c.Rows-i)
		depth := min(i+rows, b.Rows)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, alpha, part(a, i, rows, depth), part(b, 0, depth, b.Cols), 1, part(c, i, rows, c.Cols))
	}
}

// part returns the given number of rows of a, from row first on, with their first columns.
func part(a blas64.General, first, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: a.Stride, Data: a.Data[first*a.Stride:]}
}
