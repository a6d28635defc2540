package records

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Choice is a mechanism at one dataset whose range is a list of values or of categories. Methods panic if an index
// is beyond the list.
type Choice struct {
	base
	finite  mechanism.Mechanism                // the same law, on a universe with this dataset alone
	decay   evidence.Epsilon                   // the loss per layer
	layered bool                               // the query's layers determine the law
	draw    func(src rand.Source) (int, error) // exact sampler; nil: use the sampler of finite
}

// singleton returns the query on a universe with this dataset alone. The query's range is the list of values.
func (q *Query) singleton() (*query.Query, error) {
	space, _ := query.NewPathSpace(1, nil) // never fails for one dataset
	l := q.listed
	rng := make([]query.Value, len(l.values))
	for i, v := range l.values {
		if l.names != nil {
			rng[i] = query.Name(l.names[i])
		} else {
			rng[i] = query.RationalValue(v)
		}
	}
	value := query.RationalValue(q.value)
	if l.names != nil {
		value = rng[q.value.Num().Int64()]
	}
	return query.New(q.name, space, []query.Value{value}, rng, query.ValueMetric{Discrete: l.names != nil})
}

// newListed returns the mechanism that gives each value of the list the weight e^{−level·unit}.
func newListed(q *Query, title string, unit evidence.Epsilon, claim evidence.Number, level []int32, remake func(q *Query) (Law, error)) (*Choice, error) {
	one, err := q.singleton()
	if err != nil {
		return nil, err
	}
	levels, err := mechanism.NewLayerTable(context.Background(), one, level)
	if err != nil {
		return nil, err
	}
	return &Choice{base: base{q, title, claim, remake}, finite: mechanism.NewLayered(title, levels, unit, claim), decay: unit}, nil
}

// Distortion implements Law.
func (m *Choice) Distortion(context.Context) (evidence.Number, error) {
	return mechanism.Distortion(m.finite, 0), nil
}

// Names returns the categories, or nil if values are numbers.
func (m *Choice) Names() []string { return m.q.listed.names }

// Law returns the probability of each value of the list.
func (m *Choice) Law() ([]float64, error) { return mechanism.Law(m.finite, 0) }

// Of returns the probability of the value at an index of the list.
func (m *Choice) Of(place int) evidence.Number {
	if p, ok := m.finite.Rational(0, place); ok {
		return evidence.Exact{Value: p, Provenance: evidence.From("the law at this dataset")}
	}
	return evidence.Enclosed(m.finite.Enclose(0, place), method, "the law at this dataset")
}

// sum encloses the total probability of the values for which wanted returns true.
func (m *Choice) sum(wanted func(v *big.Rat) bool) interval.Interval {
	sum := interval.Int(0)
	for i, v := range m.q.listed.values {
		if wanted(v) {
			sum = sum.Add(m.finite.Enclose(0, i))
		}
	}
	return inUnit(sum)
}

// Within implements Law.
func (m *Choice) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	if m.q.listed.names != nil {
		if e.Cmp(big.NewRat(1, 1)) >= 0 {
			return interval.Int(1), nil
		}
		return m.sum(func(v *big.Rat) bool { return e.Sign() >= 0 && v.Cmp(m.q.value) == 0 }), nil
	}
	d := new(big.Rat)
	return m.sum(func(v *big.Rat) bool { d.Sub(v, m.q.value); return d.Abs(d).Cmp(e) <= 0 }), nil
}

// Between implements Law. The order of categories is the order of the list.
func (m *Choice) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return m.sum(func(v *big.Rat) bool { return lo.Cmp(v) <= 0 && v.Cmp(hi) <= 0 }), nil
}

// Simulate implements Law. For categories it draws indices of the list.
func (m *Choice) Simulate(_ context.Context, n int, src rand.Source) ([]float64, error) {
	places, err := mechanism.Sample(m.finite, 0, n, src)
	if err != nil {
		return nil, err
	}
	return m.values(places), nil
}

func (m *Choice) values(places []int) []float64 {
	out := make([]float64, len(places))
	for i, k := range places {
		out[i], _ = m.q.listed.values[k].Float64()
	}
	return out
}

// Release draws n outputs, each with exactly its probability, as mechanism.Release does.
func (m *Choice) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	if m.draw == nil {
		places, err := mechanism.Release(ctx, m.finite, 0, n, src)
		if err != nil {
			return nil, nil, err
		}
		return m.values(places), nil, nil
	}
	out, err := drawing(ctx, n, 1024, func() (float64, error) {
		place, err := m.draw(src)
		return float(m.q.listed.values[place]), err
	})
	return out, nil, err
}

// At returns the value at an index of the list.
func (m *Choice) At(place int) *big.Rat { return m.q.listed.values[place] }
