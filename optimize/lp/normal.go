package lp

import (
	"context"
	"math"

	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/gonum"
)

var (
	dense  blasgonum.Implementation
	lapack gonum.Implementation
)

// factor is the block LDLᵀ factorisation of a block's normal matrix, scaled by the variables: M̂ = diag(p) (AᵀDA +
// q/p) diag(p), D = z/s. It is a symmetric positive definite matrix without positive off-diagonal entries.
//
// The diagonal of M̂ is represented by the row sums e = M̂1. If many constraints are tight, M̂ has entries near 1/µ
// and, along the ray of each tight component, a curvature near µ, which a float64 diagonal cannot represent. But Ap
// = s makes e = p∘(Aᵀz + q), numbers of the size of the objective. Elimination updates e (the method of Grassmann,
// Taksar and Heyman 1985, by blocks): the complement of a pivot P with B to its right has row sums e₂ − BᵀP⁻¹e₁.
//
// Per level it holds the Cholesky factor of the pivot (upper) and the rectangle P⁻¹B.
type factor struct {
	*block
	a      []float64
	excess []float64 // e
	carry  []float64
}

// pivot replaces the matrix, given by its entries above the diagonal and its row sums, by its Cholesky factor U
// (upper). It overwrites the sums.
func pivot(n int, a, sum []float64) {
	for k := range n {
		row := a[k*n : (k+1)*n]
		off := 0.0
		for _, v := range row[k+1:] {
			off -= v
		}
		d := off + sum[k]
		if floor := 0x1p-50 * (off + math.Abs(sum[k])); !(d > floor) {
			d = math.Max(floor, 1e-300) // the pivot is lost to rounding
		}
		for i := k + 1; i < n; i++ {
			f := row[i] / d
			if f == 0 {
				continue
			}
			sum[i] -= f * sum[k]
			below := a[i*n : (i+1)*n]
			for j := i + 1; j < n; j++ {
				below[j] -= f * row[j]
			}
		}
		root := math.Sqrt(d)
		row[k] = root
		for j := k + 1; j < n; j++ {
			row[j] /= root
		}
	}
}

// eliminate factors the matrix whose entries f.a and row sums f.excess hold.
func (f *factor) eliminate() {
	for l := range f.diag {
		n := f.width(l)
		square := f.a[f.diag[l] : f.diag[l]+n*n]
		sum := append(f.carry[:0], f.excess[f.level[l]:f.level[l+1]]...)
		f.carry = sum
		if l+1 == len(f.diag) {
			pivot(n, square, sum)
			return
		}
		m := f.width(l + 1)
		next := f.a[f.next[l] : f.next[l]+n*m]
		for i := range n {
			for _, v := range next[i*m : (i+1)*m] {
				sum[i] -= v
			}
		}
		pivot(n, square, sum)
		// next ← Uᵀ⁻¹B; following pivot −= nextᵀ next; next ← U⁻¹ next = P⁻¹B.
		forward(n, m, square, next)
		lessSquare(m, n, f.a[f.diag[l+1]:f.diag[l+1]+m*m], next, m)
		dense.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n, m, 1, square, n, next, m)
		dense.Dgemv(blas.Trans, n, m, -1, next, m, f.excess[f.level[l]:f.level[l+1]], 1, 1, f.excess[f.level[l+1]:f.level[l+2]], 1)
	}
}

// cholesky replaces the upper triangle a (n × n) by its factor, after raising the diagonal if necessary. It returns
// false if no shift smaller than the matrix suffices, or ctx ended.
func cholesky(ctx context.Context, n int, a []float64) bool {
	backup := append([]float64(nil), a...)
	for extra := 1e-15; extra < 1 && ctx.Err() == nil; extra *= 100 {
		if panels(ctx, n, a) {
			return true
		}
		copy(a, backup)
		for i := range n {
			a[i*n+i] += extra * math.Abs(a[i*n+i])
		}
	}
	return false
}

// panelWidth is the number of rows that panels factors between polls of the context.
const panelWidth = 128

// panels computes the Cholesky factorisation by panels of rows. Nearly all of its work is matrix products, which use
// all cores.
func panels(ctx context.Context, n int, a []float64) bool {
	for k := 0; ; k += panelWidth {
		if ctx.Err() != nil {
			return false
		}
		w := min(panelWidth, n-k)
		pivot := a[k*n+k:]
		if !lapack.Dpotrf(blas.Upper, w, pivot, n) {
			return false
		}
		if k+w == n {
			return true
		}
		right := a[k*n+k+w:]
		dense.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, w, n-k-w, 1, pivot, n, right, n)
		lessSquare(n-k-w, w, a[(k+w)*(n+1):], right, n)
	}
}

