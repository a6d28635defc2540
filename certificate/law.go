package certificate

import (
	"context"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// mechanismOf encodes a mechanism with its query.
func mechanismOf(ctx context.Context, m mechanism.Mechanism) (object, error) {
	q, err := queryOf(ctx, m.Query())
	if err != nil {
		return nil, err
	}
	law, err := lawOf(ctx, m)
	if err != nil {
		return nil, err
	}
	return object{"name": m.Name(), "query": q, "law": law}, nil
}

// lawOf encodes a mechanism's law, by its rule if it has one.
func lawOf(ctx context.Context, m mechanism.Mechanism) (object, error) {
	if l, ok := m.(*layers.Mechanism); ok {
		return layered(ctx, l)
	}
	if d, ok := m.(interface{ Definition() mechanism.Definition }); ok && d.Definition().Name != "" {
		return object{"rule": d.Definition().Name, "eps": epsilon(d.Definition().Eps)}, nil
	}
	if l, ok := m.(*mechanism.Layered); ok {
		return layerLists(l), nil
	}
	rows := mechanism.RationalLaws(m)
	if rows == nil {
		return nil, parameter.Errorf("%s has no certificate: its probabilities are known only as enclosures, and certificates have no rule that computes them", m.Name())
	}
	return object{"rule": "table", "rows": listOf(rows, rationals)}, nil
}

// layered encodes a layered mechanism: by its initial values if they determine all layers, and otherwise by its layers.
func layered(ctx context.Context, m *layers.Mechanism) (object, error) {
	q := m.Query()
	var seeds []query.Seed
	purest := true
	for x, at := range m.Sets().At {
		purest = purest && len(at) == 1 && slices.Equal(at[0], []int{q.ValueIndex(x)})
		for i, values := range at {
			for _, r := range values {
				seeds = append(seeds, query.Seed{Dataset: x, Value: r, Layer: i})
			}
		}
	}
	table, err := q.Space().DistanceTransform(ctx, len(q.Range()), seeds)
	if err != nil {
		return nil, err
	}
	for i, level := range table.Cells() {
		if m.Layer(i/len(q.Range()), i%len(q.Range())) != int(level) {
			return layerLists(m.Layered), nil
		}
	}
	if purest {
		return object{"rule": "purest", "decay": epsilon(m.Decay())}, nil
	}
	return object{"rule": "layered", "decay": epsilon(m.Decay()), "initial": initial(m)}, nil
}

// layerLists encodes the layer of every value at every dataset.
func layerLists(m *mechanism.Layered) object {
	rows := make(list, m.Query().Size())
	for x := range rows {
		row := make(list, len(m.Query().Range()))
		for r := range row {
			if level := m.Layer(x, r); level != query.Unreached {
				row[r] = level
			}
		}
		rows[x] = row
	}
	return object{"rule": "levels", "unit": epsilon(m.Decay()), "levels": rows}
}

// places encodes a set of indices in ascending order, each once.
func places(of []int) list { return ints(slices.Compact(slices.Sorted(slices.Values(of)))) }
