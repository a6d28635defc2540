package layers_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/query"
)

// Layers may be named up to 2²⁴, by initial values and by migrations, also into a
// dataset that has none of its own.
func TestDeepestLayer(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const deepest = 1 << 24
	at := func(layer int) layers.Sets {
		return layers.Sets{At: []map[int][]int{{0: {0}, layer: {1}}, {0: {1}}}}
	}
	m, err := layers.NewGeneral(ctx, q, epsilon(t, 1), at(deepest), layers.Closure)
	if err != nil || m.Level(0, 1) != deepest {
		t.Fatalf("layer 2²⁴: %v", err)
	}
	if _, err := layers.NewGeneral(ctx, q, epsilon(t, 1), at(deepest+1), layers.Closure); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer 2²⁴ + 1: %v", err)
	}
	moved, err := m.Migrate(ctx, 1, 0, deepest)
	if err != nil || moved.Level(1, 0) != deepest {
		t.Errorf("a migration into layer 2²⁴: %v", err)
	}
	if _, err := m.PredictMigration(1, 0, deepest); err != nil {
		t.Errorf("its prediction: %v", err)
	}
	if _, err := m.Migrate(ctx, 1, 0, deepest+1); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a migration into layer 2²⁴ + 1: %v", err)
	}

	joined, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if q, err = query.NewNumeric("f", joined, []float64{0, 1}, nil); err != nil {
		t.Fatal(err)
	}
	if m, err = layers.NewGeneral(ctx, q, epsilon(t, 1), layers.Sets{At: []map[int][]int{{0: {0, 1}}, nil}}, layers.Closure); err != nil {
		t.Fatal(err)
	}
	if moved, err = m.Migrate(ctx, 1, 1, 0); err != nil || moved.Level(1, 1) != 0 || moved.Level(1, 0) != 1 || len(m.Sets().At[1]) != 0 {
		t.Errorf("a migration into no initial values: %v, %v", moved, err)
	}
	same, err := moved.Migrate(ctx, 1, 1, 0)
	if err != nil || len(same.Sets().At[1][0]) != 1 {
		t.Errorf("a value that is there moves there again: %v, %v", same.Sets(), err)
	}
}

// What a migration gains has its digits where the weight gained is beyond float64 and
// where it underflows.
func TestGainsBeyondFloats(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0}, []float64{0, 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int // layer of 0, and of 4 once it moves
		u, want  float64
	}{
		{5, 0, 1000, -4},                                  // the other value has all the weight now
		{0, 1, 740, -4 * math.Exp(-740)},                  // of subnormal size
		{0, 2, 1, -4 * math.Exp(-2) / (1 + math.Exp(-2))}, // in between
		{3, 1, 1, -4 / (1 + math.Exp(-2))},
		{0, 0, 1, -2},
	} {
		m, err := layers.NewGeneral(ctx, q, epsilon(t, c.u), layers.Sets{At: []map[int][]int{{c.from: {0}}}}, layers.Closure)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.PredictMigration(0, 1, c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Gains[0]; !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)+4*math.SmallestNonzeroFloat64) || got == 0 || p.Layers[0] != c.to {
			t.Errorf("%+v: gains %v", c, got)
		}
	}
}
