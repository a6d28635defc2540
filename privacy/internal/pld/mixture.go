package pld

import (
	"math"
	"slices"

	"dpworkbench/internal/elementary"
)

// Neighbor is the kind of subsampled pair, as in package privacy.
type Neighbor int

const (
	Removal     Neighbor = iota // (γP + (1−γ)Q, Q), where the first dataset has the record
	Addition                    // its reverse
	Replacement                 // for sampling without replacement
)

// Mixture is a pair (P, Q) of noise with a smooth loss t that equals its reverse, subsampled at a rate γ. For Gaussian
// noise t is normal under Q, with mean −μ²/2 and variance μ². For Laplace noise it has the density e^{−(t+ε)/2}/4 under
// Q between −ε and ε, and point masses at both ends.
//
// The loss of (γP + (1−γ)Q, Q) is L(t) = ln(γe^t + 1 − γ), and the loss of the reverse is −L(t). All three parameters
// are exact. Divergences of all orders increase with each parameter, so callers round them up for an upper bound, and
// down for a lower bound.
type Mixture struct {
	Mu   float64 // μ of Gaussian noise; 0 for Laplace noise
	Eps  float64 // ε of Laplace noise; 0 for Gaussian noise
	Rate float64 // γ, 0 < γ ≤ 1, at least 1e-200
	Of   Neighbor

	logMu float64 // set by parts
}

// LeastScale and MostScale are the least and the largest μ or ε of a mixture, and LeastRate is its least rate.
const (
	LeastScale = 1e-100
	MostScale  = 1e3
	LeastRate  = 1e-200
)

// Valid reports whether all parameters are in range.
func (m *Mixture) Valid() bool {
	scale := m.Mu + m.Eps
	return scale >= LeastScale && scale <= MostScale && m.Rate >= LeastRate && m.Rate <= 1
}

// segment is a part of a mixture whose loss increases with a coordinate s, which is t or −t.
type segment struct {
	m        *Mixture
	negative bool // if true, s = −t, the loss is −L(−s), and P has the density of Q
	lo, hi   float64
}

// atom is a loss with a point mass; log is the logarithm of the mass under P.
type atom struct{ loss, log float64 }

// dilute returns L(t). lossError bounds its error.
func (m *Mixture) dilute(t float64) float64 {
	switch {
	case m.Rate == 1:
		return t
	case t > 700:
		return t + elementary.Log(m.Rate)
	}
	return log1p(m.Rate * expm1(t))
}

// lossError bounds the error of l = dilute(t), where u is the rounding unit. The argument of the logarithm contributes
// 12u·γ(e^t + 1)/e^l, the logarithm 6u·|l| and the sum in it 3u. t has an error of 2u·|t|, which is no larger in l
// since L' ≤ 1.
//
// For |l| ≤ 0.4 the argument x = γ(e^t − 1) of log1p has a relative error of (28 + 2|t|)u, of which (2 + 2|t|)u come
// from t. As |x| ≤ ½, the relative error of l is 1.5 times as large, plus 5u.
func (m *Mixture) lossError(l, t float64) float64 {
	if m.Rate == 1 {
		return 2 * u * math.Abs(t)
	}
	err := u * (12*max(2, 2*m.Rate/(1-m.Rate)) + 6*math.Abs(l) + 3*math.Abs(t) + 10)
	if math.Abs(l) <= 0.4 {
		err = min(err, u*math.Abs(l)*(48+4*math.Abs(t))+0x1p-1060)
	}
	return err
}

// undilute returns an approximation of the t with L(t) = l.
func (m *Mixture) undilute(l float64) float64 {
	switch x := 1 - (1-m.Rate)*math.Exp(-l); {
	case m.Rate == 1:
		return l
	case !(l > 0):
		return math.Log1p(math.Expm1(l) / m.Rate) // NaN below ln(1 − γ)
	case l > 1:
		return l + math.Log(x) - math.Log(m.Rate)
	}
	return math.Log1p(math.Expm1(l) / m.Rate)
}

func (g segment) loss(s float64) float64 {
	if g.negative {
		return -g.m.dilute(-s)
	}
	return g.m.dilute(s)
}

// edge returns an approximation of the s with loss l, between from and g.hi.
func (g segment) edge(l, from float64) float64 {
	var s float64
	if g.negative {
		s = -g.m.undilute(-l)
	} else {
		s = g.m.undilute(l)
	}
	if s != s { // NaN: l is beyond all losses
		if s = g.lo; l > g.loss(g.hi) {
			s = g.hi
		}
	}
	return min(max(s, from), g.hi)
}

