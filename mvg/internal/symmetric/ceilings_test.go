package symmetric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
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
	}
	tiny := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1e-200, 1e-201, 0, 1e-201, 1e-200})
	if got := symmetric.EigenCeiling(tiny); got < 1 || got > 1+1e-13 {
		t.Errorf("largest eigenvalue at most %v, want 1", got)
	}
}

// Ceilings are above the spectra of matrices at any scale, and of scales that differ: in
// rational arithmetic λI − A is positive semi-definite.
func TestCeilingsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for k := range 600 {
		n := 1 + rng.IntN(5)
		a := scaledGram(n, 1+rng.IntN(n+1), []int{0, 30, 400}[k%3], rng)
		whole := rng.IntN(1900) - 1000
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, math.Ldexp(a.At(i, j), whole)*(1-2*float64(k&1))) // and negative
			}
		}
		largest := mat.Max(a)
		if math.IsInf(mat.Norm(a, math.Inf(1)), 0) {
			continue
		}
		got := symmetric.EigenCeiling(a)
		if math.IsInf(got, 1) && largest < 1e300 {
			t.Fatalf("no ceiling of\n%v", mat.Formatted(a))
		}
		if math.IsInf(got, 1) {
			continue
		}
		rest := rational(a)
		room := new(big.Rat).SetFloat64(got)
		for i := range n {
			for j := range n {
				rest[i][j].Neg(rest[i][j])
			}
			rest[i][i].Add(rest[i][i], room)
		}
		if d, ok := pivots(rest); !ok && d[len(d)-1].Sign() < 0 {
			t.Fatalf("%v is below the largest eigenvalue of\n%v", got, mat.Formatted(a))
		}
	}
}
