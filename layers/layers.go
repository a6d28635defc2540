package layers

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Rule tells how the sets of one dataset enter the layers of the others.
type Rule string

// Closure is the min-plus closure: R̃_i^y enters x at layer ⌈d̄(x, y)⌉ + i. It makes every mechanism
// 2·decay-differentially private.
//
// Published is rule (34) as printed: R_0^y spreads, while R̃_i^y for i ≥ 1 stays at y. Proposition 3 fails under
// it.
const (
	Closure   Rule = "closure"
	Published Rule = "printed"
)

// Sets are the initial values {R_0^x, R̃_{I^x}^x} of a mechanism, as indices into the range: At[x][0] lists R_0^x, and
// At[x][i] lists R̃_i^x for i ≥ 1. A value in several layers of one dataset counts in the lowest. Datasets may share a
// map.
type Sets struct {
	At []map[int][]int
}

// Mechanism is a layered mechanism. It is immutable; Migrate returns a new one.
type Mechanism struct {
	*mechanism.Layered
	name  string
	sets  Sets
	rule  Rule
	again func(ctx context.Context, decay evidence.Epsilon) (*Mechanism, error) // the constructor; nil after NewGiven and Migrate
	from  *Moved                                                                // the move by which Migrate made it; nil for other mechanisms
}

// Pairs implements privacy.Private.
func (m *Mechanism) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return mechanism.Pairs(m), nil
}

// Builder returns a function that constructs the mechanism again. It is nil for a mechanism of NewGiven or Migrate.
func (m *Mechanism) Builder() mechanism.Builder {
	if m.again == nil {
		return nil
	}
	again, decay := m.again, m.Decay()
	return func(ctx context.Context) (mechanism.Mechanism, error) { return again(ctx, decay) }
}

// remade returns m with again as its constructor, or err if it is not nil.
func remade(m *Mechanism, err error, again func(ctx context.Context, decay evidence.Epsilon) (*Mechanism, error)) (*Mechanism, error) {
	if err != nil {
		return nil, err
	}
	m.again = again
	return m, nil
}

// NewPurest returns the purest mechanism (Definition 16): R_0^x = {f(x)}.
func NewPurest(ctx context.Context, q *query.Query, decay evidence.Epsilon) (*Mechanism, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	sets, alone := Sets{At: make([]map[int][]int, q.Size())}, make([]map[int][]int, len(q.Range()))
	for r := range alone {
		alone[r] = map[int][]int{0: {r}}
	}
	for x := range sets.At {
		sets.At[x] = alone[q.ValueIndex(x)]
	}
	m, err := build(ctx, "purest", q, decay, sets, Closure)
	return remade(m, err, func(ctx context.Context, decay evidence.Epsilon) (*Mechanism, error) { return NewPurest(ctx, q, decay) })
}

// NewDeltaNeighborhood returns the δ-neighborhood mechanism (Definition 18): R_0^x is the ball of radius radii[x]
// around f(x); radii are read as their shortest decimals. It returns an error wrapping evidence.ErrParameter unless
// there is one nonnegative radius per dataset.
func NewDeltaNeighborhood(ctx context.Context, q *query.Query, decay evidence.Epsilon, radii []float64) (*Mechanism, error) {
	exact := make([]*big.Rat, len(radii))
	for x, radius := range radii {
		if !(radius >= 0) {
			return nil, parameter.Errorf("radius[%d] = %g, want at least 0", x, radius)
		}
		exact[x] = interval.Decimal(radius) // nil for +Inf
	}
	return NewBalls(ctx, q, decay, exact)
}

// NewBalls is NewDeltaNeighborhood for rational radii; a nil radius is infinite.
func NewBalls(ctx context.Context, q *query.Query, decay evidence.Epsilon, radii []*big.Rat) (*Mechanism, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	if err := q.CheckMetric("delta_neighborhood"); err != nil {
		return nil, err
	}
	if len(radii) != q.Size() {
		return nil, parameter.Errorf("radius has %d entries, want %d, one per dataset", len(radii), q.Size())
	}
	sets := Sets{At: make([]map[int][]int, q.Size())}
	for x, radius := range radii {
		if radius != nil && radius.Sign() < 0 {
			return nil, parameter.Errorf("radius[%d] = %s, want at least 0", x, radius.RatString())
		}
		sets.At[x] = map[int][]int{0: q.RationalBall(x, radius)}
	}
	m, err := build(ctx, "delta_neighborhood", q, decay, sets, Closure)
	radii = slices.Clone(radii)
	return remade(m, err, func(ctx context.Context, decay evidence.Epsilon) (*Mechanism, error) {
		return NewBalls(ctx, q, decay, radii)
	})
}