// logQ returns the logarithm of the density of Q at t, and a bound on its error.
func (m *Mixture) logQ(t float64) (log, err float64) {
	if m.Mu == 0 {
		return -(t+m.Eps)/2 - 2*math.Ln2, 4 * u * (math.Abs(t) + m.Eps + 2)
	}
	d := t + m.Mu*m.Mu/2
	x := d / m.Mu
	return -x*x/2 - logRootTwoPi - m.logMu, 8 * u * (x*x + math.Abs(x)*(math.Abs(t)/m.Mu+m.Mu) + math.Abs(m.logMu) + 2)
}

const logRootTwoPi = 0.91893853320467274178

// log returns the logarithm of the density of P at s, given the loss there, and a bound on its error.
func (g segment) log(s, loss float64) (log, err float64) {
	if g.negative {
		return g.m.logQ(-s)
	}
	log, err = g.m.logQ(s)
	return log + loss, err + g.m.lossError(loss, s) + 2*u*(math.Abs(log)+math.Abs(loss))
}

// parts returns the segments and jumps by ascending loss, and the logarithm of what the omitted tails contribute to the
// moment of order θ. That is less than about 2^−bits of the moment, which is at least 1. At a loss below 0, e^{θL} ≤ 1
// under γP + (1−γ)Q and its reverse. For the reverse, e^{−θL} ≤ (1−γ)^{−θ}.
func (m *Mixture) parts(theta, bits float64) (segments []segment, jumps []atom, tail float64) {
	tail = math.Inf(-1)
	lo, far, hi := -m.Eps, m.Eps, m.Eps // t that matter: least, largest for −L, largest for L
	if m.Mu > 0 {
		m.logMu = elementary.Log(m.Mu)
		mean := m.Mu * m.Mu / 2
		depth := bits * math.Ln2
		reach := func(depth float64) float64 { return m.Mu * math.Sqrt(2*max(depth, 1)) }
		lo, far = -mean-reach(depth), reach(depth)
		hi = far
		tail = math.Ln2 - depth
		if m.Of == Addition {
			lo = -mean - reach(depth-theta*math.Log(1-m.Rate))
		} else {
			hi, tail = m.largest(theta, depth, hi)
			tail = max(tail, math.Ln2-depth) + math.Ln2
		}
		tail += 1e-9 * (1 + math.Abs(tail))
	}
	up, down := segment{m, false, lo, hi}, segment{m, true, -far, -lo}
	half := -math.Ln2
	low, high := m.dilute(-m.Eps), m.dilute(m.Eps)
	switch m.Of {
	case Removal:
		segments = []segment{up}
		jumps = []atom{{low, half + low}, {high, half - m.Eps + high}}
	case Addition:
		segments = []segment{down}
		jumps = []atom{{-high, half - m.Eps}, {-low, half}}
	default:
		down.hi, up.lo = 0, 0
		segments = []segment{down, up}
		apart := elementary.Erf(m.Mu / (2 * math.Sqrt2)) // the total variation distance of P and Q
		if m.Mu == 0 {
			apart = -expm1(-m.Eps / 2)
		}
		rest := (1 - m.Rate) * apart
		jumps = []atom{{-high, half - m.Eps}, {0, math.Log(rest)}, {high, half - m.Eps + high}}
		if m.Mu > 0 {
			jumps = jumps[1:2]
		}
		if rest == 0 {
			jumps = nil
		}
	}
	if m.Mu > 0 && m.Of != Replacement {
		jumps = nil
	}
	return segments, jumps, tail
}

