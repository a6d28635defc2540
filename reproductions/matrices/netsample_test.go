package matrices_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// digits formats the entries of a matrix with nine digits, row by row.
func digits(a mat.Matrix) string {
	var out []string
	m, n := a.Dims()
	for i := range m {
		for k := range n {
			out = append(out, fmt.Sprintf("%.9g", a.At(i, k)))
		}
	}
	return fmt.Sprint(out)
}

// The noise on and above the diagonal is the source's normal numbers in order, mirrored below.
func TestSymmetricGaussUsesStreamInOrder(t *testing.T) {
	const d, sigma = 4, 0.75
	x := mat.NewDense(d, d, nil)
	for i := range d {
		for k := range d {
			x.Set(i, k, float64(i+k))
		}
	}
	s := must.For(matrices.UpperSensitivity(d, 1, nil, false, 1))(t)
	got := must.For(must.For(matrices.NewSymmetricGauss(d, s, sigma))(t).Simulate(x, rand.NewPCG(3, 9)))(t)
	normal := rand.New(rand.NewPCG(3, 9))
	for i := range d {
		for k := i; k < d; k++ {
			if want := x.At(i, k) + sigma*normal.NormFloat64(); got.At(i, k) != want || got.At(k, i) != want {
				t.Errorf("(%d, %d) is %v and %v, want %v", i, k, got.At(i, k), got.At(k, i), want)
			}
		}
	}
}

// The draws of a seed never change, to nine digits for each sampler.
func TestDrawsFromSeed(t *testing.T) {
	l := must.For(matrices.NewLaplace(box(t, 2, 1, 2), 3))(t)
	x := mat.NewDense(2, 2, []float64{0.5, -1, 2, 0.25})
	var vectors *mat.Dense
	vectors, proposals, err := bingham(t, 3, 0, -6).Simulate(4, rand.NewPCG(5, 1))
	if err != nil {
		t.Fatal(err)
	}
	p := must.For(matrices.NewPPCA(evidencetest.Epsilon(6), 3, false))(t)
	principal := must.For(p.Simulate(x, rand.NewPCG(5, 2)))(t)
	half := []float64{1, 2}
	max := must.For(matrices.NewNet(half, 2, 9, matrices.Max, evidencetest.Epsilon(20)))(t)
	sum := must.For(matrices.NewNet(half, 2, 9, matrices.Sum, evidencetest.Epsilon(20)))(t)
	for _, c := range [][3]string{
		{"Laplace", digits(must.For(l.Simulate(x, rand.NewPCG(5, 3)))(t)), "[0.329306247 -3.54758088 1.95229977 -3.31595273]"},
		{"Bingham", fmt.Sprint(digits(vectors), proposals), "[0.993721023 0.987449625 0.721430922 0.98688633 0.0311974437 -0.142422849 0.582036919 -0.148659141 -0.10744882 0.0682566479 -0.375193883 0.0628953999]7"},
		{"PPCA", digits(mat.NewVecDense(2, principal)), "[0.6243786 0.781121863]"},
		{"a net by its worst entry", digits(must.For(max.Simulate(x, rand.NewPCG(5, 4)))(t)), "[1 0.5 0.5 2]"},
		{"a net by its entries", digits(must.For(sum.Simulate(x, rand.NewPCG(5, 5)))(t)), "[0.25 -0.5 2 0.5]"},
	} {
		if c[1] != c[2] {
			t.Errorf("%s draws %s, want %s", c[0], c[1], c[2])
		}
	}
}