// NewAtomic returns the atomic mechanism (Definition 17) with R_0^x = {points[x]}; points are indices into the range.
func NewAtomic(ctx context.Context, q *query.Query, decay evidence.Epsilon, points []int) (*Mechanism, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	initial := lists.Of(len(points), func(x int) []int { return points[x : x+1] })
	return basic(ctx, "atomic", q, decay, initial)
}

// NewBasic returns the basic mechanism (Definition 15) with R_0^x = initial[x], as indices into the range. Some R_0^x
// may be empty, as Definition 13 allows.
func NewBasic(ctx context.Context, q *query.Query, decay evidence.Epsilon, initial [][]int) (*Mechanism, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	return basic(ctx, "basic", q, decay, initial)
}

func basic(ctx context.Context, name string, q *query.Query, decay evidence.Epsilon, initial [][]int) (*Mechanism, error) {
	sets := Sets{At: make([]map[int][]int, len(initial))}
	for x, values := range initial {
		sets.At[x] = map[int][]int{0: values}
	}
	return given(ctx, name, q, decay, sets, Closure)
}

// NewGeneral returns the general mechanism (Definition 15) with the given initial values, spread by the given rule. It
// returns an error wrapping evidence.ErrParameter if the sets do not fit the query or leave a dataset without any
// value.
func NewGeneral(ctx context.Context, q *query.Query, decay evidence.Epsilon, sets Sets, rule Rule) (*Mechanism, error) {
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	if rule != Closure && rule != Published {
		return nil, parameter.Bad("rule", string(rule), `"closure" or "printed"`)
	}
	return given(ctx, "general", q, decay, sets, rule)
}

// given builds a mechanism from a caller's sets, and keeps the sets for Builder.
func given(ctx context.Context, name string, q *query.Query, decay evidence.Epsilon, sets Sets, rule Rule) (*Mechanism, error) {
	m, err := build(ctx, name, q, decay, sets, rule)
	return remade(m, err, func(ctx context.Context, decay evidence.Epsilon) (*Mechanism, error) {
		return given(ctx, name, q, decay, sets, rule)
	})
}

// maxLayer bounds the layers of initial values.
const maxLayer = 1 << 24

func build(ctx context.Context, name string, q *query.Query, decay evidence.Epsilon, sets Sets, rule Rule) (*Mechanism, error) {
	size := len(q.Range())
	if len(sets.At) != q.Size() {
		return nil, parameter.Errorf("initial values of %d datasets, want %d", len(sets.At), q.Size())
	}
	latest := 0
	var local []query.Seed
	var order []int
	for x, at := range sets.At {
		order = slices.AppendSeq(order[:0], maps.Keys(at))
		slices.Sort(order)
		for _, i := range order {
			if i < 0 || i > maxLayer {
				return nil, parameter.Errorf("layer %d of dataset %d, want 0…%d", i, x, maxLayer)
			}
			for _, r := range at[i] {
				if r < 0 || r >= size {
					return nil, parameter.Errorf("value %d of dataset %d, want an index of the range, 0…%d", r, x, size-1)
				}
				if i > 0 && rule == Published {
					local = append(local, query.Seed{Dataset: x, Value: r, Layer: i})
				} else {
					latest = max(latest, i)
				}
			}
		}
	}
	table, err := q.Space().DistanceTransformFrom(ctx, size, latest, func(x int, put func(value, layer int)) {
		for i, values := range sets.At[x] {
			if i == 0 || rule != Published {
				for _, r := range values {
					put(r, i)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if len(local) > 0 {
		cells := table.Cells()
		for _, s := range local {
			if cell := &cells[s.Dataset*size+s.Value]; *cell == query.Unreached || int(*cell) > s.Layer {
				*cell = int32(s.Layer)
			}
		}
		table = query.NewLayerTable(size, cells)
	}
	levels, err := mechanism.LayerTableOf(ctx, q, table)
	if err != nil {
		return nil, err
	}
	return wrap(name, levels, decay, sets, rule), nil
}

func wrap(name string, levels *mechanism.LayerTable, decay evidence.Epsilon, sets Sets, rule Rule) *Mechanism {
	claim := mechanism.Claim(decay.Times(2), "Wu et al., Proposition 3: 2·decay")
	return &Mechanism{
		Layered: mechanism.NewLayered(name+"(decay="+decay.String()+")", levels, decay, claim),
		name:    name, sets: sets, rule: rule,
	}
}

// Rule returns the rule that spread the initial values.
func (m *Mechanism) Rule() Rule { return m.rule }

// Sets returns the initial values.
func (m *Mechanism) Sets() Sets { return m.sets }

// WithDecay returns the same set sequence at another decay. It is cheap, because layers do not depend on the decay.
func (m *Mechanism) WithDecay(decay evidence.Epsilon) *Mechanism {
	out := wrap(m.name, m.LayerTable, decay, m.sets, m.rule)
	out.again = m.again
	return out
}
