package layers_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
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
	if err != nil || m.Layer(0, 1) != deepest {
		t.Fatalf("layer 2²⁴: %v", err)
	}
	if _, err := layers.NewGeneral(ctx, q, epsilon(t, 1), at(deepest+1), layers.Closure); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer 2²⁴ + 1: %v", err)
	}
	moved, err := m.Migrate(ctx, layers.Move{Dataset: 1, Value: 0, Layer: deepest})
	if err != nil || moved.Layer(1, 0) != deepest {
		t.Errorf("a migration into layer 2²⁴: %v", err)
	}
	if _, err := m.PredictMigration(layers.Move{Dataset: 1, Value: 0, Layer: deepest}); err != nil {
		t.Errorf("its prediction: %v", err)
	}
	if _, err := m.Migrate(ctx, layers.Move{Dataset: 1, Value: 0, Layer: deepest + 1}); !errors.Is(err, evidence.ErrParameter) {
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
	if moved, err = m.Migrate(ctx, layers.Move{Dataset: 1, Value: 1, Layer: 0}); err != nil || moved.Layer(1, 1) != 0 || moved.Layer(1, 0) != 1 || len(m.Sets().At[1]) != 0 {
		t.Errorf("a migration into no initial values: %v, %v", moved, err)
	}
	same, err := moved.Migrate(ctx, layers.Move{Dataset: 1, Value: 1, Layer: 0})
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
		p, err := m.PredictMigration(layers.Move{Dataset: 0, Value: 1, Layer: c.to})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Gains[0]; !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)+4*math.SmallestNonzeroFloat64) || got == 0 || p.Layers[0] != c.to {
			t.Errorf("%+v: gains %v", c, got)
		}
	}
}

// A prediction is what a migration does up to the last layer that there is; beyond it both leave a value where it was.
func TestPredictionsUpToTheLastLayer(t *testing.T) {
	ctx := context.Background()
	for _, apart := range []float64{query.MaxLayer - 1, query.MaxLayer, query.MaxLayer + 1, math.MaxInt32, 1 << 40} {
		for _, i0 := range []int{0, 1, 5} {
			for _, reached := range []bool{false, true} {
				space := must.For(query.NewMatrixSpace([][]float64{{0, apart}, {apart, 0}}))(t)
				q := must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t)
				sets := layers.Sets{At: []map[int][]int{{0: {0}}, {0: {0}}}}
				if reached {
					sets.At[1][7] = []int{1}
					sets.At[0][7] = []int{1}
				}
				m := must.For(layers.NewGeneral(ctx, q, epsilon(t, 1), sets, layers.Closure))(t)
				p := must.For(m.PredictMigration(layers.Move{Dataset: 0, Value: 1, Layer: i0}))(t)
				moved, err := m.Migrate(ctx, layers.Move{Dataset: 0, Value: 1, Layer: i0})
				beyond := apart+float64(i0) > query.MaxLayer && !reached
				switch {
				case beyond && !errors.Is(err, evidence.ErrParameter), !beyond && err != nil:
					t.Errorf("%v apart, into layer %d: %v", apart, i0, err)
				case p.Layers[0] != i0, beyond && p.Layers[1] != query.Unreached, !beyond && p.Layers[1] != moved.Layer(1, 1):
					t.Errorf("%v apart, into layer %d: %v", apart, i0, p.Layers)
				}
			}
		}
	}
}

// Of sets that are wrong in many ways the first layer of the first dataset is named, always the same; a place beyond the range is
// wrong by any rule, in any layer.
func TestWrongSetsAreNamed(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t)
	for _, rule := range []layers.Rule{layers.Closure, layers.Published} {
		for layer := range 3 {
			for _, place := range []int{-1, 2, 3} {
				sets := layers.Sets{At: []map[int][]int{{0: {0}, layer + 3: {0}}, {0: {1}}}}
				sets.At[0][layer] = append(sets.At[0][layer], place)
				if _, err := layers.NewGeneral(ctx, q, epsilon(t, 1), sets, rule); !errors.Is(err, evidence.ErrParameter) {
					t.Errorf("place %d in layer %d by %s: %v", place, layer, rule, err)
				}
			}
		}
		for range 5 {
			sets := layers.Sets{At: []map[int][]int{{0: {0}}, make(map[int][]int)}}
			for layer := range 20 {
				sets.At[1][-9+layer] = []int{5 + layer}
			}
			if _, err := layers.NewGeneral(ctx, q, epsilon(t, 1), sets, rule); err == nil || !strings.Contains(err.Error(), "layer -9 of dataset 1") {
				t.Errorf("wrong from layer −9 on: %v", err)
			}
			for layer := -9; layer < 0; layer++ {
				delete(sets.At[1], layer)
			}
			if _, err := layers.NewGeneral(ctx, q, epsilon(t, 1), sets, rule); err == nil || !strings.Contains(err.Error(), "value 14 of dataset 1") {
				t.Errorf("wrong from value 14 on: %v", err)
			}
		}
	}
}
