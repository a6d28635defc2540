package xor

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// stateLaw is the law of few bits, state by state.
type stateLaw struct {
	weight []scaledFloat // within weightUnits roundings
	share  []float64     // Pr[state], within shareUnits roundings if above 2⁻¹⁰⁰⁰
	steps  []int         // differences of neighbors, nil if they are too many to visit
	off    float64       // largest effect of the parameters' reading on an exponent, in nats
}

// weightUnits: a weight is rounded from a double-double, whose error is far smaller. shareUnits: a share is a quotient
// of a weight and the sum of weights. Both bound relative errors in units of rounding.
const (
	weightUnits = 2
	shareUnits  = 6
)

// stateLaw visits all states. It returns the errors of newTable.
func (b *Bernoulli) stateLaw(ctx context.Context) (*stateLaw, error) {
	diag, rows := b.dense(nil)
	weights, top, err := stateWeights(ctx, diag, rows)
	if err != nil {
		return nil, err
	}
	var z interval.DoubleDouble
	for _, w := range weights {
		z.AccumulateSum(w.over(top))
	}
	total := newScaledFloat(z.Float())
	out := &stateLaw{off: b.reading.exponents(diag, rows)}
	for _, w := range weights {
		out.weight = append(out.weight, scaledFloat{w.v.Hi, w.e})
		out.share = append(out.share, math.Ldexp(w.v.Hi/total.m, int(max(w.e-top-total.e, -2000))))
	}
	return out, nil
}

// delta encloses the largest hockey-stick divergence at ε between the noise and the noise shifted by one of the
// steps, in bits,
//
//	Σ_b max(0, p(b) − e^ε p(b ⊕ step)) = Σ_b p(b) max(0, 1 − e^ε p(b ⊕ step)/p(b)).
//
// The divergence in the other direction is the same, because b ⊕ step runs through all states as b does. It returns
// ctx's error.
func (l *stateLaw) delta(ctx context.Context, eps evidence.Epsilon) (lo, hi float64, err error) {
	if !(l.off < 0x1p-10) || eps.Value() > 0x1p60 {
		return 0, 1, nil
	}
	g := scaledDoubleExp(eps.Enclosure())
	// ratioUp covers the errors of the quotient of two weights times e^ε: of both weights, e^ε, a product and a
	// quotient. sumUp covers p(1 − quotient), with two more roundings, and the rounding of its sum.
	moves := math.Exp(l.off) * (1 + 4*unit)
	ratioUp, sumUp := moves*(1+(2*weightUnits+6)*unit), moves*(1+(shareUnits+6)*unit)
	ratioDown, sumDown := interval.Down(1/ratioUp), interval.Down(1/sumUp)
	for _, step := range l.steps {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		var below, above interval.DoubleDouble
		for b, x := range l.weight {
			y := l.weight[b^step]
			e := y.e - x.e + g.e
			if e > 4 { // the quotient is above 4
				continue
			}
			quotient := 0.0
			if e > -900 {
				quotient = math.Ldexp(y.m*g.v.Hi/x.m, int(e))
			}
			above.Accumulate(l.share[b] * math.Max(0, 1-quotient*ratioDown))
			below.Accumulate(l.share[b] * math.Max(0, 1-(quotient*ratioUp+0x1p-800)))
		}
		lo = math.Max(lo, below.Float()*sumDown)
		hi = math.Max(hi, above.Float()*sumUp)
	}
	// Subnormal shares have lost digits. There are at most 2¹⁶ shares, and lost bounds the sum of these errors.
	const lost = 0x1p-1000
	return math.Max(0, interval.Down(lo-lost)), math.Min(1, interval.Up(hi+lost)), nil
}
