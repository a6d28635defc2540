package gaussian

import (
	"math"

	"dpworkbench/interval"
)

// slack is a factor that covers the rounding of float64 bounds: 1e-9 is more than 10⁶ rounding units.
const slack = 1 + 1e-9

var sqrtHalfPiBall, sqrtTwoPiBall = sqrtHalfPi.Ball(), sqrtTwoPi.Ball()

// millsBall returns the Mills ratio R(x) for x ≥ 0 in ball arithmetic. growth returns e^{x²/2} and is called only for x
// < 4.
func millsBall(x interval.Ball, nats float64, growth func() interval.Ball) interval.Ball {
	if x.Mid.Hi >= 4 {
		return fraction(x, nats)
	}
	return sqrtHalfPiBall.Mul(growth()).Sub(series(x, nats))
}

// ballPoint is a point whose numbers are balls.
type ballPoint struct {
	a, b       interval.Ball
	drop, high interval.Ball
	normalised interval.Ball // √(2π) e^{a²/2}: δ = drop/normalised
}

// pointBall returns δ(ε, ·) at μ, and false if balls may be too inaccurate for it.
func pointBall(eps, mu interval.Ball, nats float64) (p ballPoint, ok bool) {
	if !(mu.Mid.Hi > 1e-6 && mu.Mid.Hi < 1e6) {
		return p, false
	}
	c, half := eps.Quo(mu), mu.Scale(-1)
	p.a, p.b = c.Sub(half), c.Add(half)
	if !(math.Abs(p.a.Mid.Hi) < 37 && math.Abs(p.a.Mid.Hi) > 2*p.a.Radius && p.b.Mid.Hi < 1e6 && p.b.Mid.Hi > 0) {
		return p, false
	}
	square := p.a.Mul(p.a).Scale(-1)
	if !(square.Mid.Hi > 1e-30) {
		return p, false
	}
	growth := square.Exp()
	p.normalised = sqrtTwoPiBall.Mul(growth)
	p.high = millsBall(p.b, nats, func() interval.Ball { return p.b.Mul(p.b).Scale(-1).Exp() })
	if p.a.Mid.Hi > 0 {
		p.drop = millsBall(p.a, nats, func() interval.Ball { return growth }).Sub(p.high)
	} else {
		p.drop = p.normalised.Sub(millsBall(interval.BallAt(0).Sub(p.a), nats, func() interval.Ball { return growth })).Sub(p.high)
	}
	return p, true
}

// excess returns (δ(ε, μ) − δ)/φ(a).
func (p ballPoint) excess(delta interval.Ball) interval.Ball {
	return p.drop.Sub(delta.Mul(p.normalised))
}

// muBall does the work of muNear in ball arithmetic. It returns false if the Newton step proves nothing.
func muBall(eps, delta interval.Ball, start float64) (interval.Ball, bool) {
	p, ok := pointBall(eps, interval.BallAt(start), aim(muNats, start))
	if !ok || !(delta.Mid.Hi > 1e-200) {
		return interval.Ball{}, false
	}
	// For ξ within radius of μ₀, a(ξ) is within b·10⁻¹³ of a₀, except for a relative 10⁻¹².
	radius := start * 1e-13
	off := (p.b.Size() + p.b.Radius) * 1e-13
	m := off * (2*(p.a.Size()+p.a.Radius) + off) / 2 // below 1e-5, as |a| < 37 and b < 10⁶: |eˣ − 1| ≤ 1.0001|x|, and 2|x| holds roundings too
	step := p.excess(delta).Mul(interval.Ball{Mid: interval.DoubleDouble{Hi: 1}, Radius: 2 * m * slack})
	if !((step.Size()+step.Radius)*slack < radius) {
		return interval.Ball{}, false
	}
	return interval.BallAt(start).Sub(step), true
}

// epsilonBall encloses the root ε* > 0 of δ(ε, μ) = δ by one interval Newton step from a float64 root ε₀. log is ln δ.
// δ decreases in ε with slope −φ(a)R(b), so for some ξ between ε₀ and ε*
//
//	ε* = ε₀ + (R(a₀) − R(b₀) − δ/φ(a₀))/R(b₀) · φ(a₀)R(b₀)/(φ(a(ξ))R(b(ξ))).
//
// It returns false if the step proves nothing.
func epsilonBall(mu, delta interval.Ball, log float64) (interval.Ball, bool) {
	if !(delta.Mid.Hi > 1e-200 && mu.Mid.Hi > 1e-6 && mu.Mid.Hi < 100) {
		return interval.Ball{}, false
	}
	return epsilonNear(mu, delta, solveEpsilon(log, mu.Mid.Hi))
}

// epsilonNear takes the Newton step of epsilonBall from the given start.
func epsilonNear(mu, delta interval.Ball, start float64) (interval.Ball, bool) {
	p, ok := pointBall(interval.BallAt(start), mu, aim(epsilonNats, mu.Mid.Hi))
	if !ok {
		return interval.Ball{}, false
	}
	step := p.excess(delta).Quo(p.high)
	radius := (2*(step.Size()+step.Radius) + start*1e-14) * slack
	if !(radius < start/4) {
		return interval.Ball{}, false
	}
	// For ξ within radius of ε₀, a(ξ) and b(ξ) are within off of a₀ and b₀, and 0 < −R'/R = 1/R − b < 1.
	off := radius / (mu.Mid.Hi/slack - mu.Radius) * slack
	m := off * ((2*(p.a.Size()+p.a.Radius)+off)/2 + 1) * slack // |eˣ − 1| ≤ 2|x| for |x| ≤ 1
	if !(m < 1) {
		return interval.Ball{}, false
	}
	step = step.Mul(interval.Ball{Mid: interval.DoubleDouble{Hi: 1}, Radius: 2 * m * slack})
	if !((step.Size()+step.Radius)*slack < radius) {
		return interval.Ball{}, false
	}
	return interval.BallAt(start).Add(step), true
}

// deltaBall returns δ(ε, μ) in ball arithmetic, for an ε that is a point. It returns false if balls may be too
// inaccurate.
func (m quotient) deltaBall(eps interval.Interval) (delta interval.Ball, ok bool) {
	p, ok := pointBall(eps.Ball(), m.ball(), fullNats)
	return p.drop.Quo(p.normalised), ok
}

func (m quotient) ball() interval.Ball { return m.num.Ball().Quo(m.den.Ball()) }