// solvedRows is the number of rows that forward solves directly before it updates the remaining ones by a matrix
// product.
const solvedRows = 32

// forward replaces b (n × m) by Uᵀ⁻¹b, U being upper triangular of order n.
func forward(n, m int, u, b []float64) {
	for k := 0; k < n; k += solvedRows {
		w := min(solvedRows, n-k)
		dense.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, w, m, 1, u[k*n+k:], n, b[k*m:], m)
		if below := n - k - w; below > 0 {
			products.Add(view(b, k+w, 0, m, below, m), -1, blas.Trans, view(u, k, k+w, n, w, below), view(b, k, 0, m, w, m))
		}
	}
}

// lessSquare subtracts bᵀb from the upper triangle of c, of order n; b has the given number of rows. The rows of
// both are stride numbers apart. Entries below the diagonal are undefined.
func lessSquare(n, rows int, c, b []float64, stride int) {
	for j := 0; j < n; j += panelWidth {
		wide := min(panelWidth, n-j)
		products.Add(view(c, j, j, stride, wide, n-j), -1, blas.Trans, view(b, 0, j, stride, rows, wide), view(b, 0, j, stride, rows, n-j))
	}
}

// view returns the submatrix of a matrix with n columns from (i, j) on.
func view(a []float64, i, j, n, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: n, Data: a[i*n+j:]}
}

func (b *block) width(l int) int { return b.level[l+1] - b.level[l] }

// solve replaces x by M̂⁻¹x.
func (f *factor) solve(x []float64) {
	levels := len(f.diag)
	for l := range levels {
		n := f.width(l)
		here := x[f.level[l]:f.level[l+1]]
		if l > 0 {
			m := f.width(l - 1)
			rect := f.a[f.next[l-1] : f.next[l-1]+m*n]
			dense.Dgemv(blas.Trans, m, n, -1, rect, n, x[f.level[l-1]:f.level[l]], 1, 1, here, 1)
		}
	}
	for l := levels - 1; l >= 0; l-- {
		n := f.width(l)
		here := x[f.level[l]:f.level[l+1]]
		pivot := f.a[f.diag[l] : f.diag[l]+n*n]
		lapackSolve(n, pivot, here)
		if l+1 < levels {
			m := f.width(l + 1)
			rect := f.a[f.next[l] : f.next[l]+n*m]
			dense.Dgemv(blas.NoTrans, n, m, -1, rect, m, x[f.level[l+1]:f.level[l+2]], 1, 1, here, 1)
		}
	}
}

// inverse writes the upper triangle of M̂⁻¹ to z (n × n), level by level from the last. With R = pivot⁻¹ next, the
// row of blocks above Z is −R Z, and the diagonal block pivot⁻¹ − Z_{l,l+1} Rᵀ. No sum cancels, because M̂⁻¹ has no
// negative entry.
func (f *factor) inverse(z []float64) {
	n := f.n
	for l := len(f.diag) - 1; l >= 0; l-- {
		at, w := f.level[l], f.width(l)
		d := z[at*n+at:]
		for i := range w {
			copy(d[i*n:i*n+w], f.a[f.diag[l]+i*w:f.diag[l]+(i+1)*w])
		}
		lapack.Dpotri(blas.Upper, w, d, n)
		if l+1 < len(f.diag) {
			to, m := f.level[l+1], f.width(l+1)
			rect := f.a[f.next[l] : f.next[l]+w*m]
			rest := n - to
			out := view(z, at, to, n, w, rest)
			for i := range w {
				clear(out.Data[i*n : i*n+rest])
			}
			products.Add(out, -1, blas.NoTrans, view(rect, 0, 0, m, w, m), view(z, to, to, n, m, rest))
			lessOuter(w, m, d, out.Data, n, rect)
		}
		for i := range w { // the level above needs the whole diagonal block
			for j := range i {
				d[i*n+j] = d[j*n+i]
			}
		}
	}
}

// lessOuter subtracts a·bᵀ (w × m by m × w) from the upper triangle of d. Entries below the diagonal are undefined.
// Long sums are computed 64 terms at a time.
func lessOuter(w, m int, d, a []float64, stride int, b []float64) {
	terms := m
	if w > 64 {
		terms = 64
	}
	for i := 0; i < w; i += solvedRows {
		rows := min(solvedRows, w-i)
		for k := 0; k < m; k += terms {
			dense.Dgemm(blas.NoTrans, blas.Trans, rows, w-i, min(terms, m-k), -1, a[i*stride+k:], stride, b[i*m+k:], m, 1, d[i*(stride+1):], stride)
		}
	}
}
