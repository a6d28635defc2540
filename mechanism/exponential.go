package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// NewExponential returns the exponential mechanism (McSherry and Talwar 2007) with score −d(f(x), r): p^x(r) ∝
// e^{−ε d(f(x), r)/(2Δf)}. Its claimed guarantee is ε. If Δf = 0, it outputs only values at distance 0.
//
// It returns an error wrapping evidence.ErrParameter unless ε is positive and q has a value metric, and the
// context's error.
func NewExponential(ctx context.Context, q *query.Query, eps evidence.Epsilon) (Mechanism, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if err := q.CheckMetric("exponential"); err != nil {
		return nil, err
	}
	name := "exponential(eps=" + eps.String() + ")"
	claim := Claim(eps, "McSherry and Talwar 2007; Wu et al., (2)")
	delta, size := q.SensitivitySteps(), len(q.Range())
	if delta > 0 && !(q.Metric().IsExact() && delta <= query.MaxLayer) {
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
			case d > query.MaxLayer:
				return newExponentialTable(ctx, name, q, eps, claim)
			}
			table[x*size+r] = int32(d)
		}
	}
	layers, err := NewLayerTable(ctx, q, table)
	if err != nil {
		return nil, err
	}
	return NewLayered(name, layers, eps.Ratio(1, 2*int64(max(delta, 1))), claim).withDefinition("exponential", eps), nil
}

// newExponentialTable is NewExponential for distances that are not integer steps or exceed query.MaxLayer. The
// weights are e^{−tε} with the rational exponent t = d/(2Δf). Δf must be positive.
func newExponentialTable(ctx context.Context, name string, q *query.Query, eps evidence.Epsilon, claim evidence.Number) (Mechanism, error) {
	twice := q.RationalSensitivity()
	twice = new(big.Rat).Add(twice, twice)
	var laws expSumTable
	t, err := newValueTable(ctx, name, q, claim, laws.logs(eps), func(v int, row []evidence.RatOrInterval) {
		weights, total := make([]ExpSum, len(row)), ExpSum{}
		sum := evidence.ExactRat(new(big.Rat))
		for r := range row {
			d := q.Metric().Rational(v, r)
			weights[r] = ExpTerm(big.NewRat(1, 1), d.Quo(d, twice))
			total.terms = append(total.terms, weights[r].terms...)
			row[r] = weights[r].evaluate(eps, nil)
			sum = sum.Add(row[r]) // at least 1, the weight of f(x)
		}
		for r := range row {
			row[r] = row[r].Quo(sum)
		}
		laws.add(weights, total.collectTerms())
	})
	if err != nil {
		return nil, err
	}
	t.sums, t.sumEpsilon, t.definition = &laws, eps, Definition{"exponential", eps}
	return t, nil
}

// NewInverseSensitivity returns the inverse sensitivity mechanism (Asi and Duchi 2020): p^x(r) ∝ e^{−len·ε/2} with
// len = min{d̄(x, y) : d(f(y), r) ≤ rho}. Its claimed guarantee is ε. With rho = 0 it is the purest mechanism at
// decay ε/2. With rho > 0 it is the smooth form, the δ-neighborhood mechanism. A nil rho is infinite.
//
// It returns an error wrapping evidence.ErrParameter unless ε is positive, rho is at least 0 and q has a value
// metric, and the context's error.
func NewInverseSensitivity(ctx context.Context, q *query.Query, eps evidence.Epsilon, rho *big.Rat) (*Layered, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if err := q.CheckMetric("inverse_sensitivity"); err != nil {
		return nil, err
	}
	text := "inf"
	if rho != nil {
		text = rho.RatString()
		if v, exact := rho.Float64(); exact || !math.IsInf(v, 0) && interval.Decimal(v).Cmp(rho) == 0 {
			text = fmt.Sprint(v)
		}
		if rho.Sign() < 0 {
			return nil, parameter.Errorf("rho = %s, want at least 0", text)
		}
	}
	var seeds []query.Seed
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, r := range q.RationalBall(x, rho) {
			seeds = append(seeds, query.Seed{Dataset: x, Value: r})
		}
	}
	table, err := q.Space().DistanceTransform(ctx, len(q.Range()), seeds)
	if err != nil {
		return nil, err
	}
	layers, err := LayerTableOf(ctx, q, table)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("inverse_sensitivity(eps=%s, rho=%s)", eps, text)
	return NewLayered(name, layers, eps.Ratio(1, 2), Claim(eps, "Asi and Duchi 2020, inverse sensitivity")), nil
}
