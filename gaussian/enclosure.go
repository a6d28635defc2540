package gaussian

import (
	"math"

	"dpworkbench/interval"
)

var (
	sqrtHalfPi = interval.Pi().Quo(interval.Int(2)).Sqrt()
	sqrtTwoPi  = sqrtHalfPi.Mul(interval.Int(2))
	half       = interval.Int(1).Quo(interval.Int(2))
)

// These are accuracies of Mills ratios, in nats. muNats and epsilonNats are enough to determine the float64s next to a
// root. fullNats is the most that pairs of float64s support.
const (
	muNats      = 44
	epsilonNats = 60
	fullNats    = 90
)

// aim returns the absolute accuracy of the Mills ratios, in nats, at which R(a) − R(b) has a relative accuracy of
// e^{−nats}. The difference is about μ for small μ.
func aim(nats, mu float64) float64 { return nats - math.Log(math.Min(mu, 1)) }

// millsEnclosure encloses R(x) for x ≥ 0. Its absolute error is about e^{−nats}, and the enclosure is valid whatever
// accuracy it reaches. growth returns e^{x²/2} and is called only for x < 4.
func millsEnclosure(x interval.Interval, nats float64, growth func() interval.Interval) interval.Interval {
	near := x.Ball()
	if near.Mid.Hi >= 4 {
		return fraction(near, nats).Interval()
	}
	return sqrtHalfPi.Mul(growth()).Sub(series(near, nats).Interval())
}

// growthAt encloses e^{x²/2}.
func growthAt(x interval.Interval) interval.Interval { return x.Mul(x).Mul(half).RoughExp() }

// ratioAt encloses the Mills ratio R(x). Callers that also need e^{x²/2} call millsEnclosure instead, to compute it
// only once.
func ratioAt(x interval.Interval, nats float64) interval.Interval {
	return millsEnclosure(x, nats, func() interval.Interval { return growthAt(x) })
}

// fraction encloses R = 1/(x + 1/(x + 2/(x + …))) on a ball about x ≥ 4. The tail of the fraction lies between
// (n+1)/(x + U_{n+2}) and U_{n+1} (see mills.go).
//
// A step q_k = k/(x + q_{k+1}) passes on the relative error of q_{k+1}, reduced by q_{k+1}/(x + q_{k+1}) < 1, and
// adds two roundings: n steps and the last leave R(2n + 3) roundings. The tail's width shrinks by q_k²/k ≤ U_k²/k a
// step. The radius of x counts with |R'| = 1 − xR, which is at most 1/(x² + 1) as R ≥ x/(x² + 1).
func fraction(at interval.Ball, nats float64) interval.Ball {
	x, off := at.Mid, at.Radius
	upper := func(n int) float64 {
		k := float64(n)
		return 2 * k / (x.Hi + math.Sqrt(x.Hi*x.Hi+4*k)) * slack
	}
	shrunk, limit := 1/(x.Hi*x.Hi), math.Exp(-nats)
	n := 1 // |dR/dq_1| ≤ 1/x², |dq_k/dq_{k+1}| = q_k²/k
	for ; shrunk > limit && n < 1000; n++ {
		u := upper(n)
		shrunk *= u * u / float64(n)
	}
	n--
	high := upper(n + 1)
	low := float64(n+1) / (x.Hi + upper(n+2)) / slack
	q := interval.DoubleDouble{Hi: (low + high) / 2}
	for k := n; k >= 1; k-- {
		q = interval.DoubleDouble{Hi: float64(k)}.Quo(x.Add(q))
	}
	r := interval.DoubleDouble{Hi: 1}.Quo(x.Add(q))
	slope := 1 / (x.Hi * x.Hi) // slack covers a relative offset of at most 1e-12
	if off > 1e-12*x.Hi {
		slope = 1
	}
	return interval.Ball{Mid: r, Radius: (off*slope + shrunk*(high-low) + r.Hi*float64(2*n+3)*interval.DoubleError) * slack}
}

