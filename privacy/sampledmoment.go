package privacy

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/internal/golden"
	"dpworkbench/interval"
)

// This file computes log-moments of subsampled pairs. With A = 1 − γ + γe^l, where l is the loss of the base and E its
// mean under Q, e^{K(s)} at s = α − 1 is
//
//	removal:     E A^α
//	addition:    E A^{1−α}
//	replacement: E (A^α + A^{1−α}; l > 0) + (1 − γ)TV
//
// where TV is the total variation distance of the base, which is its own reverse. Since all masses sum to 1, the last
// line is 1 + E (A^α + A^{1−α} − A − 1; l > 0). At integer orders removal is the binomial sum Σ C(α, j)(1 − γ)^{α−j}γ^j
// e^{K₀(j−1)} with the base's log-moment K₀ (Mironov, Talwar and Zhang 2019). The others are computed as integrals.

const (
	maxWholeOrder    = 1 << 11
	maxMomentOrder   = 1e6
	maxMomentPanels  = 1 << 12
	nodesOfPanel     = 24
	leastLogOfMoment = -140 // least logarithm of the tolerance: intervals have 177 digits to the base e
)

// LogMoment implements Pair.
func (p *subsampled) LogMoment(s interval.Interval) interval.Interval {
	if order, ok := wholeOrder(s); ok && p.kind == removal {
		return p.wholeMoment(order)
	}
	most := interval.Max(p.logMomentBound(s), interval.Int(0))
	out := interval.Hull(interval.Int(0), most)
	if k, ok := p.integratedMoment(s); ok {
		out = interval.Hull(interval.Max(k.Lower(), interval.Int(0)), interval.Min(k.Upper(), most.Upper()))
	}
	return out
}

// wholeMoment returns the log-moment of a removal as a binomial sum.
func (p *subsampled) wholeMoment(order int64) interval.Interval {
	return binomialMoment(order, p.rate, p.base.logMoment)
}

// binomialMoment returns the log-moment of a removal at an integer order from the log-moments K₀ of the base. With
// e^{K₀} = 1 the terms sum to 1, so nothing cancels.
func binomialMoment(order int64, rate *big.Rat, logMoment func(s interval.Interval) interval.Interval) interval.Interval {
	rest := interval.Rat(new(big.Rat).Sub(one, rate))
	odds := interval.Rat(rate).Quo(rest)
	sum, term := interval.Int(0), rest.Pow(int(order))
	for j := int64(1); j <= order; j++ {
		term = term.Mul(odds).Mul(interval.Int(order - j + 1)).Quo(interval.Int(j))
		if j > 1 {
			sum = sum.Add(term.Mul(logMoment(interval.Int(j - 1)).Expm1()))
		}
	}
	return sum.Log1p()
}

// wholeOrder returns α = s + 1 if it is an integer of moderate size.
func wholeOrder(s interval.Interval) (order int64, ok bool) {
	n, ok := s.Floor()
	if !ok || n.Cmp(big.NewInt(maxWholeOrder)) >= 0 {
		return 0, false
	}
	at := interval.Int(n.Int64())
	return n.Int64() + 1, s.CmpLo(at) == 0 && s.CmpHi(at) == 0
}

