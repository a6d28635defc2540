package mechanism

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Comparison holds the distortions of one mechanism relative to another's.
type Comparison struct {
	a, b           Mechanism
	Ratios         []float64 // P_a^x/P_b^x for each dataset; 1 if both are 0, +Inf if only P_b^x is 0
	Better         float64   // fraction of datasets with a ratio below 1 − 1e-9
	Mean, Min, Max float64   // of the ratios
}

// Compare returns the distortions of a relative to those of b. It returns an error wrapping evidence.ErrParameter
// if the queries have different numbers of datasets.
func Compare(ctx context.Context, a, b Mechanism) (Comparison, error) {
	if a.Query().Size() != b.Query().Size() {
		return Comparison{}, parameter.Errorf("the mechanisms have %d and %d datasets, want the same universe", a.Query().Size(), b.Query().Size())
	}
	pa, err := Distortions(ctx, a)
	if err != nil {
		return Comparison{}, err
	}
	pb, err := Distortions(ctx, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{a: a, b: b, Ratios: pa, Min: math.Inf(1), Max: math.Inf(-1)}
	better := 0
	for x := range pa {
		if err := ctx.Err(); err != nil {
			return Comparison{}, err
		}
		switch {
		case pa[x] == 0 && pb[x] == 0:
			pa[x] = 1
		case min(pa[x], pb[x]) < underflow && pa[x] > 0 && pb[x] > 0:
			pa[x] = ratioOfLogs(a, b, x)
		default:
			pa[x] /= pb[x]
		}
		if pa[x] < 1-1e-9 {
			better++
		}
		c.Mean += pa[x]
		c.Min, c.Max = min(c.Min, pa[x]), max(c.Max, pa[x])
	}
	c.Mean /= float64(len(pa))
	c.Better = float64(better) / float64(len(pa))
	return c, nil
}

// Summary returns the mean, the least and the largest of the ratios with their evidence: exact if the distortions are
// rational and not too long, certified otherwise.
func (c Comparison) Summary(ctx context.Context) (mean, least, largest evidence.Number, err error) {
	ratios := make([]evidence.Number, len(c.Ratios))
	for x := range ratios {
		if err := ctx.Err(); err != nil {
			return nil, nil, nil, err
		}
		ratios[x] = c.Ratio(x)
	}
	if mean, err = evidence.Sum(ratios...); err == nil {
		mean, err = evidence.Quo(mean, evidence.FromInt(big.NewInt(int64(len(ratios)))))
	}
	if err == nil {
		least, err = evidence.Min(ratios...)
	}
	if err == nil {
		largest, err = evidence.Max(ratios...)
	}
	return mean, least, largest, err
}

// Ratio returns P_a^x/P_b^x at dataset x with its evidence: 1 if both are 0, +Inf if only P_b^x is 0.
// It panics if x is not a dataset, as an index does.
func (c Comparison) Ratio(x int) evidence.Number { return ratioAt(c.a, c.b, x) }

// ratioAt returns P_a^x/P_b^x: 1 if both are 0, +Inf if only P_b^x is 0.
func ratioAt(a, b Mechanism, x int) evidence.Number {
	const source = "ratio of expected distortions, Wu et al., (4)"
	_, p := LogDistortion(a, x)
	_, q := LogDistortion(b, x)
	switch {
	case !q && p:
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Provenance: evidence.From(source)}
	case !q:
		return evidence.Exact{Value: big.NewRat(1, 1), Provenance: evidence.From(source)}
	case !p:
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}
	}
	if v, ok := distortionAt(a, x).(evidence.Exact); ok {
		if w, ok := distortionAt(b, x).(evidence.Exact); ok {
			return evidence.Exact{Value: new(big.Rat).Quo(v.Value, w.Value), Provenance: evidence.From(source)}
		}
	}
	return evidence.Enclosed(LogRatio(a, b, x).Exp(), "256-bit intervals", source)
}

// Probability returns the probability of value r at dataset x: exact if it is rational, such as 0, and certified
// otherwise. It panics unless both are numbers of m's query.
func Probability(m Mechanism, x, r int) evidence.Number {
	if q, ok := m.Rational(x, r); ok {
		return evidence.Exact{Value: q, Provenance: evidence.From("the law of " + m.Name())}
	}
	if isImpossible(m, x, r) {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From("the law of " + m.Name())}
	}
	return evidence.Enclosed(m.EncloseLog(x, r).Exp(), "256-bit intervals", "the law of "+m.Name())
}

