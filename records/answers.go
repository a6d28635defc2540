package records

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Answer returns f(x) as evidence.
func (q *Query) Answer() evidence.Number {
	return evidence.Exact{Value: q.Value(), Source: "computed from the records"}
}

// Category returns the name of a mode's value, false where values are numbers.
func (q *Query) Category(place int) (string, bool) {
	if q.listed == nil || q.listed.names == nil || place < 0 || place >= len(q.listed.names) {
		return "", false
	}
	return q.listed.names[place], true
}

// Place returns the place of a category.
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

// IsBare reports whether the query is one of functions that were given no dataset.
func (q *Query) IsBare() bool { return q.own != nil && q.failed == nil }

// LocalSensitivity returns I_t as evidence.
func (q *Query) LocalSensitivity(t int) (evidence.Number, error) {
	v, err := q.Local(t)
	if err != nil {
		return nil, err
	}
	return evidence.Exact{Value: new(big.Rat).Set(v), Source: "an upper bound of the local sensitivity within " + whole(t).Num().String() + " changes"}, nil
}

// GlobalSensitivity returns the largest change between neighbors as evidence. It returns an
// error wrapping evidence.ErrParameter where there is none that is known.
func (q *Query) GlobalSensitivity() (evidence.Number, error) {
	if q.global == nil {
		return nil, parameter.Errorf("%s has no finite global sensitivity that is known", q.name)
	}
	return evidence.Exact{Value: new(big.Rat).Set(q.global), Source: "the largest change between neighbors, at most"}, nil
}

// FindLayer returns the layer of r in a mechanism that has layers, false where it has none. It
// returns an error wrapping evidence.ErrParameter where r is no value of the range.
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

// IsLayered reports whether the law is that of the query's layers.
func (m *Choice) IsLayered() bool { return m.layered }

// Releaser is a law with an exact sampler.
type Releaser interface {
	Law
	Release(ctx context.Context, n int, src Source) (values []float64, grid *big.Rat, err error)
}
