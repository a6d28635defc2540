package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// solveEpsilon returns a root with the requested δ, checked by enclosures on both sides of a = −1. If the last step is
// below 1e-9 μ, the remaining error is below its square. The error of ln δ is 50 units for ln δ itself, plus those of a
// and b times a.
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
				t.Errorf("μ = %v: ε = 0 for ln δ = %v, but ln δ is %v there", mu, target, got)
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
		// ln δ decreases in ε with slope φ(a)R(b)/δ.
		slope := p.high.Quo(sqrtTwoPi.Mul(p.exp())).Quo(delta).Mid()
		off := 0x1p-53*(50*math.Min(1, math.Abs(target)+delta.Mid())+math.Abs(target)+8*(1+math.Abs(a))*(math.Abs(a)+b)*slope*mu) + 0x1p-52*slope*eps
		if a < -1 { // here ln δ is computed from 1 − δ
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