// integratedMoment returns the log-moment by quadrature for s > −1, and false if that needs too many panels.
func (p *subsampled) integratedMoment(s interval.Interval) (interval.Interval, bool) {
	order := s.Mid() + 1
	if !(order < maxMomentOrder) {
		return s, false
	}
	unit := interval.Int(1)
	m := &sampledMoment{kind: p.kind, rate: interval.Rat(p.rate), scale: interval.Int(0), sum: interval.Int(0)}
	up, down := s.Add(unit), s.Neg()
	switch p.kind {
	case removal:
		m.powers = []interval.Interval{up}
	case addition:
		m.powers = []interval.Interval{down}
	default:
		m.powers = []interval.Interval{up, down}
	}
	integrate := m.integrateNormal
	if m.normal = p.base.normalMu != nil; m.normal {
		m.slope = *p.base.normalMu
	} else {
		m.slope, integrate = p.base.pointMasses[0].loss, m.integrateLaplace
	}
	// For a small variance, K(s) is about s(1 + s)/2 times the variance of the loss. The digits are chosen for the
	// relative error of this number.
	rate := m.rate.Mid()
	m.digits = -38 + min(0, math.Log(order*math.Abs(order-1)/2*rate*rate*min(1, math.Expm1(m.slope.Mid()*m.slope.Mid()))))
	m.digits = max(m.digits, leastLogOfMoment)
	ok := integrate(order)
	if p.kind == replacement {
		m.sum = m.sum.Add(m.scale.Neg().Exp())
	}
	return m.scale.Add(m.sum.Log()), ok
}

// Mean implements Pair. The log-moment K is convex and K(0) = 0, so K'(0) lies between −K(−h)/h and K(h)/h.
func (p *subsampled) Mean() interval.Interval {
	h := interval.TwoTo(-40)
	out := interval.Hull(interval.Int(0), p.base.mean) // by convexity of the divergence
	if k, ok := p.integratedMoment(h); ok {
		out = interval.Hull(out.Lower(), interval.Min(out, k.Quo(h)).Upper())
	}
	if k, ok := p.integratedMoment(h.Neg()); ok {
		out = interval.Hull(interval.Max(out.Lower(), k.Quo(h).Neg().Lower()), out.Upper())
	}
	return out
}

// sampledMoment is the integral of w(x)·Σ A(x)^e over the powers e, divided by e^scale. For replacement, w(x)(A(x) + 1)
// is subtracted from the integrand. Here l = slope·x is the loss of the base, and w is the density of x under Q: a
// normal density centered at −slope/2, or (slope/4)e^{−slope(1 + x)/2} on [−1, 1] for a Laplace pair.
type sampledMoment struct {
	kind        mixture
	slope, rate interval.Interval
	normal      bool
	powers      []interval.Interval
	scale       interval.Interval
	digits      float64 // the logarithm of a panel's tolerance
	tolerance   interval.Interval
	constant    interval.Interval // the constant term of ln w, minus the scale
	height      []float64         // heights of the ellipses to try besides the panel's own
	sum         interval.Interval
	panels      int
}

