package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// The grid that encloses δ for many Gaussian bits brackets the enumeration.
func TestLatticeStickBrackets(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range 20 {
		bits := make([]coinLoss, 12)
		for j := range bits {
			p, q := 0.02+0.96*rng.Float64(), 0.0
			q = math.Max(0.01, math.Min(0.99, p+0.2*(rng.Float64()-0.5)))
			minus := math.Log((1 - p) / (1 - q))
			bits[j] = coinLoss{p, 1 - p, minus, math.Log(p/q) - minus}
		}
		base := 0.0
		for _, b := range bits {
			base += b.base
		}
		for _, threshold := range []float64{-0.5, 0, 0.3, 1} {
			lo, hi, _ := hockeyStick(context.Background(), bits, threshold, 0)
			wideLo, wideHi, _ := latticeStick(context.Background(), append([]coinLoss(nil), bits...), base, threshold, 0)
			if wideLo > hi || wideHi < lo || wideHi-wideLo > 1e-3 {
				t.Errorf("threshold %g: enumerated [%v, %v], grid [%v, %v]", threshold, lo, hi, wideLo, wideHi)
			}
		}
	}
}

// DP-SignRP-G at k = 512: individual δ below the claim, and ε at δ below ε.
func TestManyGaussianSigns(t *testing.T) {
	w, err := NewProjection(Rademacher, 100, 512, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: GaussianNoise, Beta: 1, Delta: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	u, v := r.centredPair()
	d := deltaOf(t, r.Pair(u, v), eps(t, 1))
	if d.Float() > 1e-6 {
		t.Errorf("δ(1) = %v of a post-processing, claimed 1e-6", d)
	}
	e, err := r.Pair(u, v).Epsilon(context.Background(), 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := e.Bounds()
	public := publicOf(t, r)
	if !(hi <= 1 && hi-lo < 0.05 && lo > 0.5) || upper(public) > 1+1e-9 {
		t.Errorf("ε(1e-6) = %v, public %v, want within 1", e, public)
	}
	t.Logf("pair %v, δ(1) %v, public %v", e, d, public)
}
