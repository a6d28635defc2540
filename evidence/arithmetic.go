package evidence

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// This file does arithmetic on evidence. Exact operands give an exact result if it is rational or a rational multiple
// of the logarithm of a rational. Otherwise the enclosures of the operands are combined with outward rounding, and the
// result is certified. Dependence between operands is ignored: e − e encloses 0. If an operand is estimated, so is the
// result. If one is claimed, the result is claimed and rounded to its safe side.

// operation is a function of numbers.
type operation struct {
	name    string
	float   func(v []float64) float64
	exact   func(x []*real) *real // nil if the result has no closed form
	enclose func(x []interval.Interval) interval.Interval
	side    Side
	falls   func(i int) bool // reports whether the result falls as operand i grows; nil if it never does
}

// maxExactBits bounds the bits of numerator and denominator together in exact results.
const maxExactBits = 1 << 14

// Given returns a float64 as an operand. It is exact if v equals its shortest decimal, such as 0.5. Otherwise it is an
// enclosure of v and that decimal.
func Given(v float64) Number {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Certified{Lo: v, Hi: v}
	}
	if q := new(big.Rat).SetFloat64(v); q.Cmp(interval.Decimal(v)) == 0 {
		return Exact{Value: q}
	}
	lo, hi := interval.Readings(v).Bounds()
	return Certified{Lo: lo, Hi: hi}
}

// isConstant reports whether n has no safe side and needs none, because it is exact or comes from Given.
func isConstant(n Number) bool {
	return SideOf(n) == Neither && (n.Kind() == KindExact || n.Kind() == KindCertified && n.Citation().Source == "")
}

// commonSide returns the safe side that all operands other than constants share, and Neither if they share none.
func commonSide(ns ...Number) Side {
	side, found := Neither, false
	for _, n := range ns {
		switch s := SideOf(n); {
		case isConstant(n):
		case found && s != side:
			return Neither
		default:
			side, found = s, true
		}
	}
	return side
}

// negative reports whether no value of n is positive and some value is negative.
func negative(n Number) bool { lo, hi := n.Bounds(); return lo < 0 && hi <= 0 }

// nonnegative reports whether no operand can be negative.
func nonnegative(ns ...Number) bool {
	return !slices.ContainsFunc(ns, func(n Number) bool { lo, _ := n.Bounds(); return !(lo >= 0) })
}

// apply evaluates an operation on valid numbers. It returns an error wrapping ErrParameter if the result is NaN or −∞.
func (o *operation) apply(ns ...Number) (Number, error) {
	kind := KindExact
	for _, n := range ns {
		if err := Check(n); err != nil {
			return nil, err
		}
		if k := n.Kind(); slices.Index(kinds, k) < slices.Index(kinds, kind) {
			kind = k
		}
	}
	from := o.provenance(ns)
	if kind == KindClaimed {
		return o.claim(ns, from)
	}
	if kind == KindExact && o.exact != nil {
		if x := o.exact(lists.Each(ns, exactly)); x != nil {
			if n := x.number(o.side, from.By("exact arithmetic")); n != nil {
				return n, nil
			}
		}
	}
	lo, hi, err := o.bounds(ns)
	if err != nil {
		return nil, err
	}
	from = from.By("interval arithmetic")
	if kind != KindEstimated {
		return Certified{Lo: lo, Hi: hi, Side: o.side, Provenance: from}, nil
	}
	parts, draws, failure := estimates(ns), 0, 0.0
	for _, p := range parts {
		draws += p.draws
		failure += p.failure
	}
	if len(parts) > 1 {
		from.Caveat = joined([]string{from.Caveat, fmt.Sprintf("the intervals of %d estimates hold together with this confidence", len(parts))})
	}
	v := min(max(o.float(lists.Each(ns, Number.Float)), lo), hi)
	return Estimated{Value: v, Lo: lo, Hi: hi, Confidence: 1 - min(failure, 1), Side: o.side, Draws: draws, Provenance: from, parts: &parts}, nil
}

// claim returns the result of an operation with at least one claimed operand. A claim counts as an upper bound unless
// its safe side is down. The result is the worst for all values of the other operands, rounded up, or down if it is a
// lower bound. claim returns an error if the claims bound the result from different sides.
func (o *operation) claim(ns []Number, from Provenance) (Number, error) {
	side := Neither
	for i, n := range ns {
		if n.Kind() != KindClaimed {
			continue
		}
		s := Up
		if (SideOf(n) == Down) != (o.falls != nil && o.falls(i)) {
			s = Down
		}
		if side == -s {
			return nil, parameter.Errorf("%s of %s is no bound: each claim is a bound on one side, and the claims bound the result on different sides; use .value to compute with the printed numbers", o.name, strings.Join(lists.Each(ns, someNumber), " and "))
		}
		side = s
	}
	lo, v, err := o.bounds(ns)
	if side == Down {
		v = lo
	}
	switch {
	case err != nil:
		return nil, err
	case math.IsNaN(v) || math.IsInf(v, -1):
		return nil, o.undefined(ns)
	}
	return Claimed{Value: v, Side: side, Provenance: from.By("arithmetic on claims, rounded to the safe side")}, nil
}

// kinds are the kinds of evidence, the weakest first.
var kinds = []Kind{KindClaimed, KindEstimated, KindCertified, KindExact}

// bounds encloses the result of an operation. If an operand is infinite, bounds evaluates the operation in float64 at
// the bounds of the others: every operation is monotone between them, and operations on infinities do not round.
func (o *operation) bounds(ns []Number) (lo, hi float64, err error) {
	xs, infinite := make([]interval.Interval, len(ns)), false
	for i, n := range ns {
		l, h := n.Bounds()
		xs[i] = enclosureOf(n)
		infinite = infinite || l == h && math.IsInf(l, 0)
	}
	if !infinite {
		lo, hi = o.enclose(xs).Bounds()
		return lo, hi, nil
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	corner := make([]float64, len(ns))
	for bits := range 1 << min(len(ns), 2) {
		for i, n := range ns {
			l, h := n.Bounds()
			if corner[i] = l; bits>>min(i, 1)&1 == 1 {
				corner[i] = h
			}
		}
		v := o.float(corner)
		if math.IsNaN(v) {
			return 0, 0, o.undefined(ns)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if math.IsInf(hi, -1) {
		return 0, 0, o.undefined(ns)
	}
	return lo, hi, nil
}

// enclosureOf returns an interval that contains n. It has the precision of intervals if n is exact or a claimed ε, and
// the float64 bounds of n otherwise.
func enclosureOf(n Number) interval.Interval {
	if n.Kind() == KindExact {
		return exactly(n).enclosure()
	}
	if c, ok := n.(Claimed); ok && !c.Epsilon.IsZero() {
		return c.Epsilon.Enclosure()
	}
	return interval.Between(n.Bounds())
}

func (o *operation) undefined(ns []Number) error {
	return parameter.Errorf("%s of %s has no value", o.name, strings.Join(lists.Each(ns, someNumber), " and "))
}

// provenance names the sources of the operands, and carries their caveats.
func (o *operation) provenance(ns []Number) Provenance {
	var sources, caveats []string
	for _, n := range ns {
		c := n.Citation()
		sources, caveats = append(sources, c.Source), append(caveats, c.Caveat)
	}
	return Provenance{Source: joined(sources), Caveat: joined(caveats)}
}

// joined joins distinct texts with semicolons. It writes the first three, and how many more there are.
func joined(texts []string) string {
	var out []string
	for _, text := range texts {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if n := len(out) - 3; n > 0 {
		out = append(out[:3], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, "; ")
}