// ratioOfLogs returns P_a^x/P_b^x from logarithms, for distortions that underflow in float64. The result is
// positive, and infinite only if it exceeds the range of float64.
func ratioOfLogs(a, b Mechanism, x int) float64 {
	return max(math.Exp(LogRatio(a, b, x).Mid()), math.SmallestNonzeroFloat64)
}

// BetterMargin is 1e-9: mechanism a counts as better than b at a dataset x if P_a^x/P_b^x < 1 − 1e-9.
var BetterMargin = big.NewRat(1, 1_000_000_000)

// Mechanisms returns the compared mechanisms.
func (c Comparison) Mechanisms() (a, b Mechanism) { return c.a, c.b }

// Signs returns the sign of P_a^x − P_b^x for every dataset, and the number of datasets with P_a^x < (1 −
// BetterMargin)·P_b^x. Rational numbers or enclosures decide. It returns an error wrapping evidence.ErrParameter
// if they cannot.
func (c Comparison) Signs(ctx context.Context) (signs []int, better int, err error) {
	if c.a == nil || len(c.Ratios) != c.a.Query().Size() {
		return nil, 0, parameter.Errorf("the comparison is empty, want one that Compare returned")
	}
	far := interval.Rat(new(big.Rat).Sub(big.NewRat(1, 1), BetterMargin)).Log()
	for x := range c.Ratios {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		sign, less, ok := c.sign(x, far)
		if !ok {
			return nil, 0, parameter.Errorf("the distortions of %s and %s at dataset %d are too close to compare", c.a.Name(), c.b.Name(), x)
		}
		signs = append(signs, sign)
		if less {
			better++
		}
	}
	return signs, better, nil
}

// sign returns the sign of P_a^x − P_b^x, and less = P_a^x < (1 − BetterMargin)·P_b^x. The argument far is ln(1 −
// BetterMargin). ok is false unless the enclosures decide both.
func (c Comparison) sign(x int, far interval.Interval) (sign int, less, ok bool) {
	p, q := distortionAt(c.a, x), distortionAt(c.b, x)
	a, exactA := p.(evidence.Exact)
	b, exactB := q.(evidence.Exact)
	if exactA && exactB {
		least := new(big.Rat).Sub(big.NewRat(1, 1), BetterMargin)
		return a.Value.Cmp(b.Value), a.Value.Cmp(least.Mul(least, b.Value)) < 0, true
	}
	_, someA := LogDistortion(c.a, x)
	_, someB := LogDistortion(c.b, x)
	switch {
	case !someA && !someB:
		return 0, false, true
	case !someA:
		return -1, true, true
	case !someB:
		return 1, false, true
	case c.sameLaw(x):
		return 0, false, true
	}
	ratio := LogRatio(c.a, c.b, x)
	sign, zero := ratio.Sign()
	apart, tie := ratio.Sub(far).Sign()
	return sign, apart < 0, (sign != 0 || zero) && (apart != 0 || tie)
}

// sameLaw reports whether the two mechanisms have the same definition, or the same layers, decay and distances at
// x.
func (c Comparison) sameLaw(x int) bool {
	type layered interface {
		Layer(x, r int) int
		Decay() evidence.Epsilon
	}
	a, okA := c.a.(layered)
	b, okB := c.b.(layered)
	p, q := c.a.Query(), c.b.Query()
	if d, e := definitionOf(c.a), definitionOf(c.b); d.Name != "" && d.Name == e.Name && p == q {
		ratio, ok := d.Eps.Quotient(e.Eps)
		return ok && ratio.Cmp(big.NewRat(1, 1)) == 0
	}
	if !okA || !okB || len(p.Range()) != len(q.Range()) {
		return false
	}
	if ratio, ok := a.Decay().Quotient(b.Decay()); !ok || ratio.Cmp(big.NewRat(1, 1)) != 0 {
		return false
	}
	for r := range p.Range() {
		if a.Layer(x, r) != b.Layer(x, r) || p.Metric().Rational(p.ValueIndex(x), r).Cmp(q.Metric().Rational(q.ValueIndex(x), r)) != 0 {
			return false
		}
	}
	return true
}

func definitionOf(m Mechanism) Definition {
	if d, ok := m.(interface{ Definition() Definition }); ok {
		return d.Definition()
	}
	return Definition{}
}
