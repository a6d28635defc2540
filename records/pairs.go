package records

import (
	"context"
	"math"
	"reflect"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// All datasets are listed if the number of datasets times the number of outputs is at most mostCells, and graphs have
// at most mostListedNodes nodes.
const (
	mostCells       = 1 << 15
	mostListedNodes = 6
)

// Pairs returns the pairs of laws of m on all neighboring datasets. It lists them if the universe and the outputs are
// small, and either records lie on a grid under replacement or graphs have edge neighbors. Otherwise only the claim of
// m is known, and everything derived from it is claimed. Several mechanisms on one dataset share the pair. It returns
// an error wrapping evidence.ErrParameter if m claims nothing.
func Pairs(ctx context.Context, m Law) (*privacy.DominatingPairs, error) {
	relation := m.Query().neighbors
	all, err := Listed(ctx, m)
	if err != nil {
		return nil, err
	}
	if all != nil {
		f := mechanism.Pairs(all)
		f.Name, f.Mechanism, f.Relation, f.Removes = m.Name(), nil, relation, nil
		f.Universe = privacy.ByEquality(&localUniverse{m.Query().neighbors, m.Query().again.here(), all})
		return f, nil
	}
	claim, ok := m.ClaimedEpsilon().(evidence.Claimed)
	if !ok || claim.Epsilon.IsZero() && claim.Value != 0 {
		return nil, parameter.Errorf("%s claims no ε, so no bound on its privacy loss is known", m.Name())
	}
	var delta evidence.Delta
	if s, ok := m.(interface{ Delta() evidence.Delta }); ok {
		delta = s.Delta()
	}
	f, err := privacy.ApproxDP(claim.Epsilon, delta.Rat())
	if err != nil {
		return nil, err
	}
	f.Name, f.ClaimedBy, f.Relation = m.Name(), claim.Source, relation
	return f, nil
}

// localUniverse identifies a dataset and the datasets around it, for [privacy.ByEquality].
type localUniverse struct {
	neighbors Neighbors
	here      Dataset
	all       mechanism.Mechanism
}

// Equal reports whether both have the same dataset and equal universes: datasets with the same neighbors.
func (s *localUniverse) Equal(o *localUniverse) bool {
	return s.neighbors == o.neighbors && reflect.DeepEqual(s.here, o.here) && s.all.Query().Space().SameNeighbors(o.all.Query().Space())
}

// Listed returns m at all datasets, or nil if there are too many datasets or outputs to list.
func Listed(ctx context.Context, m Law) (mechanism.Mechanism, error) {
	q := m.Query()
	o := VerifyOptions{Records: q.again.size}
	switch {
	case q.custom != nil || q.again.here == nil || q.neighbors == AddRemove:
		return nil, nil
	case q.again.graph != nil:
		if o.Nodes = q.again.here().Nodes; o.Nodes < 2 || o.Nodes > mostListedNodes {
			return nil, nil
		}
	default:
		if o.Values = q.again.domain(1 << 10); len(o.Values) < 2 || multisets(o.Records, len(o.Values)) > mostCells/2 {
			return nil, nil
		}
	}
	outputs := q.rng
	if own, ok := m.(interface{ outputs() Range }); ok {
		outputs = own.outputs()
	}
	if q.listed == nil && (outputs.Lo == nil || outputs.Hi == nil || outputs.Step == nil) {
		return nil, nil
	}
	u, err := universeOf(ctx, q, o)
	if err != nil {
		return nil, err
	}
	queries, values, err := atAllDatasets(ctx, q, u, o)
	if err != nil {
		return nil, err
	}
	if q.listed == nil {
		if values, err = outputs.list(); err != nil { // too many
			return nil, nil
		}
	}
	if len(values)*len(queries) > mostCells {
		return nil, nil
	}
	laws := make([]Law, len(queries))
	for x := range laws {
		if laws[x], err = m.Remake(queries[x]); err != nil {
			return nil, err
		}
	}
	table, err := finite(ctx, u, laws, values, nil)
	if err != nil {
		return nil, err
	}
	return table, nil
}

// multisets returns the approximate number of datasets of n records from k values.
func multisets(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + k))
	b, _ := math.Lgamma(float64(n + 1))
	c, _ := math.Lgamma(float64(k))
	return math.Exp(a - b - c)
}

// Pairs implements privacy.Private.
func (m *Layered) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) { return Pairs(ctx, m) }

// Pairs implements privacy.Private.
func (m *Choice) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) { return Pairs(ctx, m) }

// Pairs implements privacy.Private.
func (m *Added) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) { return Pairs(ctx, m) }

// Pairs implements privacy.Private.
func (m *Smooth) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) { return Pairs(ctx, m) }

// Pairs implements privacy.Private.
func (m *Exponential) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	return Pairs(ctx, m)
}

// Pairs implements privacy.Private.
func (m *NoisyMean) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	return Pairs(ctx, m)
}
