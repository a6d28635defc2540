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

// Filter admits uses of mechanisms that are chosen adaptively, after all earlier outputs, as long as all uses together
// are (ε, δ)-private.
//
// At δ = 0 it charges the smallest ε of each use, and at δ > 0 the least ρ of zero-concentrated differential privacy.
// If the charges sum to at most a limit that is fixed in advance, all uses together are private with this limit as
// their ε or ρ (Feldman and Zrnic 2021, whose Rényi filters at all orders imply the filter of ρ; Whitehouse and others
// 2023). ρ is converted to (ε, δ) by Canonne, Kamath and Steinke 2020, Proposition 12. A Filter is safe for concurrent
// use.
type Filter struct {
	eps   evidence.Epsilon
	delta evidence.Delta
	limit charge

	guard    sync.Mutex
	spent    charge
	admitted []*DominatingPairs // the families that index the pairs of the admitted uses
	uses     int
}

// charge is the number sum + ln factor.
type charge struct{ sum, factor *big.Rat }

func (c charge) plus(d charge) charge {
	out := charge{new(big.Rat).Add(c.sum, d.sum), new(big.Rat).Mul(c.factor, d.factor)}
	if out.factor.Num().BitLen() > maxExactBits { // too many bits for exact arithmetic
		_, hi := out.enclosure().Bounds()
		out = charge{new(big.Rat).SetFloat64(hi), one}
	}
	return out
}

func (c charge) enclosure() interval.Interval {
	return interval.Rat(c.sum).Add(interval.Rat(c.factor).Log())
}

// within reports whether the charge is certainly at most d.
func (c charge) within(d charge) bool {
	if c.sum.Cmp(d.sum) == 0 {
		return c.factor.Cmp(d.factor) <= 0
	}
	over := c.enclosure().Sub(d.enclosure())
	return over.CmpHi(interval.Int(0)) <= 0
}

// chargeOf returns a number as a charge, rounded up, and false if the number is infinite.
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

// Theorem names the theorem behind the filter.
func (f *Filter) Theorem() string {
	if f.delta.IsZero() {
		return "filter of pure differential privacy (Feldman and Zrnic 2021; Whitehouse and others 2023)"
	}
	return "filter of zero-concentrated differential privacy (Feldman and Zrnic 2021; Whitehouse and others 2023)"
}

// Admit charges one use of an account and returns true if its charge is finite and at most what is left. Otherwise it
// charges nothing and returns false. It returns an error wrapping evidence.ErrParameter if earlier uses had another
// neighbor relation or other datasets.
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

// number returns an end of a charge as a number that is claimed by the theorem.
func (f *Filter) number(v interval.Interval, up bool, what string) evidence.Number {
	lo, hi := v.Bounds()
	if !up {
		hi = max(lo, 0)
	}
	return evidence.Claimed{Value: hi, Provenance: evidence.From(what + " by the " + f.Theorem())}
}

// Unit returns the unit of charges: "ε" or "ρ".
func (f *Filter) Unit() string {
	if f.delta.IsZero() {
		return "ε"
	}
	return "ρ"
}

// Limit returns the largest total charge, rounded down.
func (f *Filter) Limit() evidence.Number {
	return f.number(f.limit.enclosure(), false, "all "+f.Unit())
}

// Spent returns the total charge so far, rounded up.
func (f *Filter) Spent() evidence.Number {
	f.guard.Lock()
	defer f.guard.Unlock()
	return f.number(f.spent.enclosure(), true, f.Unit()+" spent")
}

// Left returns the difference of Limit and Spent, rounded down.
func (f *Filter) Left() evidence.Number {
	f.guard.Lock()
	defer f.guard.Unlock()
	return f.number(f.limit.enclosure().Sub(f.spent.enclosure()), false, f.Unit()+" left")
}

// Odometer returns an ε that the privacy loss of all outputs so far exceeds with probability at most δ, simultaneously
// at all times. At δ = 0 it is what was spent. Otherwise it is αΣρ + ln(1/δ)/(α − 1), with an α fixed in advance that
// suits the limit: e^{(α−1)(loss − αΣρ)} is a nonnegative supermartingale that starts at 1, so it ever exceeds 1/δ with
// probability at most δ (Ville; Whitehouse and others 2023).
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

// Relation returns the neighbor relation of the uses so far, and "" if none has one.
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

// String formats the budget and what is spent.
func (f *Filter) String() string {
	f.guard.Lock()
	uses := f.uses
	f.guard.Unlock()
	return fmt.Sprintf("budget of (%v, %v): %s of %s = %s spent by %d uses; %s", f.eps, f.delta, evidence.FormatUp(f.Spent().Float(), 4), f.Unit(), evidence.FormatDown(f.Limit().Float(), 4), uses, f.Theorem())
}
