package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Filter admits uses of mechanisms that are chosen on the go, each in the light of all outputs so far, as long as all
// of them together are (ε, δ)-private.
//
// At δ = 0 it charges the smallest ε of each use, and at δ > 0 the least ρ of zero-concentrated differential privacy.
// Uses whose charges sum to at most a number that is fixed beforehand, whatever the outputs, are private with that ε
// or ρ (Feldman and Zrnic 2021, whose Rényi filter at every order is that of ρ; Whitehouse and others 2023). ρ
// becomes (ε, δ) by Canonne, Kamath and Steinke 2020, Proposition 12. It is safe for concurrent use.
type Filter struct {
	eps   evidence.Epsilon
	delta evidence.Delta
	limit charge

	guard    sync.Mutex
	spent    charge
	admitted []*DominatingPairs // what the pairs of uses are counted by
	uses     int
}

// charge is Sum + ln Factor.
type charge struct{ sum, factor *big.Rat }

func (c charge) plus(d charge) charge {
	out := charge{new(big.Rat).Add(c.sum, d.sum), new(big.Rat).Mul(c.factor, d.factor)}
	if out.factor.Num().BitLen() > maxExactBits { // too long to go on with
		_, hi := out.enclosure().Bounds()
		out = charge{new(big.Rat).SetFloat64(hi), one}
	}
	return out
}

func (c charge) enclosure() interval.Interval {
	return interval.Rat(c.sum).Add(interval.Rat(c.factor).Log())
}

// within reports whether the charge is at most another for sure.
func (c charge) within(d charge) bool {
	if c.sum.Cmp(d.sum) == 0 {
		return c.factor.Cmp(d.factor) <= 0
	}
	over := c.enclosure().Sub(d.enclosure())
	return over.CmpHi(interval.Int(0)) <= 0
}

// chargeOf returns a number rounded up, and false if it is infinite.
func chargeOf(n evidence.Number) (charge, bool) {
	switch v := n.(type) {
	case evidence.ExactLog:
		return charge{new(big.Rat), v.Argument}, true
	case evidence.Exact:
		return charge{v.Value, one}, true
	case evidence.InputEpsilon:
		if q, ok := v.Rational(); ok {
			return charge{q, one}, true
		}
		if q, ok := v.Exp(); ok {
			return charge{new(big.Rat), q}, true
		}
	}
	_, hi := n.Bounds()
	if math.IsInf(hi, 1) {
		return charge{}, false
	}
	return charge{new(big.Rat).SetFloat64(hi), one}, true
}

// NewFilter returns a filter for a budget. It returns an error wrapping evidence.ErrParameter unless ε > 0.
func NewFilter(eps evidence.Epsilon, delta evidence.Delta) (*Filter, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	f := &Filter{eps: eps, delta: delta, spent: charge{new(big.Rat), one}}
	if delta.IsZero() {
		f.limit, _ = chargeOf(eps.Number())
		return f, nil
	}
	rho, err := concentratedAt(eps, delta)
	f.limit = charge{rho, one}
	return f, err
}

// Theorem names what the filter rests on.
func (f *Filter) Theorem() string {
	if f.delta.IsZero() {
		return "filter of pure differential privacy (Feldman and Zrnic 2021; Whitehouse and others 2023)"
	}
	return "filter of zero-concentrated differential privacy (Feldman and Zrnic 2021; Whitehouse and others 2023)"
}

// Admit charges one use of an account and returns true if it fits, and returns false and charges nothing
// elsewhere: where what is left is less, or nothing finite is charged. It returns an error wrapping
// evidence.ErrParameter for a use under another neighbor relation than earlier ones, or on other datasets.
func (f *Filter) Admit(ctx context.Context, a *Account) (bool, error) {
	var n evidence.Number
	var err error
	if f.delta.IsZero() {
		n, err = a.Epsilon(ctx, evidence.Delta{})
	} else {
		n, err = a.ZCDP(ctx)
	}
	if err != nil {
		return false, err
	}
	f.guard.Lock()
	defer f.guard.Unlock()
	for _, o := range f.admitted {
		if err := o.compatible(a.reference); err != nil {
			return false, err
		}
	}
	c, finite := chargeOf(n)
	if !finite {
		return false, nil
	}
	all := f.spent.plus(c)
	if !all.within(f.limit) {
		return false, nil
	}
	f.spent, f.uses = all, f.uses+1
	for _, o := range f.admitted {
		if o == a.reference {
			return true, nil
		}
	}
	f.admitted = append(f.admitted, a.reference)
	return true, nil
}

// number returns an end of a charge, claimed by the theorem.
func (f *Filter) number(v interval.Interval, up bool, what string) evidence.Number {
	lo, hi := v.Bounds()
	if !up {
		hi = max(lo, 0)
	}
	return evidence.Claimed{Value: hi, Provenance: evidence.From(what + " by the " + f.Theorem())}
}

// Unit is what is charged: "ε" or "ρ".
func (f *Filter) Unit() string {
	if f.delta.IsZero() {
		return "ε"
	}
	return "ρ"
}

// Limit returns what may be charged, Spent what has been, rounded up, and Left what remains, rounded down.
func (f *Filter) Limit() evidence.Number {
	return f.number(f.limit.enclosure(), false, "all "+f.Unit())
}

// Spent is described at Limit.
func (f *Filter) Spent() evidence.Number {
	f.guard.Lock()
	defer f.guard.Unlock()
	return f.number(f.spent.enclosure(), true, f.Unit()+" spent")
}

// Left is described at Limit.
func (f *Filter) Left() evidence.Number {
	f.guard.Lock()
	defer f.guard.Unlock()
	return f.number(f.limit.enclosure().Sub(f.spent.enclosure()), false, f.Unit()+" left")
}

// Odometer returns an ε that the privacy loss of all outputs so far exceeds with probability δ at most, at all moments
// together and so whenever one stops: what was spent at δ = 0. For ρ it is αΣρ + ln(1/δ)/(α − 1) with an α that is
// fixed beforehand: as e^{(α−1)(loss − αΣρ)} is a supermartingale, its mean being at most 1, it exceeds 1/δ at any
// moment with probability δ at most (Ville; Whitehouse and others 2023). α suits what the filter may spend.
func (f *Filter) Odometer() evidence.Number {
	f.guard.Lock()
	defer f.guard.Unlock()
	v := f.spent.enclosure()
	if !f.delta.IsZero() && f.uses > 0 {
		log := f.delta.Enclosure().Log().Neg()
		less := math.Sqrt(log.Mid() / ratFloat(f.limit.sum))
		v = v.Mul(interval.Float(1).Add(interval.Float(less))).Add(log.Quo(interval.Float(less)))
	}
	return f.number(v, true, "ε spent so far, at every moment")
}

// Relation is the neighbor relation of the uses so far, "" where none of them has one.
func (f *Filter) Relation() query.Relation {
	f.guard.Lock()
	defer f.guard.Unlock()
	for _, o := range f.admitted {
		if o.Relation != "" && o.Relation != query.Any {
			return o.Relation
		}
	}
	return ""
}

// String tells the budget and what is spent.
func (f *Filter) String() string {
	f.guard.Lock()
	uses := f.uses
	f.guard.Unlock()
	return fmt.Sprintf("budget of (%v, %v): %s of %s = %s spent by %d uses; %s", f.eps, f.delta, evidence.FormatUp(f.Spent().Float(), 4), f.Unit(), evidence.FormatDown(f.Limit().Float(), 4), uses, f.Theorem())
}
