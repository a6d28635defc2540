package stattest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/stattest"
)

// Tail probabilities match published tables of the chi-square distribution.
func TestChiSquareTail(t *testing.T) {
	for _, c := range []struct {
		x    float64
		df   int
		want float64
	}{
		{3.841458820694124, 1, .05}, // qchisq(.95, 1)
		{18.30703805327515, 10, .05},
		{2 * math.Ln2 * 20, 2, math.Pow(2, -20)}, // e^{-x/2} at two degrees of freedom
	} {
		if got := stattest.ChiSquareTail(c.x, c.df); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("tail of %g at %d = %g, want %g", c.x, c.df, got, c.want)
		}
	}
}

// Of 4000 samples of the law, about 40 have a tail below 0.01. A law that is off by a twentieth is rejected.
func TestChiSquareRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := []float64{.1, .2, .3, .4}
	draw := func(n int) []int {
		counts := make([]int, len(p))
		for range n {
			u, s := rng.Float64(), 0
			for u > p[s] && s < len(p)-1 {
				u -= p[s]
				s++
			}
			counts[s]++
		}
		return counts
	}
	low := 0
	const runs, rate = 4000, .01
	for range runs {
		if _, df, tail := stattest.ChiSquare(draw(500), p); tail < rate {
			low++
		} else if df != 3 {
			t.Fatalf("df = %d, want 3", df)
		}
	}
	if r := stattest.Radius(runs, 1e-9); math.Abs(float64(low)/runs-rate) > r {
		t.Errorf("%d of %d samples rejected at %g", low, runs, rate)
	}
	if _, _, tail := stattest.ChiSquare(draw(100000), []float64{.15, .15, .3, .4}); tail > 1e-9 {
		t.Errorf("a wrong law passes with tail %g", tail)
	}
}

// Hoeffding's radius at n = 200, alpha = 2e^{-2} is √(2/400).
func TestRadius(t *testing.T) {
	if got, want := stattest.Radius(200, 2*math.Exp(-2)), math.Sqrt(2.0/400); math.Abs(got-want) > 1e-15 {
		t.Errorf("radius %g, want %g", got, want)
	}
}
