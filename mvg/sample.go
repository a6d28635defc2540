package mvg

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mat"
)

// Sample returns f(X) + Z for the query's answer fx, by the affine transformation
// Z = B_Σ N B_Ψᵀ with B = W diag(√variances) (Section 6.3.2, Lemma 7). The same
// source gives the same noise. It returns an error wrapping
// evidence.ErrParameter where fx has another shape.
func (d *Design) Sample(fx mat.Matrix, src rand.Source) (*mat.Dense, error) {
	m, n := d.sensitivity.Shape()
	if r, c := fx.Dims(); r != m || c != n {
		return nil, fmt.Errorf("%w: f(X) is %d×%d, want %d×%d", evidence.ErrParameter, r, c, m, n)
	}
	z := mat.NewDense(m, n, nil)
	d.Noise(z, src)
	z.Add(z, fx)
	return z, nil
}

// Noise writes a draw of Z to dst, which must have the query's shape. An
// orthonormal factor costs one product; the standard basis costs none.
func (d *Design) Noise(dst *mat.Dense, src rand.Source) {
	m, n := dst.Dims()
	if m != d.sigma.Order() || n != d.psi.Order() {
		panic("mvg: shape of the noise")
	}
	data := dst.RawMatrix()
	if data.Stride != n {
		panic("mvg: noise wants a whole matrix, not a slice of one")
	}
	rows := make([]float64, m)
	for i, v := range d.sigma.variances {
		rows[i] = math.Sqrt(v)
	}
	flat := d.psi.IsIsotropic() // then WψWψᵀ = I leaves the law alone
	if flat {
		k := math.Sqrt(d.psi.variances[0])
		for i := range rows {
			rows[i] *= k
		}
	}
	fillRows(data.Data, m, n, func(i int) float64 { return rows[i] }, src)
	if !flat {
		columns := make([]float64, n)
		for j, v := range d.psi.variances {
			columns[j] = math.Sqrt(v)
		}
		for i := range m {
			row := data.Data[i*n : (i+1)*n]
			for j, k := range columns {
				row[j] *= k
			}
		}
		if d.psi.directions != nil {
			var out mat.Dense
			out.Mul(dst, d.psi.directions.T())
			dst.Copy(&out)
		}
	}
	if d.sigma.directions != nil {
		var out mat.Dense
		out.Mul(d.sigma.directions, dst)
		dst.Copy(&out)
	}
}

// KroneckerNoise returns a draw of Z through N(0, Ψ⊗Σ) on the column-stacked vec
// (Section 6.3.1, Lemma 6), by the Cholesky factor of the Kronecker product. It
// is there to check Noise: same law, for mn up to a few thousand.
func (d *Design) KroneckerNoise(src rand.Source) (*mat.Dense, error) {
	m, n := d.sensitivity.Shape()
	var k mat.Dense
	k.Kronecker(d.psi.Matrix(), d.sigma.Matrix())
	s := mat.NewSymDense(m*n, nil)
	for i := range m * n {
		for j := i; j < m*n; j++ {
			s.SetSym(i, j, k.At(i, j))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(s) {
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
	z := mat.NewDense(m, n, nil)
	for j := range n {
		for i := range m {
			z.Set(i, j, x.AtVec(j*m+i))
		}
	}
	return z, nil
}
