package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// The float64s next to a ball are those of all its numbers: the middle one alone where it reaches no further, and there are
// none where it is wide, or its numbers are tiny or huge.
func TestBoundsOfBalls(t *testing.T) {
	up, down := math.Nextafter(1, 2), math.Nextafter(1, 0)
	const tiny = 0x1p-70
	for _, c := range []struct {
		x      ball
		lo, hi float64
		ok     bool
	}{
		{exactly(1), 1, 1, true},
		{ball{double{1, tiny}, tiny / 2}, 1, up, true},
		{ball{double{1, -tiny}, tiny / 2}, down, 1, true},
		{ball{double{1, tiny}, tiny}, 1, up, true}, // reaches down to 1 itself
		{ball{double{1, -tiny}, tiny}, down, 1, true},
		{ball{double{1, tiny}, 2 * tiny}, down, up, false}, // which a narrower enclosure may tell apart
		{ball{double{-1, tiny}, tiny / 2}, -1, -down, true},
		{ball{double{1, tiny}, 0x1p-60}, 0, 0, false},
		{ball{double{1, 0x1p-58}, 0x1p-60}, 0, 0, false}, {ball{double{1, 0x1p-58}, 0x1.fp-61}, 1, up, true},
		{ball{double{1, 0}, math.Inf(1)}, 0, 0, false},
		{ball{double{1, 0}, math.NaN()}, 0, 0, false},
		{ball{double{0, 0}, 0}, 0, 0, false},
		{exactly(1e-280), 0, 0, false}, {exactly(math.Nextafter(1e-280, 1)), math.Nextafter(1e-280, 1), math.Nextafter(1e-280, 1), true},
		{exactly(1e280), 0, 0, false}, {exactly(-math.Nextafter(1e280, 0)), -math.Nextafter(1e280, 0), -math.Nextafter(1e280, 0), true},
		{exactly(math.NaN()), 0, 0, false}, {exactly(math.Inf(1)), 0, 0, false},
	} {
		lo, hi, ok := c.x.bounds()
		if ok != c.ok || lo != c.lo || hi != c.hi {
			t.Errorf("%+v lies in [%v, %v], %v, want [%v, %v], %v", c.x, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// The sign of a ball is that of its numbers, or none where 0 is near.
func TestSignsOfBalls(t *testing.T) {
	for _, c := range []struct {
		x    ball
		want int
	}{
		{exactly(3), 1}, {exactly(-3), -1}, {exactly(0), 0}, {exactly(5e-324), 1},
		{ball{double{1, 0x1p-60}, 0.499}, 1}, {ball{double{-1, 0x1p-60}, 0.499}, -1}, {ball{double{1, 0}, 0.501}, 0}, {ball{double{-1, 0}, 0.501}, 0},
		{ball{double{1, 0}, math.NaN()}, 0}, {ball{double{1, 0}, math.Inf(1)}, 0},
	} {
		if got := c.x.sign(); got != c.want {
			t.Errorf("%+v has the sign %d, want %d", c.x, got, c.want)
		}
	}
}

// Points are refused where balls are too wide for them: where the sign of a is not known, where numbers leave float64.
func TestRefusedPoints(t *testing.T) {
	for _, c := range []struct {
		eps, mu ball
		ok      bool
	}{
		{exactly(1), exactly(1), true}, {exactly(0.125), exactly(1), true},
		{exactly(0.5), exactly(1), false},                                     // a = 0
		{exactly(0.51), ball{double{1, 0}, 0.3}, false},                       // a of either sign
		{ball{double{0.51, 0}, 0.006}, exactly(1), false},                     // a = 0.01, not known to half of itself
		{ball{double{0.51, 0}, 0.004}, exactly(1), true},                      // and known to that
		{exactly(37.6), exactly(1), false}, {exactly(37.4), exactly(1), true}, // a of 37.1 and 36.9
		{exactly(1), exactly(75), false}, {exactly(1), exactly(73), true}, // −37.5 and −36.5
		{exactly(1e-8), exactly(0.9e-6), false}, {exactly(1e-8), exactly(1.1e-6), true},
		{exactly(0.5e12), exactly(1.1e6), false},
		{exactly((1e6 + 10) * (5e5 - 15)), exactly(1e6 + 10), false}, {exactly((1e6 - 10) * (5e5 + 15)), exactly(1e6 - 10), false}, // a μ, and a b, beyond 10⁶
		{exactly((1e6 - 10) * 5e5), exactly(1e6 - 10), true},                                 // and both below
		{exactly(76), exactly(2), false}, {exactly(math.Nextafter(76, 0)), exactly(2), true}, // an a of 37
		{exactly(0.5e-6), exactly(1e-6), false}, {exactly(0.6e-6), exactly(math.Nextafter(1e-6, 1)), true},
		{exactly((1e6 - 10) * (5e5 + 5)), exactly(1e6 - 10), false}, // a b of 10⁶
		{exactly((1e6 + 0.5) * (5e5 - 15)), exactly(1e6 + 0.5), false}, {exactly(1e6 * (5e5 - 15)), exactly(1e6), false},
		{exactly(0.5 + 0x1p-53), exactly(1), false}, {exactly(0.5 + 0x1p-46), exactly(1), true}, // a², a number below 1e-30 or above
		{exactly(math.NaN()), exactly(1), false}, {exactly(1), exactly(math.NaN()), false},
	} {
		p, ok := pointBall(c.eps, c.mu, 60)
		if ok != c.ok {
			t.Errorf("ε = %+v, μ = %+v: a = %+v, taken %v, want %v", c.eps, c.mu, p.a, ok, c.ok)
		}
	}
	for _, c := range []struct {
		mu    ball
		delta float64
		ok    bool
	}{
		{exactly(1), 0.01, true}, {exactly(1), 1e-200, false}, {exactly(1), math.Nextafter(1e-200, 1), true}, {exactly(0.9e-6), 1e-7, false},
		{exactly(99), 0.5, true}, {exactly(101), 0.5, false},
		{exactly(1), 0.9, false}, // ε = 0 is enough
		{ball{double{1, 0}, 0.2}, 0.01, false},
	} {
		if eps, ok := epsilonBall(c.mu, c.delta); ok != c.ok {
			t.Errorf("μ = %+v, δ = %v: ε = %+v, taken %v, want %v", c.mu, c.delta, eps, ok, c.ok)
		}
	}
	for _, c := range []struct {
		eps          ball
		delta, start float64
		ok           bool
	}{
		{exactly(1), 0.01, solveMu(1, math.Log(0.01)), true}, {exactly(1), 0.01, 1.001 * solveMu(1, math.Log(0.01)), false},
		{exactly(1), 1e-200, solveMu(1, math.Log(1e-200)), false}, {exactly(1), math.Nextafter(1e-200, 1), solveMu(1, math.Log(1e-200)), true},
		{ball{double{1, 0}, 1e-17}, 0.01, solveMu(1, math.Log(0.01)), true}, {ball{double{1, 0}, 1e-11}, 0.01, solveMu(1, math.Log(0.01)), false},
	} {
		if mu, ok := muBall(c.eps, c.delta, c.start); ok != c.ok {
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