// integrateNormal chooses the range of integration and bounds the integral beyond it. Let μ = slope and z = x + μ/2. A
// ≤ 1 for x ≤ 0 and A ≥ 1 for x ≥ 0. For all powers A^e is convex in e^l, so A^e ≤ 1 − γ + γe^{el}. The integral of
// this bound beyond some z is the sum of two normal tails. A is at least 1 − γ and at least γe^l.
func (m *sampledMoment) integrateNormal(order float64) bool {
	mu, rate := m.slope.Mid(), m.rate.Mid()
	apart := order * (order - 1) / 2 * mu * mu
	unit, two, alpha := interval.Int(1), interval.Int(2), m.powers[0]
	if m.kind == addition {
		alpha = unit.Sub(m.powers[0])
	}
	moment := alpha.Mul(alpha.Sub(unit)).Mul(m.slope).Mul(m.slope).Quo(two) // K₀
	top, extra := 0.0, 0.0
	if m.kind == addition { // the logarithm of the integrand is concave
		_, least := golden.Minimize(func(x float64) float64 {
			return (x+mu/2)*(x+mu/2)/2 + (order-1)*math.Log1p(rate*math.Expm1(mu*x))
		}, (0.5-order)*mu, -mu/2, 40)
		top = max(0, -least)
	} else {
		top = max(0, order*math.Log(rate)+apart)
		extra = max(0, math.Log(rate)+apart) - top
	}
	m.start(top)
	reach := math.Sqrt(2*(extra-m.digits)) + 1
	from, to := -mu/2-reach, (order-0.5)*mu+reach
	switch m.kind {
	case addition:
		from, to = from-(order-1)*mu, max(reach-mu/2, 0)
	case replacement:
		from = 0
	}
	if !m.integrate(from, to) {
		return false
	}
	normalTail := func(z interval.Interval) interval.Interval { return z.Mul(z).Quo(two).Neg().Exp().Quo(two) } // bounds 1 − Φ(z)
	half, rest := m.slope.Quo(two), unit.Sub(m.rate)
	low, high := interval.Float(from).Add(half), interval.Float(to).Add(half)
	if order < 1 { // A^e ≤ max(A, 1) for 0 ≤ e ≤ 1; replacement has two such powers and A + 1, and only x > 0
		beyond := normalTail(high).Add(m.rate.Mul(normalTail(high.Sub(m.slope)))).Mul(interval.Int(4))
		if m.kind != replacement {
			beyond = beyond.Add(normalTail(low))
		}
		m.add(beyond.Mul(m.scale.Neg().Exp()))
		return true
	}
	beyond := normalTail(high) // enough for addition, where A^{1−α} ≤ 1
	if m.kind != addition {
		beyond = beyond.Add(m.rate.Mul(moment.Exp()).Mul(normalTail(high.Sub(alpha.Mul(m.slope)))))
	}
	switch s := alpha.Sub(unit); m.kind {
	case removal:
		beyond = beyond.Add(normalTail(low))
	case addition:
		beyond = beyond.Add(interval.Min(s.Mul(rest.Log()).Neg().Exp().Mul(normalTail(low)),
			moment.Sub(s.Mul(m.rate.Log())).Exp().Mul(normalTail(low.Add(s.Mul(m.slope))))))
	}
	m.add(beyond.Mul(m.scale.Neg().Exp()))
	return true
}

// integrateLaplace integrates over the losses between the two point masses, and adds the point masses.
func (m *sampledMoment) integrateLaplace(_ float64) bool {
	unit, half := interval.Int(1), interval.Rat(big.NewRat(1, 2))
	low, high := m.logA(unit.Neg()), m.logA(unit)
	top, from := 0.0, -1.0
	for _, e := range m.powers {
		top = max(top, e.Mul(high).Sub(m.slope).Mid(), e.Mul(low).Mid())
	}
	if m.kind == replacement {
		from = 0
	}
	m.start(top)
	for _, e := range m.powers {
		m.sum = m.sum.Add(half.Mul(e.Mul(high).Sub(m.slope).Sub(m.scale).Exp()))
		if m.kind != replacement {
			m.sum = m.sum.Add(half.Mul(e.Mul(low).Sub(m.scale).Exp()))
		}
	}
	if m.kind == replacement {
		m.sum = m.sum.Sub(half.Mul(m.linear(high, m.slope.Add(m.scale).Neg())))
	}
	return m.integrate(from, 1)
}

func (m *sampledMoment) start(scale float64) {
	m.scale = interval.Float(scale)
	m.tolerance = interval.Float(m.digits).Exp()
	if m.constant = m.slope.Quo(interval.Int(4)).Log(); m.normal {
		m.constant = interval.Pi().Mul(interval.Int(2)).Log().Mul(interval.TwoTo(-1)).Neg()
	}
	m.constant = m.constant.Sub(m.scale)
	m.height = []float64{2.4 / m.slope.Mid()}
	if e := m.powers[len(m.powers)-1].Mid(); e < 0 { // cos(v/2)^e increases with v
		m.height = append(m.height, min(2.4, math.Sqrt(-8/e))/m.slope.Mid())
	}
}

// add adds an unknown number whose modulus is at most most.
func (m *sampledMoment) add(most interval.Interval) {
	m.sum = m.sum.Add(interval.Hull(most.Neg(), most))
}

