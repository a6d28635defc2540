package gaussian

import (
	"math"

	"dpworkbench/interval"
)

// ball is the numbers within r of v: an enclosure at a hundredth of the cost of one of 256
// bits. The sums, products and quotients of pairs of either sign are within doubleError of
// theirs, relatively (Joldes, Muller and Popescu 2017, Theorems 3.1, 5.1 and 6.1), where nothing
// underflows: what is small is refused at the end. Radii are rounded too, by less than slack.
type ball struct {
	v double
	r float64
}

// slack is far beyond the rounding of float64 bounds, 4000 units.
const slack = 1 + 1e-9

func exactly(v float64) ball { return ball{v: double{v, 0}} }

func (x ball) size() float64 { return math.Abs(x.v.hi) * slack }

func (x ball) plus(y ball) ball {
	v := x.v.plus(y.v)
	return ball{v, (x.r + y.r + math.Abs(v.hi)*doubleError) * slack}
}

func (x ball) minus(y ball) ball {
	y.v.hi, y.v.lo = -y.v.hi, -y.v.lo
	return x.plus(y)
}

func (x ball) times(y ball) ball {
	v := x.v.times(y.v)
	return ball{v, (x.size()*y.r + y.size()*x.r + x.r*y.r + math.Abs(v.hi)*doubleError) * slack}
}

// over is x/y for y that is known to half its size.
func (x ball) over(y ball) ball {
	v := x.v.over(y.v)
	if !(y.r <= math.Abs(y.v.hi)/2) {
		return ball{v, math.Inf(1)}
	}
	return ball{v, ((x.r+math.Abs(v.hi)*y.r)/(math.Abs(y.v.hi)/slack-y.r) + math.Abs(v.hi)*doubleError) * slack}
}

// scaled is 2ᵏx.
func (x ball) scaled(k int) ball {
	return ball{double{math.Ldexp(x.v.hi, k), math.Ldexp(x.v.lo, k)}, math.Ldexp(x.r, k)}
}

// sign is that of the ball's numbers, 0 where they are not all beyond their distance from it, of either sign.
func (x ball) sign() int {
	if math.Abs(x.v.hi) > 2*x.r {
		return int(math.Copysign(1, x.v.hi))
	}
	return 0
}

// bounds are the float64s next to the ball. It reports false unless they follow on each
// other, so that a narrower enclosure has the same ones.
func (x ball) bounds() (lo, hi float64, ok bool) {
	if size := math.Abs(x.v.hi); !(size > 1e-280 && size < 1e280) || !(x.r < size*0x1p-60) {
		return 0, 0, false
	}
	lo, hi = x.v.hi, x.v.hi
	if x.v.lo-x.r < 0 { // a difference of float64s has its sign, rounded or not
		lo = math.Nextafter(x.v.hi, math.Inf(-1))
	}
	if x.v.lo+x.r > 0 {
		hi = math.Nextafter(x.v.hi, math.Inf(1))
	}
	return lo, hi, lo == x.v.hi || hi == x.v.hi
}

// ballOf encloses x.
func ballOf(x interval.Interval) ball {
	if lo, hi := x.Bounds(); lo == hi {
		return exactly(lo)
	}
	v, off := nearDouble(x)
	return ball{v, off}
}

var ln2Ball, sqrtHalfPiBall, sqrtTwoPiBall = ballOf(ln2), ballOf(sqrtHalfPi), ballOf(sqrtTwoPi)

// mills is R(x) for x ≥ 0, growth being e^{x²/2}, asked for where x < 4.
func (x ball) mills(nats float64, growth func() ball) ball {
	if x.v.hi >= 4 {
		r, err := fraction(x.v, x.r, nats)
		return ball{r, err}
	}
	sum, err := series(x.v, x.r, nats)
	return sqrtHalfPiBall.times(growth()).minus(ball{sum, err})
}

// ballPoint is point in balls.
type ballPoint struct {
	a, b       ball
	drop, high ball
	normalised ball // √(2π) e^{a²/2}: δ = drop/normalised
}

