package layers_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Sets, tables, radii and decays that fit nothing are errors.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q, one := triangles(t, 3), epsilon(t, 1)
	n, size := q.Size(), len(q.Range())
	table := func(at int32) []int32 {
		out := make([]int32, n*size)
		out[0] = at
		return out
	}
	distances := make([][]*big.Rat, size)
	for i := range distances {
		for j := range size {
			distances[i] = append(distances[i], must.For(query.SquaredError(q, i, j))(t))
		}
	}
	loss, zero, all := must.For(q.WithLoss("squared", distances))(t), evidence.Epsilon{}, make([][]int, n)
	for x := range all {
		all[x] = []int{0}
	}
	heading := mechanism.Info{Query: q}
	sets := func(at ...map[int][]int) layers.Sets {
		return layers.Sets{At: append(at, make([]map[int][]int, n-len(at))...)}
	}
	for name, f := range map[string]func() error{
		"no sets":    func() error { _, err := layers.NewGeneral(ctx, q, one, layers.Sets{}, layers.Closure); return err },
		"empty sets": func() error { _, err := layers.NewGeneral(ctx, q, one, sets(), layers.Closure); return err },
		"negative layer": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{-1: {0}}), layers.Closure)
			return err
		},
		"far layer": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{math.MaxInt: {0}}), layers.Published)
			return err
		},
		"no place": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {size}}), layers.Closure)
			return err
		},
		"rule": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {0}}), "some")
			return err
		},
		"points":  func() error { _, err := layers.NewAtomic(ctx, q, one, nil); return err },
		"initial": func() error { _, err := layers.NewBasic(ctx, q, one, [][]int{{-1}}); return err },
		"radii":   func() error { _, err := layers.NewBalls(ctx, q, one, nil); return err },
		"NaN radius": func() error {
			_, err := layers.NewDeltaNeighborhood(ctx, q, one, []float64{math.NaN(), 0, 0, 0})
			return err
		},
		"short table": func() error { _, err := layers.NewGiven(ctx, heading, one, nil); return err },
		"low table":   func() error { _, err := layers.NewGiven(ctx, heading, one, table(-2)); return err },
		"deep table":  func() error { _, err := layers.NewGiven(ctx, heading, one, table(math.MaxInt32)); return err },
		"far layer of all": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{1<<24 + 1: {0}}), layers.Closure)
			return err
		},
		"negative place": func() error {
			_, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {-1}}), layers.Closure)
			return err
		},
		"negative radius": func() error {
			_, err := layers.NewDeltaNeighborhood(ctx, q, one, []float64{0, -math.SmallestNonzeroFloat64, 0, 0})
			return err
		},
		"negative ball": func() error {
			_, err := layers.NewBalls(ctx, q, one, []*big.Rat{nil, big.NewRat(-1, 1<<60), nil, nil})
			return err
		},
		"ball of a loss": func() error {
			_, err := layers.NewBalls(ctx, loss, one, make([]*big.Rat, loss.Size()))
			return err
		},
		"decay":          func() error { _, err := layers.NewPurest(ctx, q, zero); return err },
		"decay of balls": func() error { _, err := layers.NewBalls(ctx, q, zero, make([]*big.Rat, n)); return err },
		"decay of points": func() error {
			_, err := layers.NewAtomic(ctx, q, zero, make([]int, n))
			return err
		},
		"decay of values": func() error { _, err := layers.NewBasic(ctx, q, zero, all); return err },
		"decay of sets": func() error {
			_, err := layers.NewGeneral(ctx, q, zero, sets(map[int][]int{0: {0}}), layers.Closure)
			return err
		},
		"decay of a table": func() error { _, err := layers.NewGiven(ctx, heading, zero, table(0)); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for _, rule := range []layers.Rule{layers.Closure, layers.Published} {
		if m, err := layers.NewGeneral(ctx, q, one, sets(map[int][]int{0: {0}, 1 << 24: {0, size - 1}}, map[int][]int{0: {0}}, map[int][]int{0: {0}}, map[int][]int{0: {0}}), rule); err != nil || m.Layer(0, 0) != 0 || m.Layer(0, size-1) != 1<<24 || rule == layers.Published && m.Layer(1, size-1) != query.Unreached {
			t.Errorf("a value in the last layer and the first, %s: %v", rule, err)
		}
	}
	m, err := layers.NewPurest(ctx, q, one)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][3]int{{-1, 0, 0}, {n, 0, 0}, {0, -1, 0}, {0, size, 0}, {0, 0, -1}, {0, 0, math.MaxInt}} {
		if _, err := m.Migrate(ctx, layers.Move{Dataset: at[0], Value: at[1], Layer: at[2]}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("migration %v: %v, want ErrParameter", at, err)
		}
		if _, err := m.PredictMigration(layers.Move{Dataset: at[0], Value: at[1], Layer: at[2]}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("prediction %v: %v, want ErrParameter", at, err)
		}
	}
}

// A mechanism knows the one move that made it, and what was before: that of before it knows no more.
func TestOneMoveIsKnown(t *testing.T) {
	q := triangles(t, 3)
	m := must.For(layers.NewPurest(t.Context(), q, epsilon(t, 1)))(t)
	once := must.For(m.Migrate(t.Context(), layers.Move{Dataset: 0, Value: 1, Layer: 2}))(t)
	twice := must.For(once.Migrate(t.Context(), layers.Move{Dataset: 1, Value: 1, Layer: 0}))(t)
	if m.Moved() != nil {
		t.Errorf("what was built was moved: %+v", m.Moved())
	}
	if by := once.Moved(); by == nil || by.Dataset != 0 || by.Value != 1 || by.Layer != 2 || by.Before.Moved() != nil || by.Before.Sets().At[0][2] != nil {
		t.Errorf("moved by %+v", by)
	}
	if by := twice.Moved(); by == nil || by.Dataset != 1 || by.Value != 1 || by.Layer != 0 || by.Before.Moved() != nil || by.Before.Sets().At[0][2] == nil {
		t.Errorf("moved again by %+v", by)
	}
	if once.Moved() == nil {
		t.Error("a move that was gone on from is forgotten")
	}
}

// What makes balls again has the radii that it was given, whatever becomes of the list.
func TestRadiiAreKept(t *testing.T) {
	q := triangles(t, 3)
	radii := make([]*big.Rat, q.Size())
	for x := range radii {
		radii[x] = new(big.Rat)
	}
	m := must.For(layers.NewBalls(t.Context(), q, epsilon(t, 1), radii))(t)
	clear(radii) // infinite ones
	again := must.For(m.Builder()(t.Context()))(t).(*layers.Mechanism)
	for x := range q.Size() {
		for r := range q.Range() {
			if got, want := again.Layer(x, r), m.Layer(x, r); got != want || m.Layer(x, q.ValueIndex(x)) != 0 {
				t.Errorf("made again, layer %d of value %d at %d, want %d", got, r, x, want)
			}
		}
	}
}
