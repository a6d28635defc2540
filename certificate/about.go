package certificate

import (
	"context"
	"maps"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/program"
	"dpworkbench/query"
)

// hasLayers is implemented by layered mechanisms and by types that embed one.
type hasLayers interface{ AsLayered() *layers.Mechanism }

// Known reports whether About returns a certificate of values of x's type.
func Known(x any) bool {
	switch x.(type) {
	case *query.Graphs, hasLayers, mechanism.Comparison, *program.Decision:
		return true
	}
	return false
}

// About returns the certificate of a value that is not a number: the graphs of a universe, the layers of a layered
// mechanism or their migration, a comparison of two mechanisms, or the decision of a program. It returns an error
// wrapping evidence.ErrParameter for all other values.
func About(ctx context.Context, x any) (*File, error) {
	statement, proof, err := object(nil), object{}, error(nil)
	switch x := x.(type) {
	case *query.Graphs:
		statement, err = universe(ctx, x)
	case hasLayers:
		if m := x.AsLayered(); m.Moved() != nil {
			statement, err = migration(ctx, m)
		} else {
			statement, err = layersOf(ctx, m)
		}
	case mechanism.Comparison:
		statement, err = comparison(ctx, x)
	case *program.Decision:
		statement, proof, err = decision(ctx, x)
	default:
		return nil, parameter.Errorf("no certificate of a %T: want a number with its evidence, a universe of graphs, a layered mechanism, a comparison or a decision", x)
	}
	if err != nil {
		return nil, err
	}
	return &File{statement: statement, proof: proof}, nil
}

// universe states the graphs of a universe, the number of automorphisms of each, and the pairs of neighbors.
func universe(ctx context.Context, g *query.Graphs) (object, error) {
	if g.Nodes() > mostNodes {
		return nil, parameter.Errorf("no certificate of graphs on %d nodes, want at most %d: a checker enumerates all labelled graphs", g.Nodes(), mostNodes)
	}
	classes, symmetries := make(list, g.Size()), make(list, g.Size())
	for x := range classes {
		classes[x], symmetries[x] = g.Graph6(x), int(g.Automorphisms(x))
	}
	pairs, err := neighborPairs(ctx, g.Space())
	if err != nil {
		return nil, err
	}
	return object{"kind": "universe", "nodes": g.Nodes(), "classes": classes, "automorphisms": symmetries, "neighbors": pairs}, nil
}

// layersOf states the layer of every value at every dataset.
func layersOf(ctx context.Context, m *layers.Mechanism) (object, error) {
	q, err := queryOf(ctx, m.Query())
	if err != nil {
		return nil, err
	}
	return object{
		"kind": "layers", "query": q, "decay": epsilon(m.Decay()), "spread": string(m.Rule()), "initial": initial(m),
		"levels": layerLists(m.Layered)["levels"],
	}, nil
}

// migration states the layers before and after a move.
func migration(ctx context.Context, m *layers.Mechanism) (object, error) {
	moved := m.Moved()
	out, err := layersOf(ctx, moved.Before)
	if err != nil {
		return nil, err
	}
	out["kind"] = "migration"
	out["move"] = object{"x": moved.Dataset, "r": moved.Value, "layer": moved.Layer}
	out["after"] = layerLists(m.Layered)["levels"]
	return out, nil
}

// initial encodes the initial values of a layered mechanism: for each dataset, its sets by ascending layer.
func initial(m *layers.Mechanism) list {
	out := make(list, m.Query().Size())
	for x, at := range m.Sets().At {
		sets := list{}
		for _, i := range slices.Sorted(maps.Keys(at)) {
			if len(at[i]) > 0 {
				sets = append(sets, list{i, places(at[i])})
			}
		}
		out[x] = sets
	}
	return out
}

// comparison states at each dataset which mechanism has the smaller distortion, and at how many the first is better.
func comparison(ctx context.Context, c mechanism.Comparison) (object, error) {
	a, b := c.Mechanisms()
	first, err := mechanismOf(ctx, a)
	if err != nil {
		return nil, err
	}
	second, err := mechanismOf(ctx, b)
	if err != nil {
		return nil, err
	}
	signs, better, err := c.Signs(ctx)
	if err != nil {
		return nil, err
	}
	return object{"kind": "comparison", "first": first, "second": second, "signs": ints(signs), "margin": rational(mechanism.BetterMargin), "better": better}, nil
}
