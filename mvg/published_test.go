package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// Example 1 by brute force over sign vectors: γ is attained, and no replacement
// of a record moves XXᵀ/n by more than √2 mc²/n, below the published 2mc²/n.
func TestCovarianceSensitivity(t *testing.T) {
	const m, n, c = 4, 3, 1.5
	gamma, s2 := mvg.CovarianceSensitivity(m, n, c)
	record := func(mask int) []float64 {
		x := make([]float64, m)
		for i := range x {
			x[i] = c
			if mask>>i&1 == 1 {
				x[i] = -c
			}
		}
		return x
	}
	full := mat.NewDense(m, m, nil)
	full.Scale(1, outer(record(0), record(0))) // n equal records
	if got := mat.Norm(full, 2); !near(got, gamma, 1e-12) {
		t.Errorf("γ = %v, n equal records give %v", gamma, got)
	}
	worst := 0.0
	for a := range 1 << m {
		for b := range 1 << m {
			d := outer(record(a), record(a))
			d.Sub(d, outer(record(b), record(b)))
			worst = math.Max(worst, mat.Norm(d, 2)/n)
		}
	}
	if worst > s2 || !near(worst*math.Sqrt2, s2, 1e-12) {
		t.Errorf("the largest change is %v, published bound %v", worst, s2)
	}
}

// Example 2: a kernel matrix in which one record's row and column flip from c
// to −c, the diagonal too.
func TestKernelSensitivity(t *testing.T) {
	const n, c = 6, 0.7
	gamma, s2 := mvg.KernelSensitivity(n, c)
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, c)
			b.Set(i, j, c)
			if i == 2 || j == 2 {
				b.Set(i, j, -c)
			}
		}
	}
	if !near(mat.Norm(a, 2), gamma, 1e-12) {
		t.Errorf("γ = %v, want %v", gamma, mat.Norm(a, 2))
	}
	a.Sub(a, b)
	if !near(mat.Norm(a, 2), s2, 1e-12) {
		t.Errorf("s₂ = %v, want %v", s2, mat.Norm(a, 2))
	}
}

func TestHarmonic(t *testing.T) {
	if h := mvg.Harmonic(10, 1); !near(h, 7381.0/2520, 1e-14) { // OEIS A001008/A002805
		t.Errorf("H_10 = %v", h)
	}
	if h := mvg.Harmonic(4, 0.5); !near(h, 1+1/math.Sqrt2+1/math.Sqrt(3)+0.5, 1e-14) {
		t.Errorf("H_{4,1/2} = %v", h)
	}
}

func TestBinaryTheta(t *testing.T) {
	theta := must[[]float64](t)(mvg.BinaryTheta(6, []int{2, 5}, 0.9))
	for i, want := range []float64{0.025, 0.025, 0.45, 0.025, 0.025, 0.45} {
		if !near(theta[i], want, 1e-14) {
			t.Errorf("θ_%d = %v, want %v", i, theta[i], want)
		}
	}
	for _, bad := range [][]int{nil, {0, 1}, {0, 0}, {9}} {
		if _, err := mvg.BinaryTheta(2, bad, 0.9); err == nil {
			t.Errorf("important = %v of 2 gives no error", bad)
		}
	}
}
