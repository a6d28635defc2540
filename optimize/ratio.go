package optimize

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/query"
)

// RatioToOptimum returns the ratio of m's expected distortion under a uniform prior to that of the optimal
// mechanism at m's own smallest ε: 1 if m is optimal. It is +Inf if m is not private, so that the optimum is 0, but
// m's distortion is not 0.
//
// It returns an error wrapping ErrPrecision if the optimum is not known to the width that NewOptimal certifies.
func RatioToOptimum(ctx context.Context, m mechanism.Mechanism) (evidence.Number, error) {
	mean, err := mechanism.ExpectedDistortion(ctx, m, nil)
	if err != nil {
		return nil, err
	}
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	best, err := optimumAt(ctx, m.Query(), loss)
	if err != nil {
		return nil, err
	}
	const source = "distortion over the optimum at the mechanism's own smallest ε"
	if a, ok := mean.(evidence.Exact); ok {
		if b, ok := best.(evidence.Exact); ok && b.Value.Sign() > 0 {
			return evidence.Exact{Value: new(big.Rat).Quo(a.Value, b.Value), Provenance: evidence.From(source)}, nil
		}
	}
	lo, hi := mean.Bounds()
	from, to := best.Bounds()
	out := evidence.Certified{Lo: 1, Hi: math.Inf(1), Provenance: evidence.From(source).By(best.Origin())}
	switch {
	case hi == 0:
		out.Hi = 1
	case to == 0:
		out.Lo = math.Inf(1)
	default:
		out.Lo, _ = interval.Float(lo).Quo(interval.Float(to)).Bounds()
		_, out.Hi = interval.Float(hi).Quo(interval.Float(from)).Bounds()
	}
	return out, nil
}

// optimumAt returns the least expected distortion under a uniform prior at a smallest ε that is exact or certified,
// 0 and infinity included.
func optimumAt(ctx context.Context, q *query.Query, loss evidence.Number) (evidence.Number, error) {
	lo, hi := loss.Bounds()
	const source = "linear program of the optimal mechanism"
	if hi == 0 {
		return constantOptimum(ctx, q)
	}
	if math.IsInf(lo, 1) {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}, nil
	}
	if !(lo > 0) {
		return nil, fmt.Errorf("%w: the smallest ε in [%g, %g] cannot be distinguished from 0", ErrPrecision, lo, hi)
	}
	eps, err := evidence.NewEpsilon("eps", hi)
	if err != nil {
		return nil, err
	}
	p, err := newProgram(ctx, q, eps, Options{})
	if err != nil {
		return nil, err
	}
	if p.answers() != nil {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}, nil
	}
	// The interval holds for every ε in the enclosure: points are feasible at its lower end, and bounds valid at
	// its upper end.
	if log, ok := loss.(evidence.ExactLog); ok {
		p.Ratio = interval.Rat(log.Argument)
	} else {
		p.Ratio = interval.Between(lo, hi).Exp()
	}
	x, err := lp.Solve(ctx, &p.Program, p.options(ctx, Options{}))
	if x == nil {
		return nil, p.stopped(explain(err, nil, p.spent()))
	}
	optimum := p.enclose(x.Lo, x.Hi)
	return optimum, explain(err, &Optimal{optimum: optimum, steps: x.Iterations}, p.spent())
}

// constantOptimum returns the optimum at ε = 0. Connected datasets then have one law, and the best law is a single
// value with the least total distance.
func constantOptimum(ctx context.Context, q *query.Query) (evidence.Number, error) {
	total := new(big.Rat)
	for _, component := range components(q.Space()) {
		times := make(map[int]int64) // how often f takes a value
		for _, x := range component {
			times[q.ValueIndex(x)]++
		}
		var least *big.Rat
		for r := range q.Range() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			sum := new(big.Rat)
			for v, n := range times {
				sum.Add(sum, new(big.Rat).Mul(q.Metric().Rational(v, r), big.NewRat(n, 1)))
			}
			if least == nil || sum.Cmp(least) < 0 {
				least = sum
			}
		}
		total.Add(total, least)
	}
	return evidence.Exact{
		Value: total.Quo(total, big.NewRat(int64(q.Size()), 1)), Provenance: evidence.From("best constant answer, ε = 0"),
	}, nil
}
