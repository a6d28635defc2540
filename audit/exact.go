package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Audit returns the smallest ε of the table at the claimed δ over the neighbors (nil means all pairs), and its verdict
// on the claim. The result is exact if all probabilities are exact. If some are rounded, it is an enclosure that holds
// for every law within the relative error Rounding.
//
// It returns an error wrapping ErrParameter if the table is not a table of laws, a neighbor is unknown, or the claimed
// ε is 0.
func (t *Table) Audit(ctx context.Context, neighbors []Pair, claim Claim) (*Result, error) {
	if err := claim.Epsilon.Positive("eps"); err != nil {
		return nil, err
	}
	delta := claim.Delta.Rat()
	pairs, u, err := t.ready(ctx, neighbors)
	if err != nil {
		return nil, err
	}
	lo, low, high, err := t.largest(ctx, pairs, delta, u)
	if err != nil {
		return nil, err
	}
	r := &Result{Claim: claim, Verdict: verdict(claim, low, high)}
	r.Scope = fmt.Sprintf("exhaustive: %s, both directions, every event", count(len(pairs), "pair"))
	r.Epsilon = epsilonEvidence(low, high, u, t.cases(pairs))
	if r.Delta, err = t.delta(ctx, pairs, claim.Epsilon, u); err != nil {
		return nil, err
	}
	if u.Sign() > 0 {
		r.Remark = "holds for all " + roundingMethod(u)
		if r.Verdict == evidence.Undecided {
			r.Remark += ": fractions, or a smaller rounding, may decide it"
		}
	}
	if low == nil || low.Cmp(one) > 0 {
		r.Witness = t.witness(lo, u, claim)
	}
	return r, nil
}

// ready checks the table and returns the pairs and the relative error of the
// probabilities.
func (t *Table) ready(ctx context.Context, neighbors []Pair) (pairs [][2]int, u *big.Rat, err error) {
	if u, err = t.check(ctx); err != nil {
		return nil, nil, err
	}
	pairs, err = t.datasets.resolve(neighbors)
	return pairs, u, err
}

// cases returns the number of comparisons of an output's probabilities.
func (t *Table) cases(pairs [][2]int) uint64 {
	return 2 * uint64(len(pairs)) * uint64(len(t.outputs.labels))
}

// largest returns the largest loss of the table itself, and enclosures low and high of e^ε for the laws within u of
// it; nil is infinite.
func (t *Table) largest(ctx context.Context, pairs [][2]int, delta, u *big.Rat) (lo *loss, low, high *big.Rat, err error) {
	// P(S) is between (1 ∓ u) times its value in the table, and so is Q(S). So the largest ratio is between the
	// table's at δ/(1 ∓ u), times (1 ∓ u)/(1 ± u).
	shrink, grow := new(big.Rat).Sub(one, u), new(big.Rat).Add(one, u)
	if lo, err = t.worst(ctx, pairs, new(big.Rat).Quo(delta, shrink)); err != nil {
		return nil, nil, nil, err
	}
	hi := lo
	if u.Sign() > 0 {
		if hi, err = t.worst(ctx, pairs, new(big.Rat).Quo(delta, grow)); err != nil {
			return nil, nil, nil, err
		}
	}
	return lo, scaled(lo, new(big.Rat).Quo(shrink, grow)), scaled(hi, new(big.Rat).Quo(grow, shrink)), nil
}

// worst returns the largest loss over the pairs in both directions.
func (t *Table) worst(ctx context.Context, pairs [][2]int, delta *big.Rat) (*loss, error) {
	var best *loss
	var cells []cell
	d, _ := delta.Float64()
	for _, pair := range pairs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for range 2 {
			cells = t.join(pair[0], pair[1], cells[:0])
			if best == nil || !best.infinite && mayExceed(cells, best.f, d) {
				if l := invert(cells, delta); l != nil && l.worse(best) {
					l.x, l.y = pair[0], pair[1]
					best = l
				}
			}
			pair[0], pair[1] = pair[1], pair[0]
		}
	}
	return best, nil
}

// scaled returns factor times the ratio of a loss, at least 1; nil is infinite.
func scaled(l *loss, factor *big.Rat) *big.Rat {
	switch {
	case l == nil:
		return one
	case l.infinite:
		return nil
	}
	v := new(big.Rat).Mul(l.t, factor)
	if v.Cmp(one) < 0 {
		return one
	}
	return v
}

// verdict compares the claim with a ratio e^ε in [low, high], nil being infinite.
func verdict(claim Claim, low, high *big.Rat) evidence.Verdict {
	if low == nil {
		return evidence.Refuted
	}
	if c, ok := claim.compare(low); ok && c > 0 {
		return evidence.Refuted
	}
	if high != nil {
		if c, ok := claim.compare(high); ok && c <= 0 {
			return evidence.Confirmed
		}
	}
	return evidence.Undecided
}

func epsilonEvidence(low, high, u *big.Rat, cases uint64) evidence.Number {
	const source = "largest ln((P(S) − δ)/Q(S)) over neighbors and events"
	switch {
	case low == nil:
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(source).By("an event with more than δ that a neighbor never shows")}
	case u.Sign() == 0:
		return evidence.ExactLog{Argument: low, Cases: cases, Side: evidence.Up, Provenance: evidence.From(source)}
	}
	hi := math.Inf(1)
	lo, _ := interval.RationalLog(low).Bounds()
	if high != nil {
		_, hi = interval.RationalLog(high).Bounds()
	}
	return evidence.Certified{Lo: max(lo, 0), Hi: hi, Side: evidence.Up, Provenance: evidence.From(source).By(roundingMethod(u))}
}

// witness describes a loss; the probabilities of its event have a relative error of at most u.
func (t *Table) witness(l *loss, u *big.Rat, claim Claim) *Witness {
	known := func(p *big.Rat) evidence.Number {
		const source = "sum over the event"
		if u.Sign() == 0 {
			return evidence.Exact{Value: p, Cases: uint64(len(l.event)), Provenance: evidence.From(source)}
		}
		v := interval.Rat(p)
		v = interval.Hull(v.Mul(interval.Rat(new(big.Rat).Sub(one, u))), v.Mul(interval.Rat(new(big.Rat).Add(one, u))))
		e := evidence.Enclosed(v, roundingMethod(u), source)
		e.Hi = min(e.Hi, 1)
		return e
	}
	w := &Witness{First: t.datasets.labels[l.x], Second: t.datasets.labels[l.y], P: known(l.p), Q: known(l.q)}
	for _, output := range l.event {
		w.Event.Outputs = append(w.Event.Outputs, t.outputs.labels[output])
	}
	w.Script = tableScript(w, l, claim)
	return w
}

func roundingMethod(u *big.Rat) string {
	v, _ := u.Float64()
	return fmt.Sprintf("probabilities within a relative %g of the table's", v)
}
