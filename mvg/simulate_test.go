package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// A simulation is the answer plus Noise from the same source, bit for bit, for all covariances and storage layouts of
// the answer.
func TestSimulateAddsNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	const m, n = 37, 23
	diagonal := func(k int) mvg.Covariance {
		v := make([]float64, k)
		for i := range v {
			v[i] = .5 + rng.Float64()
		}
		return must.Be(mvg.NewDirectional(v, nil))
	}
	ball := must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1}))
	x := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			x.Set(i, j, math.Ldexp(rng.NormFloat64(), rng.IntN(40)-20))
		}
	}
	wide := mat.NewDense(m, n+5, nil)
	wide.Slice(0, m, 2, n+2).(*mat.Dense).Copy(x)
	answers := map[string]mat.Matrix{"rows": x, "rows of more": wide.Slice(0, m, 2, n+2), "columns": mat.DenseCopyOf(x.T()).T()}
	for name, both := range map[string][2]mvg.Covariance{
		"flat":                   {must.Be(mvg.NewIsotropic(m, 2)), must.Be(mvg.NewIsotropic(n, 3))},
		"rows":                   {diagonal(m), must.Be(mvg.NewIsotropic(n, 3))},
		"columns":                {must.Be(mvg.NewIsotropic(m, 2)), diagonal(n)},
		"rows and columns":       {diagonal(m), diagonal(n)},
		"dense rows":             {must.Be(mvg.NewDense(covariance(m, 1))), must.Be(mvg.NewIsotropic(n, 3))},
		"dense rows and columns": {must.Be(mvg.NewDense(covariance(m, 2))), diagonal(n)},
		"dense columns":          {diagonal(m), must.Be(mvg.NewDense(covariance(n, 3)))},
		"dense":                  {must.Be(mvg.NewDense(covariance(m, 4))), must.Be(mvg.NewDense(covariance(n, 5)))},
	} {
		d := must.Be(mvg.NewDesign(t.Context(), ball, both[0], both[1]))
		z := mat.NewDense(m, n, nil)
		if err := d.Noise(z, rand.NewPCG(5, 6)); err != nil {
			t.Fatal(err)
		}
		for kept, fx := range answers {
			got := must.Be(d.Simulate(fx, rand.NewPCG(5, 6)))
			for i := range m {
				for j := range n {
					if want := x.At(i, j) + z.At(i, j); got.At(i, j) != want {
						t.Fatalf("%s, an answer in %s: [%d][%d] is %v, want %v", name, kept, i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
}
