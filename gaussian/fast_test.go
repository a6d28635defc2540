package gaussian_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// ln δ and ε by the float64 path stay within what their comments state.
func TestFastLogDeltaAndEpsilon(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	worstL, worstE := 0.0, 0.0
	for range 2000 {
		eps := math.Pow(10, -6+9*src.Float64())
		delta := math.Pow(10, -0.302-300*math.Pow(src.Float64(), 3))
		mu, err := gaussian.FastMu(at(eps), delta)
		if err != nil {
			t.Fatal(err)
		}
		l, err := gaussian.FastLogDelta(at(eps), mu)
		if err != nil {
			t.Fatal(err)
		}
		want := gaussian.LogDeltaAt(at(eps), interval.Float(mu))
		// Two roundings the inputs carry: ε/μ and μ/2 move a by u(ε/μ + μ/2), and ln δ by
		// (a + 1/a) times that.
		c := eps/mu + mu/2
		slack := gaussian.FastError * math.Max(1, math.Max(-l, c*c))
		off := math.Max(want.Lo-l, l-want.Hi)
		if worstL = math.Max(worstL, off/slack); off > slack {
			t.Errorf("ln δ(%g, %g) = %v, enclosed [%v, %v]", eps, mu, l, want.Lo, want.Hi)
		}
		e, err := gaussian.FastEpsilon(delta, mu)
		if err != nil {
			t.Fatal(err)
		}
		back, err := gaussian.EpsilonAt(delta, interval.Float(mu))
		if err != nil {
			t.Fatal(err)
		}
		limit := gaussian.FastError * math.Max(back.Hi, mu*(1+mu))
		offE := math.Max(back.Lo-e, e-back.Hi)
		if worstE = math.Max(worstE, offE/limit); offE > limit {
			t.Errorf("ε(%g, %g) = %v, enclosed [%v, %v]", delta, mu, e, back.Lo, back.Hi)
		}
	}
	t.Logf("largest share of the stated bounds: ln δ %.2g, ε %.2g", worstL, worstE)
}
