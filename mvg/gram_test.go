package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// At order 2 the replacement of a record is exact, p₁q₁ + p₂q₂: a grid over all
// pairs of records on the circle comes up to it and never above.
func TestReplacementAtOrderTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	draw := func() *mat.SymDense {
		a, b, c := 0.2+rng.Float64(), 0.2+rng.Float64(), rng.Float64()
		return mat.NewSymDense(2, []float64{a, 0.9 * c * math.Sqrt(a*b), 0.9 * c * math.Sqrt(a*b), b})
	}
	g, err := NewGram(2, 1.5, true, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		sigma, err := NewDense(draw())
		if err != nil {
			t.Fatal(err)
		}
		psi, err := NewDense(draw())
		if err != nil {
			t.Fatal(err)
		}
		norm, err := g.whitened(t.Context(), sigma, psi)
		if err != nil {
			t.Fatal(err)
		}
		got := outward(norm)
		p, q := sigma.Precision(), psi.Precision()
		best := 0.0
		const steps = 720
		for i := range steps {
			for j := range i {
				var d [2][2]float64 // k(xxᵀ − yyᵀ)
				x := [2]float64{1.5 * math.Cos(math.Pi*float64(i)/steps), 1.5 * math.Sin(math.Pi*float64(i)/steps)}
				y := [2]float64{1.5 * math.Cos(math.Pi*float64(j)/steps), 1.5 * math.Sin(math.Pi*float64(j)/steps)}
				for r := range 2 {
					for c := range 2 {
						d[r][c] = 0.25 * (x[r]*x[c] - y[r]*y[c])
					}
				}
				delta := mat.NewDense(2, 2, []float64{d[0][0], d[0][1], d[1][0], d[1][1]})
				var product mat.Dense
				product.Product(p, delta, q, delta.T())
				best = max(best, math.Sqrt(mat.Trace(&product)))
			}
		}
		if best > got.hi || best < got.lo*(1-1e-4) || got.hi-got.lo > 1e-12*got.hi {
			t.Errorf("whitened sensitivity in [%v, %v], the grid finds %v", got.lo, got.hi, best)
		}
	}
}