// largest returns a t ≥ from > 0 such that losses above t contribute at most e^−depth of E_Q e^{(1 + θ)L}, and an upper
// bound of the logarithm of their contribution. For t ≥ a, L(t) ≤ L(a) + s(t − a) up to the point with L' = s, and
// everywhere for s = 1. Under Q, e^{qt} has mean e^{μ²q(q − 1)/2} and shifts the normal law of t by qμ².
func (m *Mixture) largest(theta, depth, from float64) (t, tail float64) {
	square := m.Mu * m.Mu
	p := 1 + theta
	slope := func(t float64) float64 { return 1 / (1 + (1-m.Rate)/m.Rate*math.Exp(-t)) } // L'
	beyond := func(a, s float64) float64 {
		q := p * s
		x := max((a+square/2-q*square)/m.Mu, 0)
		l := m.dilute(a)
		size := p*math.Abs(l) + q*(a+square*(q+1)) + x*x
		return p*l - q*a + square*q*(q-1)/2 - x*x/2 + 1e-12*(1+size)
	}
	target := max(0, p*math.Log(m.Rate)+square*p*theta/2) - depth
	center := max(from, (p-0.5)*square)
	last := center + m.Mu*math.Sqrt(2*max(p*(m.dilute(center)-center)+square*p*theta/2-target+1, 1))
	type piece struct{ from, slope float64 }
	var pieces []piece
	for a, w := from, 1.0; a < last; {
		if len(pieces) == mostPieces {
			pieces = nil
			break
		}
		w = min(2*w, last-a)
		for p*w*(slope(a+w)-slope(a)) > 2 {
			w /= 2
		}
		pieces = append(pieces, piece{a, min(slope(a+w)*(1+1e-12), 1)})
		a += w
	}
	t, tail = last, beyond(last, 1)
	for _, one := range slices.Backward(pieces) {
		more := beyond(one.from, one.slope)
		if more = max(tail, more) + math.Log1p(math.Exp(-math.Abs(tail-more))); !(more <= target) {
			break
		}
		t, tail = one.from, more
	}
	return t, tail
}

// mostPieces bounds the number of pieces of L with separate bounds. Pieces allow large losses to be omitted.
const mostPieces = 1 << 12

// Range implements Source.
func (m *Mixture) Range(theta, bits float64) (lo, hi float64) {
	segments, _, _ := m.parts(theta, bits)
	last := segments[len(segments)-1]
	return segments[0].loss(segments[0].lo), last.loss(last.hi)
}

// Jumps implements Source.
func (m *Mixture) Jumps() (spacing, at, between float64) {
	if m.Mu > 0 {
		return 0, 0, 1
	}
	between = 1
	_, jumps, _ := m.parts(0, 40)
	for _, a := range jumps {
		between -= elementary.Exp(a.log)
	}
	between = max(between, 0x1p-50)
	low, high := m.dilute(-m.Eps), m.dilute(m.Eps)
	switch m.Of {
	case Addition:
		low, high = -high, -low
	case Replacement:
		return high, high, between
	}
	return high - low, high, between
}

// Moments returns approximations, not bounds, of ln E e^{θL} under P, and of the mean and the variance of the loss
// tilted by θ. All are NaN if θ is so large that the range of the tilted law needs too many panels, or panels too
// narrow for float64.
func (m *Mixture) Moments(theta float64) (k, mean, variance float64) {
	if square := m.Mu * m.Mu; square > 0 && m.Rate == 1 {
		return theta * (1 + theta) * square / 2, (0.5 + theta) * square, square
	}
	segments, jumps, _ := m.parts(theta, 40)
	var total, first, second sum
	add := func(l, mass, ref float64) {
		ref += theta * l
		total.add(mass, ref)
		first.add(mass*l, ref)
		second.add(mass*l*l, ref)
	}
	for _, seg := range segments {
		width := 0.25 // wider than the panels of proven quadrature
		if m.Mu > 0 {
			width *= min(m.Mu, 1)
		}
		far := max(-seg.lo, seg.hi)
		if !(far+width > far) {
			return math.NaN(), math.NaN(), math.NaN()
		}
		// If the logarithm of the integrand is far below its largest value, its slope bounds how far it stays there.
		steep, most := 1+theta, math.Inf(-1)
		if m.Mu > 0 {
			steep += far/m.Mu/m.Mu + 1
			for _, c := range []float64{0, (theta + 0.5) * m.Mu * m.Mu} {
				if seg.lo < c && c < seg.hi {
					most = max(most, seg.logAt(c)+theta*seg.loss(c)+math.Log(m.Mu))
				}
			}
		}
		for a, n := seg.lo, 0; a < seg.hi; n++ {
			if n == mostPanels {
				return math.NaN(), math.NaN(), math.NaN()
			}
			b := min(a+width, seg.hi)
			c := a + (b-a)/2
			ref := seg.logAt(c)
			at := ref + theta*seg.loss(c)
			if skip := (max(total.log(), most) - 60 - at) / steep; skip > width {
				a += skip
				continue
			}
			seg.panel(a, b, func(l, mass float64) { add(l, mass, ref) })
			a = b
		}
	}
	for _, a := range jumps {
		add(a.loss, 1, a.log)
	}
	scale := func(s sum) float64 { return s.v * math.Exp(s.ref-total.ref) / total.v }
	mean = scale(first)
	return total.log(), mean, max(scale(second)-mean*mean, 0)
}

// logAt returns the logarithm of the density of P at s.
func (g segment) logAt(s float64) float64 {
	l, _ := g.log(s, g.loss(s))
	return l
}
