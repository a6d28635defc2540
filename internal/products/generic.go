//go:build !amd64

package products

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func add(c blas64.General, alpha float64, ta blas.Transpose, a, b blas64.General, s shape) {
	plain(c, alpha, ta, a, b, s)
}
