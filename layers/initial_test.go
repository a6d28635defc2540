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
	claim := evidence.Claimed{Value: 3, Provenance: evidence.From("test")}
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
				table[i] = int32(m.Layer(i/size, i%size))
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
		m, err := layers.NewGiven(ctx, mechanism.Info{Name: "given", Query: in.q, Claimed: claim}, epsilon(t, 0.5), table)
		if err != nil {
			t.Fatal(err)
		}
		if m.Name() != "given" || m.ClaimedEpsilon() != evidence.Number(claim) || m.Rule() != layers.Closure || m.Decay().Value() != 0.5 {
			t.Fatalf("%s at %v claims %v", m.Name(), m.Decay(), m.ClaimedEpsilon())
		}
		for x := range in.q.Size() {
			for r := range size {
				level := int(table[x*size+r])
				if m.Layer(x, r) != level {
					t.Fatalf("trial %d: value %d of %d in layer %d, given %d", trial, r, x, m.Layer(x, r), level)
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
			if again.Layer(i/size, i%size) != int(level) {
				t.Fatalf("trial %d: value %d of %d comes back in layer %d, given %d", trial, i%size, i/size, again.Layer(i/size, i%size), level)
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
				if m.Layer(x, r) != 0 {
					t.Errorf("%s: value %d of %d in layer %d, want 0", name, r, x, m.Layer(x, r))
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
			_, err := layers.NewGiven(ctx, mechanism.Info{Query: q}, evidence.Epsilon{}, make([]int32, 9))
			return err
		}(),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
