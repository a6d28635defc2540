package mvg_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The mean square is 2b² for Laplace noise and Variance for rank-one noise, to six standard errors. Rank-one noise has
// rank one.
func TestPeerNoiseVariance(t *testing.T) {
	x := mat.NewDense(400, 500, nil)
	z := must.Be(mvg.SimulateLaplace(x, 3, rand.NewPCG(1, 1)))
	mean, square := 0.0, 0.0
	for _, v := range z.RawMatrix().Data {
		mean += v / 2e5
		square += v * v / 2e5
	}
	if se := math.Sqrt(20*81/2e5) * 6; !(math.Abs(square-18) <= se && math.Abs(mean) <= 6*math.Sqrt(18/2e5)) {
		t.Errorf("Laplace noise of scale 3 has mean %v, mean square %v", mean, square)
	}
	r := must.Be(mvg.NewRankOne(6, 1, one, evidencetest.Delta(1e-3)))
	total, src := 0.0, rand.NewPCG(2, 2)
	const draws = 20000
	for range draws {
		z := must.Be(r.Simulate(mat.NewDense(2, 3, nil), src))
		n := mat.Norm(z, 2)
		total += n * n / draws
	}
	if !(math.Abs(total/r.Variance-1) <= 6*math.Sqrt(2.0/draws)) { // NaN fails too
		t.Errorf("E‖n‖² = %v, want %v", total, r.Variance)
	}
	// Δ√(2 ln(1.25/δ))/ε at δ = 1e-5, ε = .5: 2·4.844805262605389
	half, _ := evidence.NewEpsilon("eps", 0.5)
	if s := must.Be(mvg.ClassicSigma(half, evidencetest.Delta(1e-5), big.NewRat(1, 1))).(evidence.Certified); !near(s.Float(), 9.689610525210778, 1e-15) || s.Hi-s.Lo > 4e-15 {
		t.Errorf("classic σ in [%v, %v]", s.Lo, s.Hi)
	}
}

// The classic formula is certified below ε = 1 only. From ε = 1 on it is a claim, whose caveat states the actual δ.
func TestClassicSigmaBeyondItsTheorem(t *testing.T) {
	for _, e := range []string{"1/2", "999999/1000000", "1", "3", "10"} {
		q, _ := new(big.Rat).SetString(e)
		eps := must.Be(evidence.RationalEpsilon("eps", q))
		for _, delta := range []float64{1e-5, 0.3} {
			n := must.Be(mvg.ClassicSigma(eps, evidencetest.Delta(delta), big.NewRat(2, 1)))
			want := 2 * math.Sqrt(2*math.Log(1.25/delta)) / eps.Value()
			if !near(n.Float(), want, 1e-14) {
				t.Errorf("eps = %s, delta = %g: %v, want %v", e, delta, n, want)
			}
			if claimed, ok := n.(evidence.Claimed); ok != (q.Cmp(big.NewRat(1, 1)) >= 0) {
				t.Errorf("eps = %s: %v", e, n)
			} else if ok {
				a := 1 / want
				phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
				real := phi(a-eps.Value()/(2*a)) - math.Exp(eps.Value())*phi(-a-eps.Value()/(2*a))
				least := must.Be(gaussian.Sigma(eps, evidencetest.Delta(delta), 2))
				var text [2]string
				for i, v := range []float64{real, least.Hi} {
					text[i] = fmt.Sprintf("%.4g", v)
				}
				if !strings.Contains(claimed.Caveat, "proven for eps < 1") || !strings.Contains(claimed.Caveat, "delta = "+text[0][:4]) || !strings.Contains(claimed.Caveat, "gaussian_sigma gives "+text[1][:4]) {
					t.Errorf("eps = %s, delta = %g: %s, want delta %v and sigma %v", e, delta, claimed.Caveat, text[0], text[1])
				}
			}
		}
	}
}
