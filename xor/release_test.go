package xor_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// FlipsOverHalf agrees with the mean over all states. Above 2²⁰ states it uses only the fields; the test links copies
// of a law too weakly to change the mean.
func TestFlipsOverHalf(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	ctx, over, known := context.Background(), 0, 0
	for range 300 {
		n, p := 1+r.IntN(4), 1+r.IntN(2)
		lam := map[xor.Pair][][]float64{}
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
				lam[xor.Pair{i, j}] = block(float64(-r.IntN(2)))
			}
		}
		theta := block(0)
		for j := range theta {
			theta[j][j] -= 4 * r.Float64()
		}
		copied := map[xor.Pair][][]float64{}
		copies := 20/(n*p) + 1
		for c := range copies {
			for k, m := range lam {
				copied[xor.Pair{n*c + k.I, n*c + k.J}] = m
			}
			if c > 0 {
				copied[xor.Pair{n*c - 1, n * c}] = slices.Repeat([][]float64{slices.Repeat([]float64{0x1p-40}, p)}, p)
			}
		}
		many := must.Be(xor.NewBernoulli(theta, copied, n*copies))
		laws := []*xor.Bernoulli{must.Be(xor.NewBernoulli(theta, lam, n)), must.Be(xor.NewUniform(n, p, float64(r.IntN(9)-6), float64(r.IntN(3))))}
		for k, b := range laws {
			for _, complement := range []bool{false, true} {
				rate := must.Be(b.ErrorRate(ctx, 0, xor.Variant(complement)))
				if got := must.Be(b.FlipsOverHalf(ctx, xor.Variant(complement))); got && rate.Hi <= .5 || !got && rate.Lo > .5 {
					t.Errorf("%d × %d, complement %t: over half %t, flips %v", n, p, complement, got, rate)
				}
				if k == 0 && must.Be(many.FlipsOverHalf(ctx, xor.Variant(complement))) {
					if known++; rate.Hi <= .5-1e-9 {
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
	// Above the limit of enumeration the result depends only on the fields.
	n := 40
	near := map[xor.Pair][][]float64{}
	for i := range n - 1 {
		near[xor.Pair{i, i + 1}] = [][]float64{{.5}}
	}
	for theta, want := range map[float64][2]bool{0: {true, false}, -1: {false, true}, -.75: {false, false}} {
		b := must.Be(xor.NewBernoulli([][]float64{{theta}}, near, n))
		for k, complement := range []bool{false, true} {
			if got := must.Be(b.FlipsOverHalf(ctx, xor.Variant(complement))); got != want[k] {
				t.Errorf("a chain with θ = %g, complement %t: over half %t", theta, complement, got)
			}
		}
	}
}
