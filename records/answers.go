package records

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Answer returns f(x) as evidence.
func (q *Query) Answer() evidence.Number {
	return evidence.Exact{Value: q.Value(), Provenance: evidence.From("computed from the records")}
}

// Category returns the name of the category with the given index. It returns false if there is none or values are
// numbers.
func (q *Query) Category(place int) (string, bool) {
	if q.listed == nil || q.listed.names == nil || place < 0 || place >= len(q.listed.names) {
		return "", false
	}
	return q.listed.names[place], true
}

// Place returns the index of the category with the given name.
func (q *Query) Place(name string) (int, error) {
	if q.listed != nil {
		for i, n := range q.listed.names {
			if n == name {
				return i, nil
			}
		}
	}
	return 0, parameter.Bad("r", name, "one of the categories")
}

// IsBare reports whether the query is custom and has no dataset.
func (q *Query) IsBare() bool { return q.custom != nil && q.failed == nil }

// LocalSensitivity returns I_t, the bound on the local sensitivity within t changes, as evidence. The number is exact
// if I_t is attained. Otherwise it is an enclosure whose Float is I_t. Its upper end is I_t, its lower end the local
// sensitivity at this dataset if that is known, or 0.
func (q *Query) LocalSensitivity(t int) (evidence.Number, error) {
	v, err := q.Local(t)
	if err != nil {
		return nil, err
	}
	source := "the local sensitivity within " + whole(t).Num().String() + " changes (docs/records.md)"
	least := new(big.Rat)
	if q.LocalIsExact(0) {
		least = q.local(0)
	}
	if q.LocalIsExact(t) || least.Cmp(v) == 0 {
		return evidence.Exact{Value: new(big.Rat).Set(v), Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	return upperBound(least, v, source), nil
}

// upperBound returns a number known to lie in [lo, hi], whose Float is hi.
func upperBound(lo, hi *big.Rat, source string) evidence.Number {
	return evidence.EnclosedLoss(interval.Hull(interval.Rat(lo), interval.Rat(hi)), "an upper bound", source)
}

// GlobalSensitivity returns the largest change between neighbors as evidence. It returns an error wrapping
// evidence.ErrParameter if no bound is known.
func (q *Query) GlobalSensitivity() (evidence.Number, error) {
	if q.global == nil {
		return nil, parameter.Errorf("%s has no known finite global sensitivity", q.name)
	}
	const source = "the largest change between neighbors"
	if q.unattained {
		return upperBound(new(big.Rat), q.global, source), nil
	}
	return evidence.Exact{Value: new(big.Rat).Set(q.global), Side: evidence.Up, Provenance: evidence.From(source)}, nil
}

// FindLayer returns the layer of r in a layered mechanism. has is false for a mechanism without layers. It returns an
// error wrapping evidence.ErrParameter if r is not in the range.
func FindLayer(m Law, r *big.Rat) (layer int, has bool, err error) {
	switch m := m.(type) {
	case *Layered:
		layer, err = m.Layer(r)
		return layer, true, err
	case *Choice:
		if !m.IsLayered() {
			return 0, false, nil
		}
		layer, err = m.q.Layer(r)
		return layer, true, err
	}
	return 0, false, nil
}

// IsLayered reports whether the law is determined by the query's layers.
func (m *Choice) IsLayered() bool { return m.layered }

// Releaser is a law with an exact sampler.
type Releaser interface {
	Law
	Release(ctx context.Context, n int, src Source) (values []float64, grid *big.Rat, err error)
}
