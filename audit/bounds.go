package audit

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// bounds is the result of the test for one event.
type bounds struct {
	pick         pick
	p, m, q, n   int64   // event seen p times in m draws at x, and q times in n draws at y
	low, high    float64 // bounds: P ≥ low and Q ≤ high
	ratio, delta float64 // (low − δ)/high and low − e^ε high, for comparison
}

// test bounds the probabilities of every event, and sets the result from the events with the largest ratio and the
// largest δ.
func (a *sampleAudit) test(ctx context.Context, r *Result, picks []pick, draws int64) error {
	level := a.alpha / float64(2*len(picks)) * (1 - 0x1p-50) // error probability of each of the 2·len one-sided bounds
	delta, _ := a.bound.Float64()
	factor := expFloat(a.claim.Epsilon)
	lowest, highest := remembered(binomialLower, level), remembered(binomialUpper, level)
	var best, worst *bounds
	for i, e := range picks {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			parallel.Report(ctx, int64(i), int64(len(picks)), "events")
		}
		b := &bounds{pick: e}
		b.p, b.m = a.tallied(e, e.x)
		b.q, b.n = a.tallied(e, e.y)
		b.low, b.high = lowest(b.p, b.m), highest(b.q, b.n)
		b.ratio, b.delta = (b.low-delta)/b.high, b.low-factor*b.high
		if best == nil || b.ratio > best.ratio {
			best = b
		}
		if worst == nil || b.delta > worst.delta {
			worst = b
		}
	}
	// Both bounds are float64s, so (low − δ)/high is computed exactly.
	ratio := new(big.Rat).SetFloat64(best.low)
	ratio.Sub(ratio, a.bound).Quo(ratio, new(big.Rat).SetFloat64(best.high))
	r.Verdict = evidence.Undecided
	low := 0.0
	if ratio.Cmp(one) > 0 {
		if c, ok := a.claim.compare(ratio); ok && c > 0 {
			r.Verdict = evidence.Refuted
		}
		low, _ = interval.RationalLog(ratio).Bounds()
		r.Witness = a.witness(best, len(picks))
	}
	r.Epsilon = a.estimate(low, math.Inf(1), draws)
	excess := 0.0
	if worst.delta > -1e-9 && a.claim.Epsilon.Value() < 1<<20 {
		v := interval.Float(worst.low).Sub(a.claim.Epsilon.Enclosure().Exp().Mul(interval.Float(worst.high)))
		excess, _ = v.Bounds()
	}
	r.Delta = a.estimate(max(excess, 0), 1, draws)
	return nil
}

// remembered returns the function bound at a fixed level, with a cache, because many events have the same counts.
func remembered(bound func(c, n int64, level float64) float64, level float64) func(c, n int64) float64 {
	known := make(map[[2]int64]float64)
	return func(c, n int64) float64 {
		v, ok := known[[2]int64{c, n}]
		if !ok {
			v = bound(c, n, level)
			known[[2]int64{c, n}] = v
		}
		return v
	}
}

// tallied returns how often the event was seen at dataset x, and the number of draws at x. It counts the testing part.
func (a *sampleAudit) tallied(e pick, x int) (seen, n int64) {
	inside := make(map[int]bool, len(e.outputs))
	for _, o := range e.outputs {
		inside[o] = true
	}
	for _, t := range e.in.tallies[x] {
		n += t.confirm
		number := t.output < len(e.in.values)
		switch {
		case e.bound < 0 && number && t.output <= e.cut,
			e.bound > 0 && number && t.output >= e.cut,
			e.bound == 0 && inside[t.output]:
			seen += t.confirm
		}
	}
	return seen, n
}

func (a *sampleAudit) estimate(lo, hi float64, draws int64) evidence.Estimated {
	return evidence.Estimated{Value: lo, Lo: lo, Hi: hi, Side: evidence.Down, Confidence: 1 - a.alpha, Draws: int(draws),
		Provenance: evidence.From("lower bound from Clopper-Pearson bounds on events")}
}

func (a *sampleAudit) witness(b *bounds, tests int) *Witness {
	rate := func(c, n int64, lo, hi float64) evidence.Number {
		return evidence.Estimated{Value: float64(c) / float64(n), Lo: lo, Hi: hi, Confidence: 1 - a.alpha, Draws: int(n), Provenance: evidence.From("frequency with a Clopper-Pearson bound")}
	}
	w := &Witness{First: a.datasets[b.pick.x], Second: a.datasets[b.pick.y],
		P: rate(b.p, b.m, b.low, 1), Q: rate(b.q, b.n, 0, b.high)}
	w.Event.Feature = b.pick.in.feature
	switch cut := b.pick.cut; {
	case b.pick.bound < 0:
		w.Event.Bound = "<= " + b.pick.in.labels[cut]
	case b.pick.bound > 0:
		w.Event.Bound = ">= " + b.pick.in.labels[cut]
	default:
		for _, o := range b.pick.outputs {
			w.Event.Outputs = append(w.Event.Outputs, b.pick.in.labels[o])
		}
	}
	w.Script = samplesScript(w, b, a.claim, a.alpha, tests)
	return w
}
