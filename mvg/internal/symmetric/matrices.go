package symmetric

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Eye returns I of order n.
func Eye(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// Multiple returns vI of order n.
func Multiple(n int, v float64) *mat.SymDense {
	out := mat.NewSymDense(n, nil)
	for i := range n {
		out.SetSym(i, i, v)
	}
	return out
}

// Symmetrized returns (A + Aᵀ)/2 for a square A.
func Symmetrized(a mat.Matrix) *mat.SymDense {
	n, _ := a.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return out
}

// Combine sets dst to ax + by, all of one order; dst may be x or y.
func Combine(dst *mat.SymDense, a float64, x *mat.SymDense, b float64, y *mat.SymDense) {
	for i := range dst.SymmetricDim() {
		for j := i; j < dst.SymmetricDim(); j++ {
			dst.SetSym(i, j, a*x.At(i, j)+b*y.At(i, j))
		}
	}
}

// Turn returns WᵀAW, of order m for an n×m matrix W.
func Turn(a *mat.SymDense, w *mat.Dense) *mat.SymDense {
	var out mat.Dense
	out.Product(w.T(), a, w)
	return Symmetrized(&out)
}

// RandomBasis returns an orthonormal basis of order n, as columns: the Q of the QR
// decomposition of a matrix of standard normal draws.
func RandomBasis(n int, src rand.Source) *mat.Dense {
	rng := rand.New(src)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var f mat.QR
	f.Factorize(a)
	var out mat.Dense
	f.QTo(&out)
	return &out
}
