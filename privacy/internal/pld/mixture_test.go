package pld

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// A tilt too large for float64 has no moments, and a tilted law with NaN masses has an infinite error.
func TestMomentsOfHugeTilts(t *testing.T) {
	for _, m := range []*Mixture{{Mu: 0.05, Rate: 1e-80}, {Mu: 1, Rate: 1e-18, Of: Replacement}} {
		for _, theta := range []float64{1e9, 1e77} {
			if k, mean, variance := m.Moments(theta); !math.IsNaN(k) || !math.IsNaN(mean) || !math.IsNaN(variance) {
				t.Errorf("θ = %g: moments %v, %v and %v, want NaN", theta, k, mean, variance)
			}
		}
	}
	if tilted := (&Law{Step: 1, Log: []float64{math.NaN(), 0}}).tilt(1, false); !math.IsInf(tilted.err, 1) || tilted.sum != 0 {
		t.Errorf("a mass that is NaN has the error %v and the sum %v, want an infinite error", tilted.err, tilted.sum)
	}
}

// The losses beyond the largest listed one add at most the tail to a moment. Where the normal law decays fast, they add
// nearly as much as allowed.
func TestLargestLoss(t *testing.T) {
	for _, c := range []struct{ mu, rate, theta, depth float64 }{
		{0.05, 1e-4, 4096, 30}, {0.05, 1e-4, 7000, 30}, {1, 1e-4, 1e-3, 40}, {1, 1e-4, 8, 40}, {1, 1e-4, 17.6, 40},
		{1, 1e-4, 30, 40}, {2, 0.3, 5, 30}, {1, 1, 3, 30}, {3, 1e-9, 0.5, 30}, {0.5, 0.9, 100, 30},
	} {
		m := &Mixture{Mu: c.mu, Rate: c.rate}
		segments, _, _ := m.parts(c.theta, 1)
		from := segments[0].hi / 4
		least, tail := m.largest(c.theta, c.depth, from)
		p, square := 1+c.theta, c.mu*c.mu
		// integral is a Riemann sum of E_Q e^{pL} over the midpoints of cells that are narrow relative to the exponent.
		integral := func(a, b float64) float64 {
			top, sum := math.Inf(-1), 0.0
			h := 0.05 / (p + b/square)
			for t := a + h/2; t < b; t += h {
				e := p*math.Log1p(c.rate*math.Expm1(t)) - (t+square/2)*(t+square/2)/(2*square)
				if e > top {
					top, sum = e, sum*math.Exp(top-e)
				}
				sum += math.Exp(e - top)
			}
			return top + math.Log(sum*h) - math.Log(c.mu*math.Sqrt(2*math.Pi))
		}
		far := (p+0.5)*square + 14*c.mu
		beyond := integral(least, max(far, least+10*c.mu))
		all := integral(-12*c.mu, far)
		if !(beyond <= tail+1e-4 && tail <= max(0, all)-c.depth+1e-3) || !(tail <= beyond+4 || least == from) {
			t.Errorf("%+v: from %g on %g, bound %g, of %g in all", c, least, beyond, tail, all)
		}
	}
}

// Diluted losses are off by no more than lossError, however small they are, and some by a large part of it.
func TestDilutedLosses(t *testing.T) {
	rng, most := rand.New(rand.NewPCG(3, 1)), 0.0
	for range 3000 {
		m := &Mixture{Mu: 1, Rate: math.Pow(10, -20*rng.Float64()*rng.Float64())}
		x := math.Pow(10, 1-8*rng.Float64()) * (2*rng.Float64() - 1)
		l := m.dilute(x)
		exact := interval.Float(x).Expm1().Mul(interval.Float(m.Rate)).Log1p().Sub(interval.Float(l))
		lo, hi := exact.Bounds()
		off := max(hi, -lo)
		if off > m.lossError(l, x) {
			t.Errorf("rate %g: the loss of %g is %g, off by %g, want at most %g", m.Rate, x, l, off, m.lossError(l, x))
		}
		most = max(most, off/m.lossError(l, x))
	}
	if most < 1.0/32 {
		t.Errorf("losses are off by at most %g of their bound", most)
	}
}
