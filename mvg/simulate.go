package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/products"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Simulate returns f(X) + Z for the query's answer fx in float64, by the affine transformation Z = B_Σ N B_Ψᵀ with
// BBᵀ the covariance (Section 6.3.2, Lemma 7). The same source gives the same noise. It is for research only: the
// low bits of such a sum reveal f(X), which Release prevents. It returns an error wrapping evidence.ErrParameter if
// fx has another shape or an entry that is not finite.
func (d *Design) Simulate(fx mat.Matrix, src rand.Source) (*mat.Dense, error) {
	if err := d.checkShape(fx); err != nil {
		return nil, err
	}
	z := mat.NewDense(d.sigma.Order(), d.psi.Order(), nil)
	d.draw(z, fx, src)
	return z, nil
}

// SimulateKronecker returns f(X) + Z with the same law as Simulate, but other draws: Z comes from
// [Design.NoiseKronecker]. It returns the errors of both.
func (d *Design) SimulateKronecker(fx mat.Matrix, src rand.Source) (*mat.Dense, error) {
	if err := d.checkShape(fx); err != nil {
		return nil, err
	}
	z, err := d.NoiseKronecker(src)
	if err != nil {
		return nil, err
	}
	addTo(z, fx)
	return z, nil
}

// addTo adds fx to z.
func addTo(z *mat.Dense, fx mat.Matrix) {
	m, n := z.Dims()
	row := rowOf(fx)
	err := parallel.Chunks(context.Background(), m, 1+rowBlock/n, func(first, last int) error {
		for i := first; i < last; i++ {
			floats.Add(z.RawRowView(i), row(i))
		}
		return nil
	})
	if err != nil {
		panic(err) // a bug: the caller's goroutine can recover it
	}
}

// rowOf returns a function that reads rows of a matrix. Rows must not be changed, and are valid until the next
// call.
func rowOf(a mat.Matrix) func(i int) []float64 {
	if d, ok := a.(mat.RawRowViewer); ok {
		return d.RawRowView
	}
	return func(i int) []float64 { return mat.Row(nil, i, a) }
}

// checkAnswer returns an error unless all entries are finite.
func checkAnswer(x mat.Matrix) error {
	m, n := x.Dims()
	row := rowOf(x)
	return parallel.Chunks(context.Background(), m, 1+rowBlock/max(n, 1), func(first, last int) error {
		for i := first; i < last; i++ {
			for j, v := range row(i) {
				if v-v != 0 { // NaN where v is infinite or NaN
					return parameter.Errorf("x[%d][%d] = %g, want a finite number: no noise can hide it", i, j, v)
				}
			}
		}
		return nil
	})
}

// Noise writes a draw of Z to dst. A dense covariance costs one triangular product, the standard basis none.
// Covariance.DrawError bounds the error of the covariance. It returns an error wrapping evidence.ErrParameter, and
// draws nothing, unless dst has the query's shape.
func (d *Design) Noise(dst *mat.Dense, src rand.Source) error {
	m, n := dst.Dims()
	if m != d.sigma.Order() || n != d.psi.Order() {
		return parameter.Errorf("noise for %d×%d elements, want %d×%d", m, n, d.sigma.Order(), d.psi.Order())
	}
	d.draw(dst, nil, src)
	return nil
}

// draw writes a draw of Z to dst, or fx + Z if fx is not nil.
func (d *Design) draw(dst *mat.Dense, fx mat.Matrix, src rand.Source) {
	m, n := dst.Dims()
	left, right := d.sigma.root(), d.psi.root()
	switch {
	case left == nil && right == nil:
		d.scaled(dst, true, fx, src)
		return
	case right == nil:
		d.scaled(dst, false, nil, src)
		products.MulLower(dst.RawMatrix(), left.RawMatrix(), mat.DenseCopyOf(dst).RawMatrix())
	default: // Zᵀ = B_Ψ (B_Σ N)ᵀ, so that triangular factors are on the left
		z := mat.NewDense(n, m, nil)
		fillRows(z.RawMatrix().Data, n, m, func(int) float64 { return 1 }, nil, src)
		turned := mat.NewDense(n, m, nil)
		products.MulLower(turned.RawMatrix(), right.RawMatrix(), z.RawMatrix())
		if left != nil {
			products.MulLower(dst.RawMatrix(), left.RawMatrix(), mat.DenseCopyOf(turned.T()).RawMatrix())
			break
		}
		for i, v := range d.sigma.diagonal {
			k := math.Sqrt(v)
			for j := range n {
				dst.Set(i, j, k*turned.At(j, i))
			}
		}
	}
	if fx != nil {
		addTo(dst, fx)
	}
}

// scaled fills dst with normals scaled by the standard deviations of rows and columns in the standard basis. It
// leaves out the rows' deviations if a triangular factor follows. If there is nothing more to do, it adds fx row by
// row, while the row is in cache.
func (d *Design) scaled(dst *mat.Dense, rows bool, fx mat.Matrix, src rand.Source) {
	m, n := dst.Dims()
	sd := make([]float64, m)
	for i := range sd {
		if sd[i] = 1; rows {
			sd[i] = math.Sqrt(d.sigma.diagonal[i])
		}
	}
	flat := d.psi.IsIsotropic()
	if flat {
		k := math.Sqrt(d.psi.diagonal[0])
		for i := range sd {
			sd[i] *= k
		}
	}
	out := dst
	if dst.RawMatrix().Stride != n {
		out = mat.NewDense(m, n, nil)
	}
	data := out.RawMatrix().Data
	var then func(i int, z []float64)
	if fx != nil && flat {
		row := rowOf(fx)
		then = func(i int, z []float64) { floats.Add(z, row(i)) }
	}
	fillRows(data, m, n, func(i int) float64 { return sd[i] }, then, src)
	if !flat {
		for j, v := range d.psi.diagonal {
			k := math.Sqrt(v)
			for i := j; i < m*n; i += n {
				data[i] *= k
			}
		}
	}
	if out != dst {
		dst.Copy(out)
	}
	if fx != nil && !flat {
		addTo(dst, fx)
	}
}

// mostKronecker bounds the number of elements whose full covariance is formed.
const mostKronecker = 1 << 12

// NoiseKronecker returns a draw of Z through N(0, Ψ⊗Σ) on the column-stacked vec (Section 6.3.1, Lemma 6), by the
// Cholesky factor of the Kronecker product. It serves to check Noise, which has the same law; its cost grows as
// (mn)³. It returns an error wrapping evidence.ErrParameter beyond mn = 4096.
func (d *Design) NoiseKronecker(src rand.Source) (*mat.Dense, error) {
	m, n := d.sensitivity.Shape()
	if m*n > mostKronecker {
		return nil, parameter.Errorf("a matrix of %d × %d = %d numbers, want at most %d: their covariance has the square of this number of entries", m, n, m*n, mostKronecker)
	}
	var k mat.Dense
	k.Kronecker(d.psi.Matrix(), d.sigma.Matrix())
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Symmetrized(&k)) {
		return nil, fmt.Errorf("%w: Ψ⊗Σ", ErrNotPositiveDefinite)
	}
	var l mat.TriDense
	chol.LTo(&l)
	normal := rand.New(src)
	x := mat.NewVecDense(m*n, nil)
	for i := range m * n {
		x.SetVec(i, normal.NormFloat64())
	}
	x.MulVec(&l, x)
	return mat.DenseCopyOf(mat.NewDense(n, m, x.RawVector().Data).T()), nil
}
