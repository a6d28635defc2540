package records

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// finite returns the mechanism on a universe. Its row at each dataset is the law of this dataset on the listed values.
// layers are the layers of these values, or nil.
func finite(ctx context.Context, u *universe, laws []Law, values []*big.Rat, layers []int32) (mechanism.Mechanism, error) {
	first := laws[0].Query()
	names := first.listed != nil && first.listed.names != nil
	name := func(r *big.Rat) query.Value {
		if names {
			return query.Name(first.listed.names[r.Num().Int64()])
		}
		return query.RationalValue(r)
	}
	all, of := lists.Each(values, name), lists.Each(laws, func(m Law) query.Value { return name(m.Query().value) })
	q, err := query.New(first.name, u.space, of, all, query.ValueMetric{Discrete: names})
	if err != nil {
		return nil, err
	}
	head := mechanism.Info{Name: laws[0].Name(), Query: q, Claimed: laws[0].ClaimedEpsilon()}
	if unit, layered := unitOf(laws[0]); layered {
		if layers == nil {
			if layers, err = layersOf(ctx, laws, values); err != nil {
				return nil, err
			}
		}
		levels, err := mechanism.NewLayerTable(ctx, q, layers)
		if err != nil {
			return nil, err
		}
		return mechanism.NewLayered(head.Name, levels, unit, head.Claimed), nil
	}
	rows := make([][]interval.Interval, len(laws))
	for x, law := range laws {
		if x%16 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			parallel.Report(ctx, int64(x), int64(len(laws)), "laws")
		}
		if rows[x], err = cellsOf(ctx, law, values); err != nil {
			return nil, err
		}
	}
	table, err := mechanism.NewEnclosedTable(head, rows, nil, nil)
	if err != nil {
		return nil, err // a nil *Table would be a mechanism that is not nil
	}
	return table, nil
}

// cellsOf encloses the law on the listed values. If the range is not a lattice, it is the law after rounding to the
// nearest value, which is post-processing.
func cellsOf(ctx context.Context, m Law, values []*big.Rat) (row []interval.Interval, err error) {
	row = make([]interval.Interval, len(values))
	rng := m.Query().rng
	if own, ok := m.(interface{ outputs() Range }); ok {
		rng = own.outputs()
	}
	if m.Query().listed != nil || rng.Step != nil {
		for r, value := range values {
			if row[r], err = m.Between(ctx, value, value); err != nil {
				return nil, err
			}
		}
		return row, nil
	}
	added, isAdded := m.(interface {
		below(v *big.Rat, open bool) interval.Interval
	})
	start := rng.Lo
	if start == nil { // exponential tails further below the values would round to 0
		far := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 400))
		start = new(big.Rat).Sub(values[0], far)
	}
	below := interval.Int(0)
	for r := range values {
		upTo := interval.Int(1)
		if r+1 < len(values) {
			cut := new(big.Rat).Add(values[r], values[r+1])
			cut.Mul(cut, big.NewRat(1, 2))
			if isAdded {
				upTo = added.below(cut, false)
			} else if upTo, err = m.Between(ctx, start, cut); err != nil {
				return nil, err
			}
		}
		row[r] = inUnit(upTo.Sub(below))
		below = upTo
	}
	return row, nil
}

// unitOf returns the decay of a mechanism whose law is determined by its layers, and whether m is one.
func unitOf(m Law) (evidence.Epsilon, bool) {
	switch m := m.(type) {
	case *Layered:
		return m.decay, true
	case *Choice:
		return m.decay, m.layered
	}
	return evidence.Epsilon{}, false
}
