package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// Distortion returns the expected distortion P^x = E d(f(x), M(x)) (Wu et al.,
// (4)): exact where the probabilities are rational, certified elsewhere.
func Distortion(m Mechanism, x int) evidence.Number {
	if l, ok := m.(interface{ distortion(int) evidence.Number }); ok {
		return l.distortion(x)
	}
	const source = "Wu et al., (4)"
	q := m.Query()
	if sum, ok := rationalDistortion(m, x); ok {
		return evidence.Exact{Value: sum, Cases: uint64(len(q.Range())), Source: source}
	}
	return evidence.Enclosed(encloseDistortion(m, x), "256-bit intervals", source)
}

func rationalDistortion(m Mechanism, x int) (*big.Rat, bool) {
	q := m.Query()
	if !q.Metric().IsExact() {
		return nil, false
	}
	sum := new(big.Rat)
	for r := range q.Range() {
		p, ok := m.Rational(x, r)
		if !ok {
			return nil, false
		}
		steps := new(big.Rat).SetFloat64(q.Metric().Steps(q.ValueIndex(x), r))
		sum.Add(sum, steps.Mul(steps, p))
	}
	return sum.Mul(sum, q.Metric().Unit()), true
}

func encloseDistortion(m Mechanism, x int) interval.Interval {
	q := m.Query()
	sum := interval.Int(0)
	for r := range q.Range() {
		sum = sum.Add(m.Enclose(x, r).Mul(interval.Float(q.Metric().Steps(q.ValueIndex(x), r))))
	}
	return sum.Mul(interval.Rat(q.Metric().Unit())).Mul(stepSlack(q))
}

// stepSlack is the factor by which sums of a query's distances may be off: one
// rounding a distance and one a summand where steps are not whole.
func stepSlack(q *query.Query) interval.Interval {
	if q.Metric().IsExact() {
		return interval.Int(1)
	}
	e := float64(len(q.Range())+2) * 0x1p-52
	return interval.Between(1-e, 1+e)
}

// Distortions returns P^x for every dataset, in float64.
func Distortions(ctx context.Context, m Mechanism) ([]float64, error) {
	if l, ok := m.(interface{ distortions() []float64 }); ok {
		return l.distortions(), nil
	}
	q := m.Query()
	out := make([]float64, q.Size())
	for x := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r := range q.Range() {
			if d := q.Metric().Distance(q.ValueIndex(x), r); d > 0 {
				out[x] += d * math.Exp(m.LogProb(x, r))
			}
		}
	}
	return out, nil
}

// exactSumLimit bounds the number of different datasets whose distortions are
// summed as rationals.
const exactSumLimit = 5000

// ExpectedDistortion returns P = Σ_x prior(x) P^x (Wu et al., (5)). A nil prior
// is uniform. It returns an error wrapping evidence.ErrParameter unless the
// prior has one probability per dataset, none negative, with sum 1 within 1e-9;
// what is left of the sum is divided out.
func ExpectedDistortion(ctx context.Context, m Mechanism, prior []float64) (evidence.Number, error) {
	weights, err := PriorWeights(m.Query().Size(), prior)
	if err != nil {
		return nil, err
	}
	const source = "Wu et al., (5)"
	// Datasets with the same distortion are summed once.
	type group struct {
		x      int
		weight *big.Rat
	}
	index := make(map[[2]int]int)
	var groups []group
	for x, w := range weights {
		key := [2]int{m.Class(x), m.Query().ValueIndex(x)}
		if l, ok := m.(interface{ profileOf(int) int }); ok {
			key = [2]int{l.profileOf(x), 0}
		}
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, group{x, new(big.Rat)})
		}
		groups[i].weight.Add(groups[i].weight, w)
	}
	exact := len(groups) <= exactSumLimit
	parts := make([]*big.Rat, 0, len(groups))
	sum := interval.Int(0)
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if exact {
			if e, ok := Distortion(m, g.x).(evidence.Exact); ok {
				parts = append(parts, new(big.Rat).Mul(e.Value, g.weight))
				continue
			}
			exact = false
		}
		break
	}
	if exact {
		return evidence.Exact{Value: sumTree(parts), Cases: uint64(m.Query().Size()), Source: source}, nil
	}
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var d interval.Interval
		if l, ok := m.(interface {
			encloseAt(int) interval.Interval
		}); ok {
			d = l.encloseAt(g.x)
		} else {
			d = encloseDistortion(m, g.x)
		}
		sum = sum.Add(d.Mul(interval.Rat(g.weight)))
	}
	return evidence.Enclosed(sum, "256-bit intervals", source), nil
}

// sumTree adds rationals pairwise, which keeps the denominators small longest.
func sumTree(parts []*big.Rat) *big.Rat {
	switch len(parts) {
	case 0:
		return new(big.Rat)
	case 1:
		return parts[0]
	}
	half := len(parts) / 2
	return new(big.Rat).Add(sumTree(parts[:half]), sumTree(parts[half:]))
}

// PriorWeights returns the prior as rationals with sum 1, uniform over the n
// datasets where it is nil. It returns an error as ExpectedDistortion does.
func PriorWeights(n int, prior []float64) ([]*big.Rat, error) {
	out := make([]*big.Rat, n)
	if prior == nil {
		w := big.NewRat(1, int64(n))
		for x := range out {
			out[x] = w
		}
		return out, nil
	}
	if len(prior) != n {
		return nil, fmt.Errorf("%w: prior has %d entries, want %d, one per dataset", evidence.ErrParameter, len(prior), n)
	}
	sum := new(big.Rat)
	for x, p := range prior {
		if !(p >= 0) || math.IsInf(p, 1) {
			return nil, fmt.Errorf("%w: prior[%d] = %g, want a probability", evidence.ErrParameter, x, p)
		}
		out[x] = interval.Decimal(p)
		sum.Add(sum, out[x])
	}
	if s, _ := sum.Float64(); !(math.Abs(s-1) <= 1e-9) {
		return nil, fmt.Errorf("%w: prior sums to %.12g, want 1", evidence.ErrParameter, s)
	}
	for _, p := range out {
		p.Quo(p, sum)
	}
	return out, nil
}
