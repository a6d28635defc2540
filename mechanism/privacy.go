package mechanism

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Privacy returns the privacy of m for the neighbors of its query: its smallest ε, its privacy profile and other
// functions of its privacy losses. It evaluates every value of all neighboring pairs.
func Privacy(m Mechanism) privacy.Profile { return privacy.New(Pairs(m)) }

// filtered is the privacy of one use of m. A float64 filter selects the pairs to evaluate.
type filtered struct {
	privacy.ProfileFunc
	of Mechanism
}

// Epsilon implements privacy.Profile.
func (f filtered) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	e, err := f.ProfileFunc.Epsilon(ctx, delta)
	if err != nil || delta.IsZero() {
		return e, err
	}
	if c, ok := e.(evidence.Certified); ok && math.IsInf(c.Hi, 1) && c.Lo < c.Hi { // bisection stops at a finite number
		sure, err := privacy.New(Pairs(f.of)).InfinityMass(ctx)
		if err != nil {
			return nil, err
		}
		least, _ := delta.Bounds() // a float64 above least is above δ
		if lo, _ := sure.Bounds(); lo > least {
			c.Lo, c.Method = c.Hi, "an output that just one of two neighbors can have"
			e = c
		}
	}
	return withStatement(e, f.of, func(m Mechanism) evidence.Statement { return &EpsilonAtStatement{m, delta} }), nil
}

func newFiltered(m Mechanism) privacy.Profile {
	return filtered{privacy.ProfileFunc{
		Pure: func(ctx context.Context) (evidence.Number, error) {
			e, err := smallestEpsilon(ctx, m)
			return withStatement(e, m, func(m Mechanism) evidence.Statement { return &EpsilonStatement{m} }), err
		},
		At: func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			d, err := deltaAt(ctx, m, eps)
			return withStatement(d, m, func(m Mechanism) evidence.Statement { return &DeltaStatement{m, eps} }), err
		},
		Source: "every value of every two neighbors",
	}, m}
}

// smallestEpsilon returns the smallest ε at which m is ε-differentially private: the maximum of |ln p^x(r) − ln
// p^{x'}(r)| over neighbors x, x' and values r. It is exact if the probabilities are rational, and a certified
// enclosure otherwise. It is infinite if one of two neighbors outputs a value that the other does not.
func smallestEpsilon(ctx context.Context, m Mechanism) (evidence.Number, error) {
	if l, ok := m.(interface {
		smallestEpsilon(context.Context) (evidence.Number, error)
	}); ok {
		return l.smallestEpsilon(ctx)
	}
	const source = "largest log-ratio over all neighbors and values"
	near, best, infinite, err := largestLosses(ctx, m, math.MaxInt)
	switch {
	case err != nil:
		return nil, err
	case infinite != nil:
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up,
			Provenance: evidence.From(source).By("a value that just one of two neighbors can output")}, nil
	}
	var ratio *big.Rat
	largest, enclosed := interval.Int(0), interval.Int(1)
	for _, t := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, ok := m.Rational(t.X, t.R)
		if !ok {
			p, q := m.Enclose(t.X, t.R), m.Enclose(t.Y, t.R)
			if best > 1e-9 && p.Narrow(narrowBits) && q.Narrow(narrowBits) { // take the logarithm of the largest ratio only
				enclosed = interval.Max(enclosed, p.Quo(q))
			} else {
				largest = interval.Max(largest, lossOf(m, t.X, t.Y, t.R))
			}
			continue
		}
		p2, _ := m.Rational(t.Y, t.R)
		if p = new(big.Rat).Quo(p, p2); ratio == nil || p.Cmp(ratio) > 0 {
			ratio = p
		}
	}
	if ratio != nil || len(near) == 0 {
		if ratio == nil { // no two neighbors have different laws
			ratio = big.NewRat(1, 1)
		}
		cases := uint64(m.Query().Space().Pairs()) * uint64(len(m.Query().Range())) * 2
		return evidence.ExactLog{Argument: ratio, Cases: cases, Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	if interval.Int(1).Less(enclosed) {
		largest = interval.Max(largest, enclosed.Log())
	}
	return evidence.EnclosedLoss(largest, "float64 filter, 256-bit intervals where it cannot decide", source), nil
}

// errInfinite stops a search at a value that only one of two neighbors outputs.
var errInfinite = errors.New("infinite")

// largestLosses returns the outcomes that can have the largest loss, and the largest loss in float64. With more than
// limit candidates it drops some. If a loss is infinite, it returns the first such outcome instead.
func largestLosses(ctx context.Context, m Mechanism, limit int) (near []Witness, best float64, infinite *Witness, err error) {
	slack := 8 * m.LogError()
	dropBelow := func() {
		near = slices.DeleteFunc(near, func(w Witness) bool { return m.LogProb(w.X, w.R)-m.LogProb(w.Y, w.R) < best-slack })
	}
	err = classPairs(ctx, m, func(x, y int) error {
		for r := range m.Query().Range() {
			a, b := m.LogProb(x, r), m.LogProb(y, r)
			switch {
			case math.IsInf(a, -1):
				continue
			case math.IsInf(b, -1):
				infinite = &Witness{x, y, r}
				return errInfinite
			case a-b > best:
				if best = a - b; len(near) > 64 {
					dropBelow()
				}
				near = append(near, Witness{x, y, r})
			case !(a-b < best-slack) && len(near) < limit: // slack may be NaN
				near = append(near, Witness{x, y, r})
			}
		}
		return nil
	})
	if infinite != nil {
		return nil, 0, infinite, nil
	}
	dropBelow()
	return near, best, nil, err
}

// classPairs calls f once for each ordered pair of classes of neighboring datasets, with one pair of datasets.
func classPairs(ctx context.Context, m Mechanism, f func(x, y int) error) error {
	space := m.Query().Space()
	var seen map[[2]int]bool
	if m.Classes() < space.Size() {
		seen = make(map[[2]int]bool)
	}
	for x := range space.Size() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, y := range space.Neighbors(x) {
			if seen != nil {
				pair := [2]int{m.Class(x), m.Class(int(y))}
				if seen[pair] || pair[0] == pair[1] {
					continue
				}
				seen[pair] = true
			}
			if err := f(x, int(y)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lossOf returns an enclosure of ln p^x(r)/p^y(r) for a value that both datasets output.
func lossOf(m Mechanism, x, y, r int) interval.Interval {
	if l, ok := m.(interface {
		loss(x, y, r int) interval.Interval
	}); ok {
		return l.loss(x, y, r)
	}
	return m.EncloseLog(x, r).Sub(m.EncloseLog(y, r))
}
