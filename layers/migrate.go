package layers

import (
	"context"
	"maps"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Move puts the value with index r_0 in the range into layer i_0 of a dataset x_0.
type Move struct{ Dataset, Value, Layer int }

// Migration is the predicted effect of a move (Wu et al., Theorem 4 for i_0 = 0, Corollary 3 for i_0 > 0).
type Migration struct {
	Move

	// Layers[x] is the predicted layer of r_0 at x: min{⌈d̄(x_0, x)⌉ + i_0, L^x(r_0)}, or L^x(r_0) if the former is
	// above query.MaxLayer. Every other value keeps its layer.
	Layers []int
	// Gains[x] is the predicted decrease of the expected distortion P^x, in the value metric's unit. It is positive if
	// x gains according to (50) of Theorem 5.
	Gains []float64
}

// PredictMigration returns the predictions of Theorems 4 and 5 and Corollary 3 for a move. They hold for every
// mechanism under Closure, and for layer 0 under Published.
func (m *Mechanism) PredictMigration(move Move) (Migration, error) {
	if err := m.checkMigration(move); err != nil {
		return Migration{}, err
	}
	x0, r0, i0 := move.Dataset, move.Value, move.Layer
	q := m.Query()
	out := Migration{Move: move, Layers: make([]int, q.Size()), Gains: make([]float64, q.Size())}
	before, err := mechanism.Distortions(context.Background(), m.Layered)
	if err != nil {
		return Migration{}, err
	}
	distance := q.Space().Distances(x0)
	for x := range q.Size() {
		old := m.Layer(x, r0)
		moved := old
		if at := math.Ceil(distance[x]) + float64(i0); at <= query.MaxLayer { // above it, Migrate fails
			if moved = int(at); old != query.Unreached {
				moved = min(moved, old)
			}
		}
		out.Layers[x] = moved
		if moved == old {
			continue
		}
		// By Theorem 5 the change is a mediant of the old distortion P and the distance d of r_0 from f(x). With
		// weights normalised by α^x, the new distortion is P' = (P + c d)/(1 + c), c = (e^{−moved·u} − e^{−old·u})/α^x,
		// so that P − P' = (P − d)/(1 + 1/c). The weight gained is e^{−moved·u}(1 − e^{−(old − moved)u}). It is
		// computed in logarithms, so that neither a small decay nor a large one loses digits.
		gained := m.LogLayerProb(x, moved)
		if old != query.Unreached {
			gained += math.Log(-math.Expm1(-float64(old-moved) * m.Decay().Value()))
		}
		d := q.Metric().Distance(q.ValueIndex(x), r0)
		share := 1 / (1 + math.Exp(-gained)) // c/(1 + c)
		if gained < 0 {                      // where 1/c may overflow
			share = math.Exp(gained) / (1 + math.Exp(gained))
		}
		out.Gains[x] = (before[x] - d) * share
	}
	return out, nil
}

func (m *Mechanism) checkMigration(move Move) error {
	x0, r0, i0 := move.Dataset, move.Value, move.Layer
	q := m.Query()
	switch {
	case x0 < 0 || x0 >= q.Size():
		return parameter.Errorf("dataset x0 = %d, want 0…%d", x0, q.Size()-1)
	case r0 < 0 || r0 >= len(q.Range()):
		return parameter.Errorf("value r0 = %d, want an index of the range, 0…%d", r0, len(q.Range())-1)
	case i0 < 0 || i0 > maxLayer:
		return parameter.Bad("layer", i0, "0…%d", maxLayer)
	}
	return nil
}

// Migrate returns the mechanism in which the moved value is added to the layer's initial values. Its other layers
// follow by the mechanism's rule.
func (m *Mechanism) Migrate(ctx context.Context, move Move) (*Mechanism, error) {
	if err := m.checkMigration(move); err != nil {
		return nil, err
	}
	x0, r0, i0 := move.Dataset, move.Value, move.Layer
	sets := Sets{At: slices.Clone(m.sets.At)}
	at := maps.Clone(sets.At[x0])
	if at == nil {
		at = make(map[int][]int)
	}
	if !slices.Contains(at[i0], r0) {
		at[i0] = append(slices.Clone(at[i0]), r0)
	}
	sets.At[x0] = at
	out, err := build(ctx, m.name, m.Query(), m.Decay(), sets, m.rule)
	if err == nil {
		before := *m
		before.from = nil // store only the last step
		out.from = &Moved{&before, move}
	}
	return out, err
}

// Moved is a move that was made, and the mechanism before it.
type Moved struct {
	Before *Mechanism
	Move
}

// AsLayered returns m. Types that embed Mechanism have it, too.
func (m *Mechanism) AsLayered() *Mechanism { return m }

// Moved returns the move that made m, nil if m was not made by Migrate.
func (m *Mechanism) Moved() *Moved { return m.from }
