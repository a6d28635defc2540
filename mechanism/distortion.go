package mechanism

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Distortion returns the expected distortion P^x = E d(f(x), M(x)) (Wu et al.,
// (4)): exact where the probabilities are rational, certified elsewhere. It panics
// where m's query has no dataset x, as an index does.
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
		return evidence.Exact{Value: sum, Cases: uint64(len(q.Range())), Source: source}
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

// enclosedDistortion encloses P^x.
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

// distance encloses d(f(x), r).
func distance(q *query.Query, x, r int) interval.Interval {
	metric := q.Metric()
	if metric.IsExact() {
		return metric.Enclose(metric.Steps(q.ValueIndex(x), r))
	}
	return interval.Rat(metric.Rational(q.ValueIndex(x), r))
}

// underflow is where float64 sums of probabilities begin to lose digits.
const underflow = 1e-290

// sharpen returns P^x where v is what float64 makes of it: v itself unless it
// underflows, and never 0 where P^x is positive.
func correctUnderflow(m Mechanism, x int, v float64) float64 {
	if v >= underflow {
		return v
	}
	if _, positive := LogDistortion(m, x); !positive {
		return 0
	}
	return max(enclosedDistortion(m, x).Mid(), math.SmallestNonzeroFloat64)
}

// Distortions returns P^x for every dataset, in float64; 0 only where it is 0.
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

// exactSumLimit bounds the number of different datasets whose distortions are
// summed as rationals, exactSumBits the bits of their denominators together.
const (
	maxExactDatasets   = 5000
	maxDenominatorBits = 1 << 22
)

// ExpectedDistortion returns P = Σ_x prior(x) P^x (Wu et al., (5)). A nil prior
// is uniform. It returns an error wrapping evidence.ErrParameter unless the
// prior has one probability per dataset, none negative, with sum 1 within 1e-9;
// what is left of the sum is divided out.
func ExpectedDistortion(ctx context.Context, m Mechanism, prior []*big.Rat) (evidence.Number, error) {
	weights, err := PriorWeights(m.Query().Size(), prior)
	if err != nil {
		return nil, err
	}
	const source = "Wu et al., (5)"
	about := func(m Mechanism) evidence.Statement { return &DistortionStatement{Of: m, Prior: weights} }
	// Datasets with the same distortion are summed once.
	type group struct {
		x      int
		weight *big.Rat
	}
	each, kind := representatives(m)
	groups := make([]group, len(each))
	for i, x := range each {
		groups[i] = group{x, new(big.Rat)}
	}
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
		return withStatement(evidence.Exact{Value: sumTree(parts), Cases: uint64(m.Query().Size()), Source: source}, m, about), nil
	}
	for _, g := range groups {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sum = sum.Add(enclosedDistortion(m, g.x).Mul(interval.Rat(g.weight)))
	}
	return withStatement(evidence.Enclosed(sum, "256-bit intervals", source), m, about), nil
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

// PriorWeights returns the prior with sum 1, uniform over the n datasets where it
// is nil. It returns an error as ExpectedDistortion does.
func PriorWeights(n int, prior []*big.Rat) ([]*big.Rat, error) {
	if n < 1 {
		return nil, parameter.Errorf("a prior over %d datasets, want at least 1", n)
	}
	if n > maxDraws {
		return nil, parameter.Errorf("a prior over %d datasets, want at most %d", n, maxDraws)
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
	sum := new(big.Rat)
	for x, p := range prior {
		if p == nil {
			return nil, parameter.Errorf("prior[%d] is missing, want a probability", x)
		}
		if p.Sign() < 0 {
			v, _ := p.Float64()
			return nil, parameter.Errorf("prior[%d] = %g, want a probability", x, v)
		}
		sum.Add(sum, p)
	}
	off := new(big.Rat).Sub(sum, big.NewRat(1, 1))
	if new(big.Rat).Abs(off).Cmp(sumTolerance) > 0 {
		v, _ := sum.Float64()
		return nil, parameter.Errorf("prior sums to %.12g, want 1", v)
	}
	for x, p := range prior {
		out[x] = new(big.Rat).Quo(p, sum)
	}
	return out, nil
}