// pointBall returns δ(ε, ·) at μ. It reports false where balls are too wide for it, or may be.
func pointBall(eps, mu ball, nats float64) (p ballPoint, ok bool) {
	if !(mu.v.hi > 1e-6 && mu.v.hi < 1e6) {
		return p, false
	}
	c, half := eps.over(mu), mu.scaled(-1)
	p.a, p.b = c.minus(half), c.plus(half)
	if !(math.Abs(p.a.v.hi) < 37 && math.Abs(p.a.v.hi) > 2*p.a.r && p.b.v.hi < 1e6 && p.b.v.hi > 0) {
		return p, false
	}
	square := p.a.times(p.a).scaled(-1)
	if !(square.v.hi > 1e-30) {
		return p, false
	}
	growth := square.exp()
	p.normalised = sqrtTwoPiBall.times(growth)
	p.high = p.b.mills(nats, func() ball { return p.b.times(p.b).scaled(-1).exp() })
	if p.a.v.hi > 0 {
		p.drop = p.a.mills(nats, func() ball { return growth }).minus(p.high)
	} else {
		p.drop = p.normalised.minus(exactly(0).minus(p.a).mills(nats, func() ball { return growth })).minus(p.high)
	}
	return p, true
}

// excess is (δ(ε, μ) − δ)/φ(a).
func (p ballPoint) excess(delta float64) ball {
	return p.drop.minus(exactly(delta).times(p.normalised))
}

// muBall is muNear in balls. It reports false where that proves nothing.
func muBall(eps ball, delta, start float64) (ball, bool) {
	p, ok := pointBall(eps, exactly(start), aim(muNats, start))
	if !ok || !(delta > 1e-200) {
		return ball{}, false
	}
	// For ξ within radius of μ₀, a(ξ) is within b·10⁻¹³ of a₀, but for a relative 10⁻¹².
	radius := start * 1e-13
	off := (p.b.size() + p.b.r) * 1e-13
	m := off * (2*(p.a.size()+p.a.r) + off) / 2 // below 1e-5, as |a| < 37 and b < 10⁶: |eˣ − 1| ≤ 1.0001|x|, and 2|x| holds roundings too
	step := p.excess(delta).times(ball{double{1, 0}, 2 * m * slack})
	if !((step.size()+step.r)*slack < radius) {
		return ball{}, false
	}
	return exactly(start).minus(step), true
}

// epsilonBall encloses the root ε* > 0 of δ(ε, μ) = δ by one interval Newton step from a float64 root ε₀: δ falls in
// ε with slope −φ(a)R(b), so for some ξ between ε₀ and ε*
//
//	ε* = ε₀ + (R(a₀) − R(b₀) − δ/φ(a₀))/R(b₀) · φ(a₀)R(b₀)/(φ(a(ξ))R(b(ξ))).
//
// It reports false where that proves nothing.
func epsilonBall(mu ball, delta float64) (ball, bool) {
	if !(delta > 1e-200 && mu.v.hi > 1e-6 && mu.v.hi < 100) {
		return ball{}, false
	}
	return epsilonNear(mu, delta, solveEpsilon(math.Log(delta), mu.v.hi))
}

// epsilonNear is epsilonBall from a start.
func epsilonNear(mu ball, delta, start float64) (ball, bool) {
	p, ok := pointBall(exactly(start), mu, aim(epsilonNats, mu.v.hi))
	if !ok {
		return ball{}, false
	}
	step := p.excess(delta).over(p.high)
	radius := (2*(step.size()+step.r) + start*1e-14) * slack
	if !(radius < start/4) {
		return ball{}, false
	}
	// For ξ within radius of ε₀, a(ξ) and b(ξ) are within off of a₀ and b₀, and 0 < −R'/R = 1/R − b < 1.
	off := radius / (mu.v.hi/slack - mu.r) * slack
	m := off * ((2*(p.a.size()+p.a.r)+off)/2 + 1) * slack // |eˣ − 1| ≤ 2|x| for |x| ≤ 1
	if !(m < 1) {
		return ball{}, false
	}
	step = step.times(ball{double{1, 0}, 2 * m * slack})
	if !((step.size()+step.r)*slack < radius) {
		return ball{}, false
	}
	return exactly(start).plus(step), true
}

// deltaBall returns δ(ε, μ), for an ε of one number.
func (m quotient) deltaBall(eps interval.Interval) (delta ball, ok bool) {
	p, ok := pointBall(ballOf(eps), m.ball(), fullNats)
	return p.drop.over(p.normalised), ok
}

func (m quotient) ball() ball { return ballOf(m.num).over(ballOf(m.den)) }