// series encloses S = (Φ(x) − ½)/φ(x) = Σ x^{2k+1}/(2k+1)!! on a ball about x in [0, 4), by Horner's rule on y = x²,
//
//	S = x(1 + y/3(1 + y/5(1 + … y/(2n+1)(1 + rest)))),
//
// where rest, y/(2n+3) + y²/((2n+3)(2n+5)) + …, lies between 0 and 2y/(2n+3) once 2n+3 ≥ 2y. The terms are positive, so
// that relative errors add up: four roundings a step and five outside. The radius of x counts with S' = 1 + xS.
func series(at interval.Ball, nats float64) interval.Ball {
	x, off := at.Mid, at.Radius
	top := x.Hi * x.Hi
	shrunk, limit := x.Hi, math.Exp(-nats)
	n := 0
	for ; shrunk > limit || float64(2*n+3) < 2*top; n++ {
		shrunk *= top / float64(2*n+3)
	}
	y, one := x.Mul(x), interval.DoubleDouble{Hi: 1}
	sum := one
	for k := n; k >= 1; k-- {
		sum = one.Add(y.Quo(interval.DoubleDouble{Hi: float64(2*k + 1)}).Mul(sum))
	}
	sum = sum.Mul(x)
	rest := shrunk * 2 * top / float64(2*n+3)
	err := (rest + sum.Hi*float64(4*n+5)*interval.DoubleError + off*(1+(x.Hi+off)*sum.Hi)*2) * slack
	return interval.Ball{Mid: sum, Radius: err + 0x1p-900} // covers underflow at x near 0
}

// point holds enclosures of the parts of δ(ε, ·) at one μ: a, R(a) − R(b) and R(b). For a < 0, R(a) = √(2π) e^{a²/2} −
// R(−a).
type point struct {
	a, halfSquare interval.Interval // a and a²/2
	drop, high    interval.Interval // R(a) − R(b), R(b)
	growth        interval.Interval // e^{a²/2}, if grown is true
	grown         bool
}

// quotient is μ = num/den, sensitivity over standard deviation.
type quotient struct{ num, den interval.Interval }

func plain(mu interval.Interval) quotient { return quotient{mu, interval.Int(1)} }

func (m quotient) value() interval.Interval { return m.num.Quo(m.den) }

// ends encloses a = ε/μ − μ/2 and b = ε/μ + μ/2, computed as (2ε·den² ∓ num²)/(2·num·den). If ε is close to μ²/2 the
// subtraction cancels. But its operands are exact if ε, num and den are float64s.
func (m quotient) ends(eps interval.Interval) (a, b interval.Interval) {
	first := eps.Add(eps).Mul(m.den).Mul(m.den)
	second := m.num.Mul(m.num)
	under := m.num.Mul(m.den)
	under = under.Add(under)
	return first.Sub(second).Quo(under), first.Add(second).Quo(under)
}

// newPoint encloses δ(ε, ·) at μ. The Mills ratios have an absolute error of about e^{−nats}. If a < 4, |a| must be
// below 2e4.
func newPoint(eps, mu interval.Interval, nats float64) *point { return plain(mu).point(eps, nats) }

// point does the work of newPoint for μ = num/den.
func (m quotient) point(eps interval.Interval, nats float64) *point {
	a, b := m.ends(eps)
	p := &point{a: a}
	p.halfSquare = p.a.Mul(p.a).Mul(half)
	p.high = ratioAt(b, nats)
	var low interval.Interval
	switch lo, hi := p.a.Bounds(); {
	case lo >= 0:
		low = millsEnclosure(p.a, nats, p.exp)
	case hi <= 0:
		low = sqrtTwoPi.Mul(p.exp()).Sub(millsEnclosure(p.a.Neg(), nats, p.exp))
	default: // the enclosure of a contains 0, and R decreases
		least := p.a.Lower()
		most := sqrtTwoPi.Mul(growthAt(least)).Sub(ratioAt(least.Neg(), nats))
		low = interval.Hull(ratioAt(p.a.Upper(), nats), most)
	}
	mu := m.value()
	if mu.Mid() > 1e-9 {
		p.drop = low.Sub(p.high)
		return p
	}
	// The subtraction R(a) − R(b) would cancel. The difference is the integral over [a, b] of Q = −R' = 1 − xR. Q is
	// convex, because R(x) = ∫ e^{−xt−t²/2} dt is completely monotone. So the midpoint rule bounds the integral from
	// below and the trapezoid rule from above. The relative gap is about μ²/2.
	slope := func(x, r interval.Interval) interval.Interval { return interval.Int(1).Sub(x.Mul(r)) }
	mid := eps.Quo(mu)
	under := slope(mid, ratioAt(mid, nats))
	over := slope(p.a, low).Add(slope(b, p.high)).Mul(half)
	p.drop = mu.Mul(interval.Hull(under, over))
	return p
}

// exp returns e^{a²/2}. It computes the power at the first call only.
func (p *point) exp() interval.Interval {
	if !p.grown {
		p.growth, p.grown = p.halfSquare.RoughExp(), true
	}
	return p.growth
}

// delta encloses δ = φ(a)·(R(a) − R(b)).
func (p *point) delta() interval.Interval { return p.drop.Quo(sqrtTwoPi.Mul(p.exp())) }
