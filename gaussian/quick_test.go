package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// Points are refused where balls are too wide for them: where the sign of a is not known, where numbers leave float64.
func TestRefusedPoints(t *testing.T) {
	for _, c := range []struct {
		eps, mu interval.Ball
		ok      bool
	}{
		{interval.BallAt(1), interval.BallAt(1), true}, {interval.BallAt(0.125), interval.BallAt(1), true},
		{interval.BallAt(0.5), interval.BallAt(1), false},                                                     // a = 0
		{interval.BallAt(0.51), around(1, 0.3), false},                                                        // a of either sign
		{around(0.51, 0.006), interval.BallAt(1), false},                                                      // a = 0.01, not known to half of itself
		{around(0.51, 0.004), interval.BallAt(1), true},                                                       // and known to that
		{interval.BallAt(37.6), interval.BallAt(1), false}, {interval.BallAt(37.4), interval.BallAt(1), true}, // a of 37.1 and 36.9
		{interval.BallAt(1), interval.BallAt(75), false}, {interval.BallAt(1), interval.BallAt(73), true}, // −37.5 and −36.5
		{interval.BallAt(1e-8), interval.BallAt(0.9e-6), false}, {interval.BallAt(1e-8), interval.BallAt(1.1e-6), true},
		{interval.BallAt(0.5e12), interval.BallAt(1.1e6), false},
		{interval.BallAt((1e6 + 10) * (5e5 - 15)), interval.BallAt(1e6 + 10), false}, {interval.BallAt((1e6 - 10) * (5e5 + 15)), interval.BallAt(1e6 - 10), false}, // a μ, and a b, beyond 10⁶
		{interval.BallAt((1e6 - 10) * 5e5), interval.BallAt(1e6 - 10), true},                                                 // and both below
		{interval.BallAt(76), interval.BallAt(2), false}, {interval.BallAt(math.Nextafter(76, 0)), interval.BallAt(2), true}, // an a of 37
		{interval.BallAt(0.5e-6), interval.BallAt(1e-6), false}, {interval.BallAt(0.6e-6), interval.BallAt(math.Nextafter(1e-6, 1)), true},
		{interval.BallAt((1e6 - 10) * (5e5 + 5)), interval.BallAt(1e6 - 10), false}, // a b of 10⁶
		{interval.BallAt((1e6 + 0.5) * (5e5 - 15)), interval.BallAt(1e6 + 0.5), false}, {interval.BallAt(1e6 * (5e5 - 15)), interval.BallAt(1e6), false},
		{interval.BallAt(0.5 + 0x1p-53), interval.BallAt(1), false}, {interval.BallAt(0.5 + 0x1p-46), interval.BallAt(1), true}, // a², a number below 1e-30 or above
		{interval.BallAt(math.NaN()), interval.BallAt(1), false}, {interval.BallAt(1), interval.BallAt(math.NaN()), false},
	} {
		p, ok := pointBall(c.eps, c.mu, 60)
		if ok != c.ok {
			t.Errorf("ε = %+v, μ = %+v: a = %+v, taken %v, want %v", c.eps, c.mu, p.a, ok, c.ok)
		}
	}
	for _, c := range []struct {
		mu    interval.Ball
		delta float64
		ok    bool
	}{
		{interval.BallAt(1), 0.01, true}, {interval.BallAt(1), 1e-200, false}, {interval.BallAt(1), math.Nextafter(1e-200, 1), true}, {interval.BallAt(0.9e-6), 1e-7, false},
		{interval.BallAt(99), 0.5, true}, {interval.BallAt(101), 0.5, false},
		{interval.BallAt(1), 0.9, false}, // ε = 0 is enough
		{around(1, 0.2), 0.01, false},
	} {
		if eps, ok := epsilonBall(c.mu, interval.BallAt(c.delta), math.Log(c.delta)); ok != c.ok {
			t.Errorf("μ = %+v, δ = %v: ε = %+v, taken %v, want %v", c.mu, c.delta, eps, ok, c.ok)
		}
	}
	for _, c := range []struct {
		eps          interval.Ball
		delta, start float64
		ok           bool
	}{
		{interval.BallAt(1), 0.01, solveMu(1, math.Log(0.01)), true}, {interval.BallAt(1), 0.01, 1.001 * solveMu(1, math.Log(0.01)), false},
		{interval.BallAt(1), 1e-200, solveMu(1, math.Log(1e-200)), false}, {interval.BallAt(1), math.Nextafter(1e-200, 1), solveMu(1, math.Log(1e-200)), true},
		{around(1, 1e-17), 0.01, solveMu(1, math.Log(0.01)), true}, {around(1, 1e-11), 0.01, solveMu(1, math.Log(0.01)), false},
	} {
		if mu, ok := muBall(c.eps, interval.BallAt(c.delta), c.start); ok != c.ok {
			t.Errorf("ε = %v, δ = %v from %v: μ = %+v, taken %v, want %v", c.eps, c.delta, c.start, mu, ok, c.ok)
		}
	}
}

// The float64 root for ε has the δ that was asked for, by enclosures, on both sides of a = −1: what a step below 1e-9 μ leaves is below
// its square, and ln δ has 50 units, those of itself, and those of a and b times a.
func TestSolvedEpsilons(t *testing.T) {
	src := rand.New(rand.NewPCG(115, 4))
	left, right := 0, 0
	for range 600 {
		mu := math.Exp(2 * src.NormFloat64())
		target := -math.Exp(6*src.Float64() - 0.7)
		if src.IntN(2) == 0 {
			target = -math.Exp(-8 * src.Float64())
		}
		eps := solveEpsilon(target, mu)
		if eps == 0 {
			if got := newPoint(interval.Int(0), interval.Float(mu), 80).delta().Log().Mid(); got > target+1e-13*math.Abs(target)+1e-14 {
				t.Errorf("μ = %v: ε = 0 for ln δ = %v, and it is %v there", mu, target, got)
			}
			continue
		}
		a, b := eps/mu-mu/2, eps/mu+mu/2
		if a < -1 {
			left++
		} else {
			right++
		}
		p := newPoint(interval.Float(eps), interval.Float(mu), 80)
		delta := p.delta()
		got := delta.Log().Mid()
		// ln δ falls in ε with the slope φ(a)R(b)/δ
		slope := p.high.Quo(sqrtTwoPi.Mul(p.exp())).Quo(delta).Mid()
		off := 0x1p-53*(50*math.Min(1, math.Abs(target)+delta.Mid())+math.Abs(target)+8*(1+math.Abs(a))*(math.Abs(a)+b)*slope*mu) + 0x1p-52*slope*eps
		if a < -1 { // there ln δ is computed from what is left of 1
			off = 0x1p-53*(60*math.Abs(target)+8*(1+math.Abs(a))*(math.Abs(a)+b)*slope*mu) + 0x1p-52*slope*eps
		}
		if math.Abs(got-target) > off {
			t.Errorf("μ = %v: ln δ = %v at ε = %v (a = %v), want %v within %v", mu, got, eps, a, target, off)
		}
	}
	if left < 50 || right < 200 {
		t.Errorf("a was below −1 %d times, and %d times above", left, right)
	}
}
