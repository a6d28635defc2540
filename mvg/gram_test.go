package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// At order 2 the sensitivity under replacement is exactly p₁q₁ + p₂q₂. A grid over all pairs of records on the circle
// comes close to it and never exceeds it.
func TestReplacementAtOrderTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	draw := func() *mat.SymDense {
		a, b, c := 0.2+rng.Float64(), 0.2+rng.Float64(), rng.Float64()
		return mat.NewSymDense(2, []float64{a, 0.9 * c * math.Sqrt(a*b), 0.9 * c * math.Sqrt(a*b), b})
	}
	g := must.Be(mvg.NewGram(2, 1.5, query.Replace, 0.25))
	for range 5 {
		sigma, psi := must.Be(mvg.NewDense(draw())), must.Be(mvg.NewDense(draw()))
		got := must.Be(mvg.NewDesign(t.Context(), g, sigma, psi)).WhitenedSensitivity()
		entries := func(m mat.Matrix) [2][2]float64 {
			return [2][2]float64{{m.At(0, 0), m.At(0, 1)}, {m.At(1, 0), m.At(1, 1)}}
		}
		p, q := entries(sigma.Precision()), entries(psi.Precision())
		best := 0.0
		const steps = 720
		for i := range steps {
			for j := range i {
				var d, left, right [2][2]float64 // k(xxᵀ − yyᵀ), which is symmetric, then P and Q times it
				x := [2]float64{1.5 * math.Cos(math.Pi*float64(i)/steps), 1.5 * math.Sin(math.Pi*float64(i)/steps)}
				y := [2]float64{1.5 * math.Cos(math.Pi*float64(j)/steps), 1.5 * math.Sin(math.Pi*float64(j)/steps)}
				for r := range 2 {
					for c := range 2 {
						d[r][c] = 0.25 * (x[r]*x[c] - y[r]*y[c])
					}
				}
				for r := range 2 {
					for c := range 2 {
						left[r][c] = p[r][0]*d[0][c] + p[r][1]*d[1][c]
						right[r][c] = q[r][0]*d[0][c] + q[r][1]*d[1][c]
					}
				}
				trace := left[0][0]*right[0][0] + left[0][1]*right[1][0] + left[1][0]*right[0][1] + left[1][1]*right[1][1]
				best = max(best, math.Sqrt(trace))
			}
		}
		if best > got.Hi || best < got.Lo*(1-1e-4) || got.Hi-got.Lo > 1e-12*got.Hi {
			t.Errorf("whitened sensitivity in [%v, %v], the grid finds %v", got.Lo, got.Hi, best)
		}
	}
}