// logA returns ln A at x.
func (m *sampledMoment) logA(x interval.Interval) interval.Interval {
	return m.rate.Mul(m.slope.Mul(x).Expm1()).Log1p()
}

// logDensity returns ln w at x, minus the scale.
func (m *sampledMoment) logDensity(x interval.Interval) interval.Interval {
	half := interval.TwoTo(-1)
	if m.normal {
		z := x.Add(m.slope.Mul(half))
		return m.constant.Sub(z.Mul(z).Mul(half))
	}
	return m.constant.Sub(m.slope.Mul(x.Add(interval.Int(1))).Mul(half))
}

// at returns the integrand at x.
func (m *sampledMoment) at(x interval.Interval) interval.Interval {
	log, density := m.logA(x), m.logDensity(x)
	sum := interval.Int(0)
	for _, e := range m.powers {
		sum = sum.Add(e.Mul(log).Add(density).Exp())
	}
	if m.kind == replacement {
		sum = sum.Sub(m.linear(log, density))
	}
	return sum
}

// linear returns w(A + 1), from the logarithms of A and w.
func (m *sampledMoment) linear(log, density interval.Interval) interval.Interval {
	return log.Exp().Add(interval.Int(1)).Mul(density.Exp())
}

// largest bounds the modulus of the integrand over all x + iy with x between two points and |y| at most height. ok is
// false if the integrand may not be analytic there. Let l = slope·x and v = slope·height. |A| is at most A(to), and
// |e^{−l}A| at most its value at from. If v < π, |A| is at least A(from)cos(v/2), since |a + be^{iv}|² ≥ (a +
// b)²cos²(v/2) for a, b ≥ 0, and cos(v/2) ≥ 1 − v²/8 > 0. For any v, if one of 1 − γ and γe^l is at least twice the
// other, |A| is at least their difference.
func (m *sampledMoment) largest(from, to, height interval.Interval) (most interval.Interval, ok bool) {
	unit, two := interval.Int(1), interval.Int(2)
	upper, lower := m.logA(to), m.logA(from)
	ratio := lower.Sub(m.slope.Mul(from)) // ln A − l, decreasing
	if v := m.slope.Mul(height); v.Less(interval.Rat(big.NewRat(5, 2))) {
		lower = lower.Add(v.Mul(v).Quo(interval.Int(8)).Neg().Log1p())
	} else {
		rest, low, high := unit.Sub(m.rate), m.rate.Mul(m.slope.Mul(from).Exp()), m.rate.Mul(m.slope.Mul(to).Exp())
		switch {
		case high.Mul(two).Less(rest):
			lower = rest.Sub(high).Log()
		case rest.Mul(two).Less(low):
			lower = low.Sub(rest).Log()
		default:
			return unit, false
		}
	}
	density := m.logDensity(from) // decreases in x for a Laplace pair
	center, wide := m.slope.Quo(two).Neg(), height.Mul(height).Quo(two)
	nearest := func(x interval.Interval) interval.Interval { return interval.Min(interval.Max(x, from), to) }
	if m.normal {
		density = m.logDensity(nearest(center)).Add(wide)
	}
	sum := interval.Int(0)
	for _, e := range m.powers {
		log := e.Mul(upper).Add(density)
		if s, _ := e.Sign(); s < 0 {
			log = e.Mul(lower).Add(density)
		} else if m.normal { // e^{el}w is a multiple of a normal density
			x := nearest(center.Add(e.Mul(m.slope)))
			log = interval.Min(log, e.Mul(ratio.Add(m.slope.Mul(x))).Add(m.logDensity(x)).Add(wide))
		}
		sum = sum.Add(log.Exp())
	}
	if m.kind == replacement {
		sum = sum.Add(m.linear(upper, density))
	}
	return sum.Upper(), true
}

