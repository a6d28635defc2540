package layers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Migration agrees with Theorems 4 and 5 and Corollary 3, under the closure at every layer and under (34) at layer 0.
// Corollary 3 fails under (34) above layer 0, because the moved value does not spread.
func TestMigrationFollowsPrediction(t *testing.T) {
	rng, refuted := rand.New(rand.NewPCG(2, 2)), false
	for trial := range 300 {
		in := randomInstance(rng, randomSpace(rng, trial%2 == 1), trial%3 == 0)
		rule, layer := layers.Closure, rng.IntN(4)
		if trial%5 == 0 {
			rule, layer = layers.Published, trial/5%2
		}
		m := must.For(layers.NewGeneral(ctx, in.q, evidencetest.Epsilon([]float64{0.3, 1, 2.5}[rng.IntN(3)]), in.sets, rule))(t)
		move := layers.Move{Dataset: rng.IntN(in.q.Size()), Value: rng.IntN(len(in.q.Range())), Layer: layer}
		want, moved := must.For(m.PredictMigration(move))(t), must.For(m.Migrate(ctx, move))(t)
		for x := range in.q.Size() {
			for r := range in.q.Range() {
				level := m.Layer(x, r)
				if r == move.Value {
					level = want.Layers[x]
				}
				if moved.Layer(x, r) == level {
					continue
				}
				if refuted = rule == layers.Published && layer > 0; !refuted {
					t.Fatalf("trial %d (%s, layer %d): value %d of dataset %d moves to layer %d, predicted %d", trial, rule, layer, r, x, moved.Layer(x, r), level)
				}
			}
			gain := mechanism.Distortion(m, x).Float() - mechanism.Distortion(moved, x).Float()
			if (rule == layers.Closure || layer == 0) && math.Abs(gain-want.Gains[x]) > 1e-12 {
				t.Fatalf("trial %d: dataset %d gains %v, predicted %v", trial, x, gain, want.Gains[x])
			}
		}
	}
	if !refuted {
		t.Error("no counterexample to Corollary 3 under (34) in 30 instances")
	}
}

// The gain of a migration keeps its relative accuracy if the gained weight overflows float64, or underflows.
func TestGainsAtExtremeScales(t *testing.T) {
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(1, nil))(t), []float64{0}, []float64{0, 4}))(t)
	for _, c := range []struct {
		from, to int // layers of value 0 and, after the move, of value 4
		u, want  float64
	}{
		{5, 0, 1000, -4},                                  // the other value now has all the weight
		{0, 1, 740, -4 * math.Exp(-740)},                  // subnormal
		{0, 2, 1, -4 * math.Exp(-2) / (1 + math.Exp(-2))}, // in between
		{3, 1, 1, -4 / (1 + math.Exp(-2))},
		{0, 0, 1e-300, -2},
	} {
		m := must.For(layers.NewGeneral(ctx, q, evidencetest.Epsilon(c.u), layers.Sets{At: []map[int][]int{{c.from: {0}}}}, layers.Closure))(t)
		p := must.For(m.PredictMigration(layers.Move{Value: 1, Layer: c.to}))(t)
		if got := p.Gains[0]; !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)+4*math.SmallestNonzeroFloat64) || got == 0 || p.Layers[0] != c.to {
			t.Errorf("%+v: gains %v", c, got)
		}
	}
}

// PredictMigration agrees with Migrate up to the largest layer. Above it, Migrate is refused.
func TestMigrationUpToLargestLayer(t *testing.T) {
	for _, apart := range []float64{query.MaxLayer - 1, query.MaxLayer, query.MaxLayer + 1, 1 << 40} {
		for _, i0 := range []int{0, 1, 5} {
			q := must.For(query.NewNumeric("f", must.For(query.NewMatrixSpace([][]float64{{0, apart}, {apart, 0}}))(t), []float64{0, 1}, nil))(t)
			m := newGeneral(t, q, layers.Closure, map[int][]int{0: {0}}, map[int][]int{0: {0}})
			p := must.For(m.PredictMigration(layers.Move{Value: 1, Layer: i0}))(t)
			moved, err := m.Migrate(ctx, layers.Move{Value: 1, Layer: i0})
			beyond := apart+float64(i0) > query.MaxLayer
			switch {
			case beyond && !errors.Is(err, evidence.ErrParameter), !beyond && err != nil:
				t.Errorf("distance %v, into layer %d: error %v", apart, i0, err)
			case p.Layers[0] != i0, beyond && p.Layers[1] != query.Unreached, !beyond && p.Layers[1] != moved.Layer(1, 1):
				t.Errorf("distance %v, into layer %d: predicted layers %v", apart, i0, p.Layers)
			}
		}
	}
	q := triangles(t, 3)
	m := must.For(layers.NewPurest(ctx, q, evidencetest.Epsilon(1)))(t)
	for _, move := range []layers.Move{{-1, 0, 0}, {q.Size(), 0, 0}, {0, -1, 0}, {0, len(q.Range()), 0}, {0, 0, -1}, {0, 0, 1<<24 + 1}} {
		_, err := m.Migrate(ctx, move)
		if _, err2 := m.PredictMigration(move); !errors.Is(err, evidence.ErrParameter) || !errors.Is(err2, evidence.ErrParameter) {
			t.Errorf("%+v: %v, predicted %v, want ErrParameter", move, err, err2)
		}
	}
}

// Moved returns the last move and the mechanism before it. That mechanism does not keep earlier moves.
func TestMoved(t *testing.T) {
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	m := newGeneral(t, q, layers.Closure, map[int][]int{0: {0, 1}}, nil)
	first, second := layers.Move{Dataset: 1, Value: 1}, layers.Move{Dataset: 1, Value: 0, Layer: 1 << 24}
	once := must.For(m.Migrate(ctx, first))(t)
	twice := must.For(must.For(once.Migrate(ctx, second))(t).Migrate(ctx, second))(t) // the second changes nothing
	if by := once.Moved(); by == nil || by.Move != first || by.Before.Moved() != nil || len(by.Before.Sets().At[1]) != 0 || once.Layer(1, 1) != 0 {
		t.Errorf("the first move is %+v", by)
	}
	if by := twice.Moved(); by == nil || by.Move != second || by.Before.Moved() != nil || len(twice.Sets().At[1][1<<24]) != 1 || twice.Layer(1, 0) != 1 {
		t.Errorf("the second move is %+v", by)
	}
}
