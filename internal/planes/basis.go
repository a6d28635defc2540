package planes

import (
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

func columns(z *mat.Dense, from, to int) *mat.Dense {
	n, _ := z.Dims()
	if from == to {
		return &mat.Dense{}
	}
	return mat.DenseCopyOf(z.Slice(0, n, from, to))
}

// completedBasis returns an orthonormal basis of all of space of which, for every j, the first
// j vectors span the first j columns given, as far as they are independent.
func completedBasis(parts ...*mat.Dense) *mat.Dense {
	var n, m int
	for _, p := range parts {
		if r, c := p.Dims(); c > 0 {
			n, m = r, m+c
		}
	}
	all := mat.NewDense(n, min(n, m), nil)
	at := 0
	for _, p := range parts {
		_, c := p.Dims()
		for j := 0; j < c && at < n; j, at = j+1, at+1 {
			all.SetCol(at, mat.Col(nil, j, p))
		}
	}
	var qr mat.QR
	qr.Factorize(all)
	var w mat.Dense
	qr.QTo(&w)
	return &w
}

// rotatedToEigenvectors returns the columns of z turned to the eigenvectors of a, which is in their
// coordinates, by ascending eigenvalues.
func rotatedToEigenvectors(z *mat.Dense, a *mat.SymDense) *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return z
	}
	var w, out mat.Dense
	e.VectorsTo(&w)
	out.Mul(z, &w)
	return &out
}

// orthonormalityError bounds ‖ZᵀZ − I‖, rounding included.
func orthonormalityError(z *mat.Dense) float64 {
	norm, off := symmetric.Skew(z)
	return norm + off
}
