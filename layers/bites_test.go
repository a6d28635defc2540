package layers_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The initial values of given layers are those that no other dataset puts there, and
// where the layers are a closure it gives them back.
func TestGivenLayers(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(8, 8))
	claim := evidence.Claimed{Value: 3, Source: "test"}
	for trial := range 200 {
		in := randomInstance(t, rng, trial%2 == 1, true)
		size := len(in.q.Range())
		table := make([]int32, in.q.Size()*size)
		closed := trial%4 < 2
		if closed {
			m, err := layers.NewGeneral(ctx, in.q, epsilon(t, 1), in.sets, layers.Closure)
			if err != nil {
				t.Fatal(err)
			}
			for i := range table {
				table[i] = int32(m.Level(i/size, i%size))
			}
		} else if in.q.Space().IsPath() {
			for i := range table { // neighbors differ by at most 1
				table[i] = int32(3 + (i/size+i%size)%2)
			}
		} else {
			for i := range table {
				if table[i] = int32(rng.IntN(9)) - 1; i%size == 0 {
					table[i] = 4
				}
			}
		}
		m, err := layers.NewGiven(ctx, mechanism.Heading{Name: "given", Query: in.q, Claimed: claim}, epsilon(t, 0.5), table)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name() != "given" || m.ClaimedEpsilon() != evidence.Number(claim) || m.Rule() != layers.Closure || m.Decay().Value() != 0.5 {
			t.Fatalf("%s at %v claims %v", m.Name(), m.Decay(), m.ClaimedEpsilon())
		}
		for x := range in.q.Size() {
			for r := range size {
				level := int(table[x*size+r])
				if m.Level(x, r) != level {
					t.Fatalf("trial %d: value %d of %d in layer %d, given %d", trial, r, x, m.Level(x, r), level)
				}
				first := level != query.Unreached
				for y := range in.q.Size() {
					if d := math.Ceil(in.q.Space().Distance(x, y)); y != x && table[y*size+r] != query.Unreached && d+float64(table[y*size+r]) <= float64(level) {
						first = false
					}
				}
				if slices.Contains(m.Sets().At[x][level], r) != first {
					t.Fatalf("trial %d: value %d begins in layer %d of %d: %v, want %v", trial, r, level, x, !first, first)
				}
			}
		}
		if !closed {
			continue
		}
		again, err := layers.NewGeneral(ctx, in.q, epsilon(t, 1), m.Sets(), layers.Closure)
		if err != nil {
			t.Fatal(err)
		}
		for i, level := range table {
			if again.Level(i/size, i%size) != int(level) {
				t.Fatalf("trial %d: value %d of %d comes back in layer %d, given %d", trial, i%size, i/size, again.Level(i/size, i%size), level)
			}
		}
	}
}

// Each constructor has the initial values that its definition says, at its decay, and
// claims twice that.
func TestInitialValues(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rat := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	decay := epsilon(t, 0.25)
	for name, c := range map[string]struct {
		build func(decay evidence.Epsilon) (*layers.Mechanism, error)
		want  [3][]int
		start string
	}{
		"purest": {func(d evidence.Epsilon) (*layers.Mechanism, error) { return layers.NewPurest(ctx, q, d) }, [3][]int{{0}, {1}, {2}}, "purest("},
		"atomic": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewAtomic(ctx, q, d, []int{2, 0, 1})
		}, [3][]int{{2}, {0}, {1}}, "atomic("},
		"basic": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewBasic(ctx, q, d, [][]int{{0, 2}, {}, {1}})
		}, [3][]int{{0, 2}, {}, {1}}, "basic("},
		"radii": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewDeltaNeighborhood(ctx, q, d, []float64{0.5, 1, math.Inf(1)})
		}, [3][]int{{0}, {0, 1}, {0, 1, 2}}, "delta_neighborhood("},
		"balls": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewBalls(ctx, q, d, []*big.Rat{nil, rat(2, 1), new(big.Rat)})
		}, [3][]int{{0, 1, 2}, {0, 1, 2}, {2}}, "delta_neighborhood("},
		"general": {func(d evidence.Epsilon) (*layers.Mechanism, error) {
			return layers.NewGeneral(ctx, q, d, layers.Sets{At: []map[int][]int{{0: {1}}, nil, {0: {0}}}}, layers.Closure)
		}, [3][]int{{1}, nil, {0}}, "general("},
	} {
		m, err := c.build(decay)
		if err != nil {
			t.Fatal(err)
		}
		for x, want := range c.want {
			if got := m.Sets().At[x][0]; !slices.Equal(got, want) {
				t.Errorf("%s: R_0^%d = %v, want %v", name, x, got, want)
			}
			for _, r := range want {
				if m.Level(x, r) != 0 {
					t.Errorf("%s: value %d of %d in layer %d, want 0", name, r, x, m.Level(x, r))
				}
			}
		}
		if claim := m.ClaimedEpsilon().Float(); claim != 0.5 || m.Decay().Value() != 0.25 || !strings.HasPrefix(m.Name(), c.start) {
			t.Errorf("%s at decay %v claims %v", m.Name(), m.Decay(), claim)
		}
		if _, err := c.build(evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "decay") {
			t.Errorf("%s at decay 0: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"a negative radius": func() error {
			_, err := layers.NewBalls(ctx, q, decay, []*big.Rat{rat(-1, 9), nil, nil})
			return err
		}(),
		"a negative float": func() error {
			_, err := layers.NewDeltaNeighborhood(ctx, q, decay, []float64{0, -0.5, 1})
			return err
		}(),
		"no decay of given layers": func() error {
			_, err := layers.NewGiven(ctx, mechanism.Heading{Query: q}, evidence.Epsilon{}, make([]int32, 9))
			return err
		}(),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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
