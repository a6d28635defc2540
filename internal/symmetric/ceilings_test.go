package symmetric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/symmetric"
)

// The ceilings of spectra that were set up, and of a matrix whose decomposition without
// vectors panics in gonum 0.17.
func TestCeilings(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, n := range []int{1, 2, 7, 30} {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(3 * rng.NormFloat64())
		}
		diagonal := mat.NewSymDense(n, nil)
		for i, x := range v {
			diagonal.SetSym(i, i, x)
		}
		a := symmetric.Turn(diagonal, mat.DenseCopyOf(symmetric.RandomBasis(n, rng).T()))
		slices.Sort(v)
		top := v[n-1]
		if got := symmetric.EigenCeiling(a); got < top*(1-1e-15) || got > top*(1+1e-10) {
			t.Errorf("order %d: ceiling %v of largest eigenvalue %v", n, got, top)
		}
		if n > 1 {
			top += v[n-2]
			if got := symmetric.PairCeiling(a); got < top*(1-1e-15) || got > top*(1+1e-10) {
				t.Errorf("order %d: ceiling %v of the two largest eigenvalues, %v", n, got, top)
			}
		}
	}
	tiny := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1e-200, 1e-201, 0, 1e-201, 1e-200})
	if got := symmetric.EigenCeiling(tiny); got < 1 || got > 1+1e-13 {
		t.Errorf("largest eigenvalue at most %v, want 1", got)
	}
}
