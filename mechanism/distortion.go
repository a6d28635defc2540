package mechanism

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Distortion returns the expected distortion P^x = E d(f(x), M(x)) (Wu et al., (4)). It is exact if the
// probabilities are rational, and certified otherwise. It panics unless x is a dataset of m's query.
func Distortion(m Mechanism, x int) evidence.Number {
	return withStatement(distortionAt(m, x), m, func(m Mechanism) evidence.Statement { return &DistortionStatement{Of: m, Dataset: x} })
}

func distortionAt(m Mechanism, x int) evidence.Number {
	if l, ok := m.(interface{ distortion(int) evidence.Number }); ok {
		return l.distortion(x)
	}
	const source = "Wu et al., (4)"
	q := m.Query()
	if sum, ok := rationalDistortion(m, x); ok {
		return evidence.Exact{Value: sum, Cases: uint64(len(q.Range())), Provenance: evidence.From(source)}
	}
	return evidence.Enclosed(enclosedDistortion(m, x), "256-bit intervals", source)
}

func rationalDistortion(m Mechanism, x int) (*big.Rat, bool) {
	q := m.Query()
	sum, term := new(big.Rat), new(big.Rat)
	for r := range q.Range() {
		p, ok := m.Rational(x, r)
		if !ok {
			return nil, false
		}
		if p.Sign() > 0 {
			sum.Add(sum, term.Mul(p, q.Metric().Rational(q.ValueIndex(x), r)))
		}
	}
	return sum, true
}

// enclosedDistortion returns an enclosure of P^x.
func enclosedDistortion(m Mechanism, x int) interval.Interval {
	if l, ok := m.(interface {
		encloseAt(int) interval.Interval
	}); ok {
		return l.encloseAt(x)
	}
	sum := interval.Int(0)
	for r := range m.Query().Range() {
		sum = sum.Add(m.Enclose(x, r).Mul(distance(m.Query(), x, r)))
	}
	return sum
}

// distance returns an enclosure of d(f(x), r).
func distance(q *query.Query, x, r int) interval.Interval {
	metric := q.Metric()
	if metric.IsExact() {
		return metric.Enclose(metric.Steps(q.ValueIndex(x), r))
	}
	return interval.Rat(metric.Rational(q.ValueIndex(x), r))
}

// underflow is the probability below which float64 sums begin to lose digits.
const underflow = 1e-290

// correctUnderflow returns v, the float64 value of P^x, unless it underflows. The result is 0 only if P^x is 0.
func correctUnderflow(m Mechanism, x int, v float64) float64 {
	if v >= underflow {
		return v
	}
	if _, positive := LogDistortion(m, x); !positive {
		return 0
	}
	return max(enclosedDistortion(m, x).Mid(), math.SmallestNonzeroFloat64)
}

// Distortions returns P^x in float64 for every dataset x. An entry is 0 only if P^x is 0.
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
		out[x] = correctUnderflow(m, x, out[x])
	}
	return out, nil
}

const (
	// maxExactDatasets bounds the number of different datasets whose distortions are summed as rational numbers.
	// maxDenominatorBits bounds the total size of their denominators.
	maxExactDatasets   = 5000
	maxDenominatorBits = 1 << 22
)

// ExpectedDistortion returns P = Σ_x prior(x) P^x (Wu et al., (5)). A nil prior is uniform. It returns an error
// wrapping evidence.ErrParameter unless the prior has one nonnegative probability per dataset with sum 1 within
// 1e-9. The prior is divided by its sum.
func ExpectedDistortion(ctx context.Context, m Mechanism, prior []*big.Rat) (evidence.Number, error) {
	weights, err := PriorWeights(m.Query().Size(), prior)
	if err != nil {
		return nil, err
	}
	const source = "Wu et al., (5)"
	about := func(m Mechanism) evidence.Statement { return &DistortionStatement{Of: m, Prior: weights} }
	// Datasets with the same distortion form one term of the sum.
	type group struct {
		x      int
		weight *big.Rat
	}
	each, kind := representatives(m)
	groups := lists.Of(len(each), func(i int) group { return group{each[i], new(big.Rat)} })
	for x, w := range weights {
		g := groups[kind[x]]
		g.weight.Add(g.weight, w)
	}
	exact, bits := len(groups) <= maxExactDatasets, 0
	parts := make([]*big.Rat, 0, len(groups))
	sum := interval.Int(0)
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if exact {
			if e, ok := Distortion(m, g.x).(evidence.Exact); ok {
				if bits += e.Value.Denom().BitLen(); bits <= maxDenominatorBits {
					parts = append(parts, new(big.Rat).Mul(e.Value, g.weight))
					continue
				}
			}
			exact = false
		}
		break
	}
	if exact {
		return withStatement(evidence.Exact{Value: sumTree(parts), Cases: uint64(m.Query().Size()), Provenance: evidence.From(source)}, m, about), nil
	}
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sum = sum.Add(enclosedDistortion(m, g.x).Mul(interval.Rat(g.weight)))
	}
	return withStatement(evidence.Enclosed(sum, "256-bit intervals", source), m, about), nil
}

// sumTree adds rational numbers pairwise, which delays the growth of the denominators.
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

// PriorWeights returns the prior divided by its sum. A nil prior is uniform over n datasets. It returns errors as
// ExpectedDistortion does.
func PriorWeights(n int, prior []*big.Rat) ([]*big.Rat, error) {
	if n < 1 {
		return nil, parameter.Errorf("prior over %d datasets, want at least 1", n)
	}
	if n > maxDraws {
		return nil, parameter.Errorf("prior over %d datasets, want at most %d", n, maxDraws)
	}
	out := make([]*big.Rat, n)
	if prior == nil {
		w := big.NewRat(1, int64(n))
		for x := range out {
			out[x] = w
		}
		return out, nil
	}
	if len(prior) != n {
		return nil, parameter.Errorf("prior has %d entries, want %d, one per dataset", len(prior), n)
	}
	return normalized("prior", prior)
}

// WorstDistortion returns max_x P^x. It is exact if the distortions are rational, and certified otherwise.
func WorstDistortion(ctx context.Context, m Mechanism) (evidence.Number, error) {
	const source = "Wu et al., (4), largest over all datasets"
	each, _ := representatives(m)
	enclosed := make([]interval.Interval, len(each))
	worst := interval.Int(0)
	for i, x := range each {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		enclosed[i] = enclosedDistortion(m, x)
		worst = interval.Max(worst, enclosed[i])
	}
	largest := new(big.Rat)
	for i, x := range each { // only datasets whose enclosures do not decide are compared as rational numbers
		if enclosed[i].Less(worst.Lower()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, ok := Distortion(m, x).(evidence.Exact)
		if !ok {
			return evidence.Enclosed(worst, "256-bit intervals", source), nil
		}
		if e.Value.Cmp(largest) > 0 {
			largest = e.Value
		}
	}
	return evidence.Exact{Value: largest, Cases: uint64(m.Query().Size()), Provenance: evidence.From(source)}, nil
}

// representatives groups the datasets that have the same law and the same value. It returns one dataset of each
// group, and the group of every dataset.
func representatives(m Mechanism) (each []int, kind []int) {
	index := make(map[[2]int]int)
	kind = make([]int, m.Query().Size())
	for x := range kind {
		key := [2]int{m.Class(x), m.Query().ValueIndex(x)}
		if l, ok := m.(interface{ profileOf(int) int }); ok {
			key = [2]int{l.profileOf(x), 0}
		}
		k, ok := index[key]
		if !ok {
			k = len(each)
			index[key] = k
			each = append(each, x)
		}
		kind[x] = k
	}
	return each, kind
}
