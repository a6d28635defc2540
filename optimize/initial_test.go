package optimize

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// bruteTables is the least cost of all tables of a small universe with layers 0…deepest, by trying them.
func bruteTables(s *tables, deepest int32) float64 {
	n := s.q.Size()
	table := make([]int32, n*s.size)
	best := math.Inf(1)
	var fill func(i int)
	fill = func(i int) {
		if i == len(table) {
			for x := range n {
				row := table[x*s.size:][:s.size]
				top, low := int32(none), int32(0)
				for _, l := range row {
					if l < none {
						top, low = min(top, l), max(low, l)
					}
				}
				if top == none || low-top > deepest {
					return
				}
			}
			best = min(best, s.evaluate(table))
			return
		}
		x, r := i/s.size, i%s.size
		for l := int32(0); l <= 2*deepest+1; l++ {
			v := l
			if l == 2*deepest+1 {
				v = none
			}
			ok := true
			for y := range x {
				d := s.far[x][y]
				o := table[y*s.size+r]
				switch {
				case d < 0:
				case (o == none) != (v == none):
					ok = false
				case v != none && (o-v > int32(d) || v-o > int32(d)):
					ok = false
				}
			}
			if ok {
				table[i] = v
				fill(i + 1)
			}
		}
	}
	fill(0)
	return best
}

// The exhaustive search against all tables, on universes that are small enough.
func TestExhaustiveInitialAgainstBruteForce(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		edges  [][2]int
		values []float64
		decay  float64
	}{
		{[][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1}, 0.5},
		{[][2]int{{0, 1}, {1, 2}, {0, 2}}, []float64{0, 3, 3}, 1},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{0, 0, 5, 5}, 0.3},
		{[][2]int{{0, 1}}, []float64{0, 7, 7}, 1}, // two components
	} {
		q := must.For(query.NewNumeric("small", must.For(query.NewPathSpace(len(c.values), c.edges))(t), c.values, nil))(t)
		decay := must.For(evidence.NewEpsilon("decay", c.decay))(t)
		const deepest = 2
		b, err := SearchInitial(ctx, q, decay, InitialOptions{Deepest: deepest})
		if err != nil {
			t.Fatal(err)
		}
		prior := must.For(mechanism.PriorWeights(q.Size(), nil))(t)
		want := bruteTables(must.For(newTables(ctx, q, decay, prior))(t), deepest)
		if got := b.Value.Float(); got > want*(1+1e-8) || !b.Exhaustive {
			t.Errorf("%v: found %.12g, all tables have %.12g", c.values, got, want)
		}
		if e := must.For(mechanism.Privacy(b.Mechanism).Epsilon(ctx, 0))(t); e.Float() > 2*c.decay+1e-9 {
			t.Errorf("%v: smallest ε %v is above the claim", c.values, e)
		}
	}
}

// On the graphs of four nodes the local search finds what the exhaustive one proves; no
// initial values get below the optimum.
func TestInitialOnGraphs(t *testing.T) {
	ctx := context.Background()
	q := must.For(must.For(query.NewGraphs(ctx, 4))(t).Count("triangle"))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	local := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20}))(t)
	all := must.For(SearchInitial(ctx, q, decay, InitialOptions{Deepest: 2}))(t)
	purest := must.For(layers.NewPurest(ctx, q, decay))(t)
	own := must.For(mechanism.ExpectedDistortion(ctx, purest, nil))(t)
	if local.Value.Float() > all.Value.Float()*(1+1e-9) || local.Value.Float() >= own.Float() {
		t.Errorf("local search %v, exhaustive %v, purest %v", local.Value, all.Value, own)
	}
	if r := must.For(local.RatioToOptimum(ctx))(t); !(r.Float() >= 1) {
		t.Errorf("%v of the optimum", r)
	}
	again := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20}))(t)
	if again.Value.Float() != local.Value.Float() {
		t.Error("the same seed gives another result")
	}
	if _, err := SearchInitial(ctx, q, decay, InitialOptions{Deepest: 4, Most: 1000}); !errors.Is(err, ErrNotReached) {
		t.Errorf("too many rows: %v", err)
	}
	for _, o := range []InitialOptions{{Rounds: -1}, {Deepest: -1}, {Deepest: 63}, {Starts: []mechanism.Mechanism{must.For(mechanism.NewLaplace(ctx, q, decay))(t)}}} {
		if _, err := SearchInitial(ctx, q, decay, o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := SearchInitial(stopped, q, decay, InitialOptions{Rounds: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context: %v", err)
	}
}

// Where one dataset alone counts the search ends, with next to no error there.
func TestInitialOfOneDataset(t *testing.T) {
	q := must.For(query.NewNumeric("path", must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t), []float64{0, 1, 3}, nil))(t)
	prior := []*big.Rat{big.NewRat(1, 1), new(big.Rat), new(big.Rat)}
	b := must.For(SearchInitial(context.Background(), q, must.For(evidence.NewEpsilon("decay", 1))(t), InitialOptions{Prior: prior, Rounds: 3, Layers: 6, Boxes: 3}))(t)
	if lo, _ := b.Least.Bounds(); !(b.Value.Float() < 1e-9) || lo < 0 {
		t.Errorf("value %v, least %v", b.Value, b.Least)
	}
}

// Wherever a search for initial values looks at its context, of whichever kind it is, its end is told and nothing is found.
func TestInitialStops(t *testing.T) {
	q := must.For(query.NewNumeric("square", must.For(query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}))(t), []float64{0, 0, 5, 5}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 0.7))(t)
	for what, o := range map[string]InitialOptions{
		"local": {Rounds: 2, Seed: 5}, "exhaustive": {Deepest: 2}, "bounded": {Layers: 3, Boxes: 3}, "all": {Rounds: 1, Deepest: 1, Layers: 2, Boxes: 2},
	} {
		looks.Each(t, 4, func(ctx context.Context) error {
			found, err := SearchInitial(ctx, q, decay, o)
			if err != nil && found != nil {
				t.Errorf("%s: %+v beside the error %v", what, found, err)
			}
			return err
		})
	}
	s := must.For(newTables(t.Context(), q, decay, must.For(mechanism.PriorWeights(q.Size(), nil))(t)))(t)
	purest := must.For(layers.NewPurest(t.Context(), q, decay))(t)
	if v, err := s.descend(looks.After(t.Context(), 1), must.For(s.tableOf(purest))(t)); v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a local search that ended has the value %v, error %v", v, err)
	}
}

// The table that is found has its first layer at 0, and none below.
func TestInitialBeginsAtZero(t *testing.T) {
	q := must.For(query.NewNumeric("square", must.For(query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}))(t), []float64{0, 0, 5, 5}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 0.7))(t)
	for _, o := range []InitialOptions{{}, {Rounds: 3}, {Deepest: 2}} {
		m := must.For(SearchInitial(t.Context(), q, decay, o))(t).Mechanism
		least := math.MaxInt
		for x := range q.Size() {
			for r := range q.Range() {
				if l := m.Level(x, r); l != query.Unreached {
					least = min(least, l)
				}
			}
		}
		if least != 0 {
			t.Errorf("%+v: the first layer is %d", o, least)
		}
	}
}
