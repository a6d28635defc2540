package xor

import (
	"context"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// FlipsOverHalf agrees with the mean over all states.
func TestFlipsOverHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	ctx, over, known := context.Background(), 0, 0
	for range 300 {
		n, p := 1+r.IntN(4), 1+r.IntN(2)
		lam := map[Pair][][]float64{}
		block := func(least float64) [][]float64 {
			m := make([][]float64, p)
			for i := range m {
				m[i] = make([]float64, p)
				for j := range i + 1 {
					m[i][j] = least + float64(r.IntN(3))/2
					m[j][i] = m[i][j]
				}
			}
			return m
		}
		for i := range n {
			for j := i + 1; j < n; j++ {
				lam[Pair{i, j}] = block(float64(-r.IntN(2)))
			}
		}
		theta := block(0)
		for j := range theta {
			theta[j][j] -= 4 * r.Float64()
		}
		laws := []*Bernoulli{must.Be(NewBernoulli(theta, lam, n)), must.Be(NewUniform(n, p, float64(r.IntN(9)-6), float64(r.IntN(3))))}
		for _, b := range laws {
			for _, complement := range []bool{false, true} {
				rate := must.Be(b.ErrorRate(ctx, 0, Variant(complement)))
				if got := must.Be(b.FlipsOverHalf(ctx, Variant(complement))); got && rate.Hi <= .5 || !got && rate.Lo > .5 {
					t.Errorf("%d × %d, complement %t: over half %t, flips %v", n, p, complement, got, rate)
				}
				if b.cols == nil && b.favors(Variant(complement)) {
					if known++; rate.Hi <= .5 {
						t.Errorf("the fields favor flips, but the rate is at most half, complement %t: %v", complement, rate)
					}
				}
				if rate.Lo > .5 {
					over++
				}
			}
		}
	}
	if over < 100 || known < 20 {
		t.Errorf("%d laws flip more than half, the fields decide %d of them", over, known)
	}
	// Above the limit of enumeration only the fields decide.
	n := 40
	near := map[Pair][][]float64{}
	for i := range n - 1 {
		near[Pair{i, i + 1}] = [][]float64{{.5}}
	}
	for theta, want := range map[float64][2]bool{0: {true, false}, -1: {false, true}, -.75: {false, false}} {
		b := must.Be(NewBernoulli([][]float64{{theta}}, near, n))
		for k, complement := range []bool{false, true} {
			if got := must.Be(b.FlipsOverHalf(ctx, Variant(complement))); got != want[k] {
				t.Errorf("a chain with θ = %g, complement %t: over half %t", theta, complement, got)
			}
		}
	}
}
