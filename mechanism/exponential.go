package mechanism

import (
	"context"
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// NewExponential returns the exponential mechanism (McSherry and Talwar 2007)
// with score −d(f(x), r): p^x(r) ∝ e^{−ε d/(2Δf)} on the range. Its claimed
// guarantee is ε. Where Δf = 0 only the values at distance 0 have weight.
func NewExponential(ctx context.Context, q *query.Query, eps evidence.Epsilon) (Mechanism, error) {
	name := "exponential(eps=" + eps.String() + ")"
	claim := claimed(eps, "McSherry and Talwar 2007; Wu et al., (2)")
	delta, size := q.SensitivitySteps(), len(q.Range())
	const deepest = 1 << 30
	if delta > 0 && !(q.Metric().IsExact() && delta <= deepest) {
		return newExponentialTable(ctx, name, q, eps, claim)
	}
	table := make([]int32, q.Size()*size)
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r := range size {
			d := q.Metric().Steps(q.ValueIndex(x), r)
			switch {
			case delta == 0 && d > 0:
				d = query.Unreached
			case d > deepest:
				return newExponentialTable(ctx, name, q, eps, claim)
			}
			table[x*size+r] = int32(d)
		}
	}
	levels, err := NewLevels(ctx, q, table)
	if err != nil {
		return nil, err
	}
	return NewLeveled(name, levels, eps.Ratio(1, 2*int64(max(delta, 1))), claim), nil
}

// newExponentialTable is the exponential mechanism where distances are not
// whole steps, or so many that levels do not count them. Δf is positive.
func newExponentialTable(ctx context.Context, name string, q *query.Query, eps evidence.Epsilon, claim evidence.Number) (Mechanism, error) {
	metric := q.Metric()
	unit := eps.Enclosure().Quo(metric.Enclose(q.SensitivitySteps()).Mul(interval.Int(2)))
	var logs [][]interval.Interval // by class
	return newValueTable(ctx, name, q, claim, func(class, r int) interval.Interval { return logs[class][r] }, func(v int, row []amount) {
		sum, log := interval.Int(0), make([]interval.Interval, len(row))
		for r := range row {
			log[r] = metric.Enclose(metric.Steps(v, r)).Mul(unit).Neg()
			row[r].enclosure = log[r].Exp()
			sum = sum.Add(row[r].enclosure) // at least 1, by the value at distance 0
		}
		for r := range row {
			row[r].enclosure = row[r].enclosure.Quo(sum)
			log[r] = log[r].Sub(sum.Log())
		}
		logs = append(logs, log)
	})
}

// NewInverseSensitivity returns the inverse sensitivity mechanism (Asi and
// Duchi 2020): p^x(r) ∝ e^{−len·ε/2}, len = min{d̄(x, y) : d(f(y), r) ≤ rho}. rho = 0
// is the plain form, which is the purest mechanism at decay ε/2; rho > 0 the
// smooth form, which is the δ-neighborhood mechanism. Its claimed guarantee is ε.
func NewInverseSensitivity(ctx context.Context, q *query.Query, eps evidence.Epsilon, rho float64) (*Leveled, error) {
	if !(rho >= 0) {
		return nil, fmt.Errorf("%w: rho = %g, want at least 0", evidence.ErrParameter, rho)
	}
	var seeds []query.Seed
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, r := range q.Ball(x, rho) {
			seeds = append(seeds, query.Seed{Dataset: x, Value: r})
		}
	}
	table, err := q.Space().Spread(ctx, len(q.Range()), seeds)
	if err != nil {
		return nil, err
	}
	levels, err := NewLevels(ctx, q, table)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("inverse_sensitivity(eps=%s, rho=%g)", eps, rho)
	return NewLeveled(name, levels, eps.Ratio(1, 2), claimed(eps, "Asi and Duchi 2020, inverse sensitivity")), nil
}
