package xor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Proposition 1 gives E‖B‖² ≤ U/L for every law that it covers, and Bound returns the value of its formula.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	covered := 0
	for range 200 {
		b := must.Be(xor.Allocate(xor.Budget{N: 1 + rng.IntN(4), P: 1 + rng.IntN(3), Epsilon: evidencetest.Epsilon(5 * rng.Float64()), Alpha: rng.Float64(), Sensitivity: 1}))
		bound, ok := b.Bound()
		mean := must.Be(b.MeanOnes(ctx, xor.Plain))
		if ok {
			covered++
			if bound.Float() < mean.Lo {
				t.Errorf("U/L = %v is below g = %v", bound.Float(), mean.Lo)
			}
		}
	}
	if covered != 200 {
		t.Errorf("the bound applies to only %d of 200 allocations", covered)
	}
	b := must.Be(xor.NewBernoulli([][]float64{{2, 1}, {1, 2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{1, .5}, {.5, 1}}}, 2))
	c := 3 + 2*1.5 // largest eigenvalues 3 and 1.5
	var u float64
	for m, ways := range []float64{1, 4, 6, 4, 1} {
		u += ways * math.Exp(c*float64(m)) * float64(m)
	}
	want := u / (8 * (2 + 2*math.Sqrt(10) + math.Sqrt(2.5)))
	if got, ok := b.Bound(); !ok || math.Abs(got.Float()/want-1) > 1e-12 {
		t.Errorf("U/L = %v, want %v", got.Float(), want)
	}
}

// Proposition 1 covers positive semidefinite blocks without negative entries, in Θ and in every Λ_ij.
func TestBoundCovers(t *testing.T) {
	good, negative, indefinite := [][]float64{{1, .5}, {.5, 1}}, [][]float64{{1, -.5}, {-.5, 1}}, [][]float64{{0, 1}, {1, 0}}
	for _, test := range []struct {
		theta, first, last [][]float64
		want               bool
	}{
		{good, good, good, true}, {negative, good, good, false}, {indefinite, good, good, false},
		{good, negative, good, false}, {good, good, negative, false}, {good, indefinite, good, false}, {good, good, indefinite, false},
	} {
		b := must.Be(xor.NewBernoulli(test.theta, map[xor.Pair][][]float64{{I: 0, J: 1}: test.first, {I: 1, J: 2}: test.last}, 3))
		if _, covered := b.Bound(); covered != test.want {
			t.Errorf("%+v: covered %t", test, covered)
		}
	}
}
