package gaussian

import (
	"math"
	"math/big"

	"dpworkbench/internal/interval"
)

// piDigits are the first hundred decimal places of π (OEIS A000796), cut off,
// so that π lies between this number and the next.
const piDigits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"

var (
	sqrtHalfPi = func() interval.Interval {
		lo, _ := new(big.Rat).SetString(piDigits)
		unit, _ := new(big.Rat).SetString("1e-100")
		pi := interval.Hull(interval.Rat(lo), interval.Rat(new(big.Rat).Add(lo, unit)))
		return pi.Quo(interval.Int(2)).Sqrt()
	}()
	sqrtTwoPi = sqrtHalfPi.Mul(interval.Int(2))
	half      = interval.Int(1).Quo(interval.Int(2))
)

// millsEnclosure encloses R(x) for x ≥ 0, aiming at an absolute error of
// e^{−nats}; whatever it reaches, the truth is inside. growth is e^{x²/2},
// asked for only where x < 4.
func millsEnclosure(x interval.Interval, nats float64, growth func() interval.Interval) interval.Interval {
	lo, hi := x.Bounds()
	if lo >= 4 {
		return fractionEnclosure(x, lo, hi, nats)
	}
	return sqrtHalfPi.Mul(growth()).Sub(seriesEnclosure(x, hi, nats))
}

// fractionEnclosure evaluates R = 1/(x + 1/(x + 2/(x + …))) from an enclosure
// of its tail: (n+1)/(x + U_{n+2}) ≤ q_{n+1} ≤ U_{n+1} (see mills.go), with the
// float64 bounds U widened by 1e-9, far beyond their rounding.
func fractionEnclosure(x interval.Interval, lo, hi, nats float64) interval.Interval {
	upper := func(n int) float64 {
		k := float64(n)
		return 2 * k / (lo + math.Sqrt(lo*lo+4*k)) * (1 + 1e-9)
	}
	n := 1 // |dq_k/dq_{k+1}| = q_k²/k ≤ U_k²/k shrinks the tail's width
	for width := math.Exp(nats) / (lo * lo); width > 1 && n < 1000; n++ {
		u := upper(n)
		width *= u * u / float64(n)
	}
	q := interval.Between(float64(n+1)/(hi+upper(n+2))*(1-1e-9), upper(n+1))
	for k := n; k >= 1; k-- {
		q = interval.Int(int64(k)).Quo(x.Add(q))
	}
	return interval.Int(1).Quo(x.Add(q))
}

// seriesEnclosure encloses (Φ(x) − ½)/φ(x) = Σ x^{2k+1}/(2k+1)!! for
// 0 ≤ x ≤ hi < 5. Once 2k+3 > 2y, y = x², the terms fall by more than half, and
// what is left out lies between 0 and twice the first term left out.
func seriesEnclosure(x interval.Interval, hi, nats float64) interval.Interval {
	y := x.Mul(x)
	bound, limit := hi*1.01, math.Exp(-nats)
	n := 0
	for ; bound > limit || float64(2*n+3) < 2.5*hi*hi; n++ {
		bound *= hi * hi / float64(2*n+3) * 1.01
	}
	// Horner: 1 + y/3(1 + y/5(1 + … y/(2n+1)(1 + [0, 2y/(2n+3)])))
	rest := interval.Between(0, 2.5*hi*hi/float64(2*n+3))
	sum := interval.Int(1).Add(rest)
	for k := n; k >= 1; k-- {
		sum = interval.Int(1).Add(sum.Mul(y).Quo(interval.Int(int64(2*k + 1))))
	}
	return sum.Mul(x)
}

// point is δ(ε, ·) at one μ, enclosed: a, R(a) − R(b) and R(b). Where a < 0,
// R(a) = √(2π) e^{a²/2} − R(−a).
type point struct {
	a, halfSquare interval.Interval // a and a²/2
	drop, high    interval.Interval // R(a) − R(b), R(b)
	growth        interval.Interval // e^{a²/2}, where grown
	grown         bool
}

// newPoint encloses δ(ε, ·) at μ, aiming at an absolute error e^{−nats} of the
// Mills ratios. It needs |a| below 2e4 where a < 4.
func newPoint(eps, mu interval.Interval, nats float64) *point {
	c, h := eps.Quo(mu), mu.Mul(half)
	p := &point{a: c.Sub(h)}
	p.halfSquare = p.a.Mul(p.a).Mul(half)
	b := c.Add(h)
	p.high = millsEnclosure(b, nats, func() interval.Interval {
		return b.Mul(b).Mul(half).Exp()
	})
	var low interval.Interval
	switch lo, hi := p.a.Bounds(); {
	case lo >= 0:
		low = millsEnclosure(p.a, nats, p.exp)
	case hi <= 0:
		low = sqrtTwoPi.Mul(p.exp()).Sub(millsEnclosure(p.a.Neg(), nats, p.exp))
	default: // a straddles zero within its own width: R falls
		wide := interval.Between(0, max(-lo, hi))
		r := sqrtHalfPi.Sub(wide) // R(x) ≥ R(0) − x, as R' ≥ −1
		low = interval.Hull(r, sqrtHalfPi.Add(wide.Mul(interval.Int(2))))
	}
	p.drop = low.Sub(p.high)
	return p
}

// exp returns e^{a²/2}, computed once.
func (p *point) exp() interval.Interval {
	if !p.grown {
		p.growth, p.grown = p.halfSquare.Exp(), true
	}
	return p.growth
}

// logDelta encloses ln δ = ln(R(a) − R(b)) − a²/2 − ln √(2π).
func (p *point) logDelta() interval.Interval {
	return p.drop.Quo(sqrtTwoPi).Log().Sub(p.halfSquare)
}

// delta encloses δ = φ(a)·(R(a) − R(b)).
func (p *point) delta() interval.Interval {
	return p.drop.Quo(sqrtTwoPi.Mul(p.exp()))
}
