package mvg_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

var one = evidencetest.Epsilon(1)

func near(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

func sortFloats(x []float64) { slices.Sort(x) }

// rotation returns a random orthonormal basis, fixed by the seed.
func rotation(n int, seed uint64) *mat.Dense {
	return symmetric.RandomBasis(n, rand.NewPCG(seed, 1))
}

// covariance returns a random positive definite matrix.
func covariance(n int, seed uint64) *mat.SymDense {
	src := rand.New(rand.NewPCG(seed, 2))
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, src.NormFloat64())
		}
	}
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		s.SetSym(i, i, s.At(i, i)+0.3)
	}
	return s
}