// integrate adds the integral from one point to another. It halves the panel unless the integral or the rule's error is
// below the tolerance.
//
// The Gauss–Legendre rule with n nodes on a panel of half-width r is exact for degrees below 2n. Suppose that the
// integrand is analytic and at most M in an ellipse about the panel with semi-axes r(ρ ± 1/ρ)/2. Then its Chebyshev
// coefficients are at most 2Mρ^{−k}. For the Chebyshev polynomial T_k, the integral is at most 2/(k² − 1) and the value
// of the rule at most 2, and both vanish for odd k. So the error is at most (64/15)Mρ^{−2n}r/(1 − ρ^{−2}) (Trefethen
// 2008, Theorem 4.5).
func (m *sampledMoment) integrate(from, to float64) bool {
	if m.panels++; m.panels > maxMomentPanels {
		return false
	}
	a, b, two := interval.Float(from), interval.Float(to), interval.Int(2)
	if most, ok := m.largest(a, b, interval.Int(0)); ok {
		if all := most.Mul(b.Sub(a)); all.CmpHi(m.tolerance) <= 0 {
			m.add(all)
			return true
		}
	}
	middle, r := a.Add(b).Quo(two), b.Sub(a).Quo(two)
	for _, height := range append([]float64{2 * (to - from)}, m.height...) {
		h := interval.Float(height)
		long := h.Mul(h).Add(r.Mul(r)).Sqrt()
		most, ok := m.largest(middle.Sub(long), middle.Add(long), h)
		if !ok {
			continue
		}
		rho := h.Add(long).Quo(r)
		off := most.Mul(interval.Int(64)).Quo(interval.Int(15)).Mul(r).Quo(rho.Pow(2 * nodesOfPanel).Sub(rho.Pow(2*nodesOfPanel - 2)))
		if off.CmpHi(m.tolerance) > 0 {
			continue
		}
		sum := interval.Int(0)
		for _, node := range legendre() {
			sum = sum.Add(node.weight.Mul(m.at(middle.Add(node.x.Mul(r)))))
		}
		m.sum = m.sum.Add(sum.Mul(r)).Add(interval.Hull(off.Neg(), off))
		return true
	}
	mid := from + (to-from)/2
	return from < mid && mid < to && m.integrate(from, mid) && m.integrate(mid, to)
}

// legendreNode is a node of the Gauss–Legendre rule on [−1, 1] with its weight.
type legendreNode struct{ x, weight interval.Interval }

// legendre returns the rule. Each sign change of the polynomial encloses a zero, and there are as many sign changes as
// its degree.
var legendre = sync.OnceValue(func() []legendreNode {
	const n = nodesOfPanel
	unit := interval.Int(1)
	polynomial := func(x interval.Interval) (value, slope interval.Interval) {
		last, p := unit, x
		for k := int64(2); k <= n; k++ {
			last, p = p, interval.Int(2*k-1).Mul(x).Mul(p).Sub(interval.Int(k-1).Mul(last)).Quo(interval.Int(k))
		}
		return p, interval.Int(n).Mul(last.Sub(x.Mul(p))).Quo(unit.Sub(x.Mul(x)))
	}
	var out []legendreNode
	for k := range n {
		x := interval.Float(math.Cos(math.Pi * (float64(k) + 0.75) / (n + 0.5)))
		for range 6 {
			p, d := polynomial(x)
			x = interval.Big(x.Sub(p.Quo(d)).MidFloat(interval.Prec))
		}
		for width := -230; ; width++ {
			low, high := x.Sub(interval.TwoTo(width)), x.Add(interval.TwoTo(width))
			p, _ := polynomial(low)
			q, _ := polynomial(high)
			if s, _ := p.Mul(q).Sign(); s < 0 {
				x = interval.Hull(low, high)
				break
			}
		}
		_, d := polynomial(x)
		out = append(out, legendreNode{x, interval.Int(2).Quo(unit.Sub(x.Mul(x)).Mul(d).Mul(d))})
	}
	return out
})
