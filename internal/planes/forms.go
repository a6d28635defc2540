package planes

import (
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// forms are P and Q, with their rows for products.
type forms struct {
	p, q *mat.SymDense
	rows [2]*mat.Dense
}

func newForms(p, q *mat.SymDense) forms {
	return forms{p, q, [2]*mat.Dense{mat.DenseCopyOf(p), mat.DenseCopyOf(q)}}
}

// frame is two vectors, a plane's basis as a rule.
type frame [2][]float64

func newFrame(n int) frame { return frame{make([]float64, n), make([]float64, n)} }

// firstTwo returns the first two columns of w.
func firstTwo(w *mat.Dense) frame { return frame{mat.Col(nil, 0, w), mat.Col(nil, 1, w)} }

// compress sets av to Av and returns vᵀAv as (a₀₀, a₀₁, a₁₁).
func (v frame) compress(a *mat.Dense, av frame) (a00, a01, a11 float64) {
	for i := range av[0] {
		row := a.RawRowView(i)
		av[0][i], av[1][i] = floats.Dot(row, v[0]), floats.Dot(row, v[1])
	}
	return floats.Dot(v[0], av[0]), (floats.Dot(v[0], av[1]) + floats.Dot(v[1], av[0])) / 2, floats.Dot(v[1], av[1])
}

// basis returns an orthonormal basis that starts with the frame, up to signs.
func (v frame) basis() *mat.Dense {
	n := len(v[0])
	columns := mat.NewDense(n, 2, nil)
	columns.SetCol(0, v[0])
	columns.SetCol(1, v[1])
	var qr mat.QR
	qr.Factorize(columns)
	var w mat.Dense
	qr.QTo(&w)
	return &w
}

// leadingEigenvectors returns the two leading eigenvectors, or two axes where there is no
// decomposition.
func leadingEigenvectors(a *mat.SymDense) frame {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return firstTwo(symmetric.Eye(a.SymmetricDim()))
	}
	n := a.SymmetricDim()
	var w mat.Dense
	e.VectorsTo(&w)
	return frame{mat.Col(nil, n-1, &w), mat.Col(nil, n-2, &w)}
}
