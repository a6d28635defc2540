package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// Mean square 2b² for Laplace noise and Variance for the rank-one noise, to six
// standard errors; the rank-one noise has one direction.
func TestPeersNoise(t *testing.T) {
	x := mat.NewDense(400, 500, nil)
	z := must[*mat.Dense](t)(mvg.SimulateLaplace(x, 3, rand.NewPCG(1, 1)))
	mean, square := 0.0, 0.0
	for _, v := range z.RawMatrix().Data {
		mean += v / 2e5
		square += v * v / 2e5
	}
	if se := math.Sqrt(20*81/2e5) * 6; !(math.Abs(square-18) <= se && math.Abs(mean) <= 6*math.Sqrt(18/2e5)) {
		t.Errorf("Laplace noise of scale 3 has mean %v, mean square %v", mean, square)
	}
	r := must[mvg.RankOne](t)(mvg.NewRankOne(6, 1, one, 1e-3))
	total, src := 0.0, rand.NewPCG(2, 2)
	const draws = 20000
	for range draws {
		z := must[*mat.Dense](t)(r.Simulate(mat.NewDense(2, 3, nil), src))
		n := mat.Norm(z, 2)
		total += n * n / draws
	}
	if !(math.Abs(total/r.Variance-1) <= 6*math.Sqrt(2.0/draws)) { // nor NaN
		t.Errorf("E‖n‖² = %v, want %v", total, r.Variance)
	}
	// Δ√(2 ln(1.25/δ))/ε at δ = 1e-5, ε = .5: 2·4.844805262605389
	half, _ := evidence.NewEpsilon("eps", 0.5)
	if s := must[evidence.Certified](t)(mvg.ClassicSigma(half, 1e-5, 1)); !near(s.Float(), 9.689610525210778, 1e-15) || s.Hi-s.Lo > 4e-15 {
		t.Errorf("classic σ in [%v, %v]", s.Lo, s.Hi)
	}
}
