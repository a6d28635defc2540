package audit

import (
	"math"
	"math/big"
	"slices"
)

// loss is the largest likelihood ratio that a directed pair shows at some δ:
// t = (P(S) − δ)/Q(S), attained by the event S.
type loss struct {
	x, y     int
	t        *big.Rat // nil if infinite
	f        float64  // nearest to t
	event    []int    // outputs, ascending
	p, q     *big.Rat // probabilities of the event
	infinite bool
}

// worse reports whether l exceeds m; a nil m is below every loss.
func (l *loss) worse(m *loss) bool {
	switch {
	case m == nil:
		return true
	case l.infinite || m.infinite:
		return l.infinite && !m.infinite
	}
	return l.t.Cmp(m.t) > 0
}

// invert returns the largest (P(S) − δ)/Q(S) over events S with P(S) > δ, and the smallest event that attains it. It
// returns nil if no event has probability above δ.
//
// With outputs in descending order of p/q, only prefixes need to be compared (Neyman and Pearson). Adding an output to
// S raises the quotient if and only if the output's own ratio p/q is above the quotient. So the quotient increases up
// to the prefix after which the ratios are below it.
func invert(cells []cell, delta *big.Rat) *loss {
	if delta.Sign() == 0 {
		return steepest(cells)
	}
	slices.SortFunc(cells, compareRatios)
	p, q := new(big.Rat), new(big.Rat)
	excess := new(big.Rat).Neg(delta) // P(S) − δ
	for k, c := range cells {
		if excess.Sign() > 0 {
			if q.Sign() == 0 {
				return lossOf(cells[:k], p, q, delta)
			}
			// Go on only where p_k/q_k > excess/Q(S).
			if c.q != nil && new(big.Rat).Mul(c.p, q).Cmp(new(big.Rat).Mul(excess, c.q)) <= 0 {
				return lossOf(cells[:k], p, q, delta)
			}
		}
		p.Add(p, c.p)
		excess.Add(excess, c.p)
		if c.q != nil {
			q.Add(q, c.q)
		}
	}
	if excess.Sign() <= 0 {
		return nil
	}
	return lossOf(cells, p, q, delta)
}

// steepest returns the result of invert for δ = 0. The event is then a single output.
func steepest(cells []cell) *loss {
	best := -1
	for i := range cells {
		if best < 0 || compareRatios(cells[i], cells[best]) < 0 {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	q := cells[best].q
	if q == nil {
		q = new(big.Rat)
	}
	return lossOf(cells[best:best+1], cells[best].p, q, new(big.Rat))
}

func lossOf(event []cell, p, q, delta *big.Rat) *loss {
	l := &loss{p: p, q: q, infinite: q.Sign() == 0, f: math.Inf(1)}
	for _, c := range event {
		l.event = append(l.event, c.output)
	}
	slices.Sort(l.event)
	if !l.infinite {
		l.t = new(big.Rat).Sub(p, delta)
		l.t.Quo(l.t, q)
		l.f, _ = l.t.Float64()
	}
	return l
}

// compareRatios sorts larger p/q first, comparing rationals if float64s are too close. Among infinite ratios the larger
// p comes first. Among equal ratios the smaller output number comes first.
func compareRatios(a, b cell) int {
	switch {
	case a.q == nil && b.q == nil:
		if c := b.p.Cmp(a.p); c != 0 {
			return c
		}
		return a.output - b.output
	case a.q == nil:
		return -1
	case b.q == nil:
		return 1
	}
	// Each float64 ratio has a relative error of at most 2⁻⁵¹.
	switch x, y := a.ratio(), b.ratio(); {
	case x > y*(1+1e-12):
		return -1
	case y > x*(1+1e-12):
		return 1
	}
	if c := new(big.Rat).Mul(b.p, a.q).Cmp(new(big.Rat).Mul(a.p, b.q)); c != 0 {
		return c
	}
	return a.output - b.output
}

// mayExceed reports whether the pair may have a ratio (P(S) − δ)/Q(S) above t. It is false only if no ratio is
// certainly above t. delta is the float64 nearest to δ.
func mayExceed(cells []cell, t, delta float64) bool {
	if !(t < 1e200) { // it may be the float64 nearest to a much larger number
		return true
	}
	if delta == 0 {
		for _, c := range cells {
			if r := c.ratio(); !(r <= t*(1-1e-12)) { // NaN may be anything
				return true
			}
		}
		return false
	}
	// The smallest ε is above ln t if Σ max(0, p − t q) > δ. Each positive term has an error of at most 3·2⁻⁵³ p,
	// their sum another n 2⁻⁵³.
	excess := 0.0
	for _, c := range cells {
		excess += max(0, c.f-float64(t*c.g))
	}
	return excess > delta-float64(len(cells)+8)*0x1p-51
}
