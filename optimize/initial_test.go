package optimize

import (
	"context"
	"errors"
	"math"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// bruteTables returns the least cost of all tables of a small universe with layers 0…deepest.
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

// The exhaustive search agrees with brute force over all tables, on small universes.
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
		b := must.For(SearchInitial(ctx, q, decay, InitialOptions{Deepest: deepest}))(t)
		prior := must.For(mechanism.PriorWeights(q.Size(), nil))(t)
		want := bruteTables(must.For(newTables(ctx, q, decay, prior))(t), deepest)
		if got := b.Value.Float(); got > want*(1+1e-8) || !b.Exhaustive {
			t.Errorf("%v: found %.12g, brute force %.12g", c.values, got, want)
		}
		if e := must.For(mechanism.Privacy(b.Mechanism).Epsilon(ctx, evidence.Delta{}))(t); e.Float() > 2*c.decay+1e-9 {
			t.Errorf("%v: smallest ε %v is above the claim", c.values, e)
		}
	}
}

// On the graphs of four nodes the local search finds the optimum of the exhaustive one. No initial values cost less
// than the optimal mechanism.
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
		t.Errorf("ratio to the optimum %v", r)
	}
	again := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20}))(t)
	if again.Value.Float() != local.Value.Float() {
		t.Error("the same seed gives another result")
	}
	if _, err := SearchInitial(ctx, q, decay, InitialOptions{Deepest: 4, Most: 1000}); !errors.Is(err, ErrNotReached) {
		t.Errorf("too many rows: error %v", err)
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

// If only one dataset has positive weight, the search ends with a distortion near 0.
func TestInitialOfOneDataset(t *testing.T) {
	q := must.For(query.NewNumeric("path", must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t), []float64{0, 1, 3}, nil))(t)
	prior := []*big.Rat{big.NewRat(1, 1), new(big.Rat), new(big.Rat)}
	b := must.For(SearchInitial(context.Background(), q, must.For(evidence.NewEpsilon("decay", 1))(t), InitialOptions{Prior: prior, Rounds: 3, Layers: 6, Boxes: 3}))(t)
	if lo, _ := b.Least.Bounds(); !(b.Value.Float() < 1e-9) || lo < 0 {
		t.Errorf("value %v, least %v", b.Value, b.Least)
	}
}

// Every search for initial values stops at each poll of its context and returns no result.
func TestInitialStops(t *testing.T) {
	q := must.For(query.NewNumeric("square", must.For(query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}))(t), []float64{0, 0, 5, 5}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 0.7))(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one processor polls at fewer places
	for _, c := range []struct {
		places int
		o      InitialOptions
	}{{12, InitialOptions{Rounds: 2, Seed: 5}}, {11, InitialOptions{Deepest: 2}}, {24, InitialOptions{Layers: 3, Boxes: 3}}, {25, InitialOptions{Rounds: 1, Deepest: 1, Layers: 2, Boxes: 2}}} {
		ctxtest.EachPoll(t, c.places, func(ctx context.Context) error {
			found, err := SearchInitial(ctx, q, decay, c.o)
			if err != nil && found != nil {
				t.Errorf("%+v: result %+v with error %v", c.o, found, err)
			}
			return err
		})
	}
	s := must.For(newTables(t.Context(), q, decay, must.For(mechanism.PriorWeights(q.Size(), nil))(t)))(t)
	purest := must.For(layers.NewPurest(t.Context(), q, decay))(t)
	if v, err := s.descend(ctxtest.CancelAfter(t.Context(), 1), must.For(s.tableOf(purest))(t)); v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled local search has the value %v, error %v", v, err)
	}
}

// Options are accepted up to their limits and refused above. Problems that are too large are refused with that reason.
func TestInitialOptions(t *testing.T) {
	one := must.For(query.NewNumeric("one", must.For(query.NewPathSpace(1, nil))(t), []float64{4}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	for _, o := range []InitialOptions{{Deepest: 62}, {Layers: 15}, {Layers: 1, Boxes: 1}, {Deepest: 1, Most: 1}} {
		if b, err := SearchInitial(t.Context(), one, decay, o); err != nil || b.Value.Float() != 0 || b.Exhaustive != (o.Deepest > 0) || (b.Least != nil) != (o.Layers > 0) {
			t.Errorf("%+v: %+v, %v", o, b, err)
		}
	}
	b := must.For(SearchInitial(t.Context(), one, decay, InitialOptions{Layers: 3}))(t) // both bounds are 0
	if least, ok := b.Least.(evidence.Certified); !ok || !strings.HasPrefix(least.Method, "optimum of a linear program") {
		t.Errorf("%v comes from branch and bound, want the linear program if both bounds are equal", b.Least)
	}
	for _, o := range []InitialOptions{{Deepest: 63}, {Layers: 16}, {Deepest: -1}, {Layers: -1}, {Rounds: -1}, {Boxes: -1}, {Prior: []*big.Rat{big.NewRat(1, 2)}}} {
		if b, err := SearchInitial(t.Context(), one, decay, o); b != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v, %v", o, b, err)
		}
	}
	if b, err := SearchInitial(t.Context(), one, evidence.Epsilon{}, InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no decay: %v, %v", b, err)
	}
	if b, err := SearchInitial(ctxtest.CancelAfter(t.Context(), 0), one, evidence.Epsilon{}, InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no decay and a cancelled context: %v, %v", b, err)
	}
	values := make([]float64, 17)
	for i := range values {
		values[i] = float64(i)
	}
	many := must.For(query.NewNumeric("many", must.For(query.NewPathSpace(17, nil))(t), values, nil))(t)
	if b, err := SearchInitial(t.Context(), many, decay, InitialOptions{Deepest: 1}); b != nil || !errors.Is(err, ErrNotReached) {
		t.Errorf("17 values: %v, %v", b, err)
	}
	wide := must.For(query.NewNumeric("wide", must.For(query.NewPathSpace(8193, nil))(t), make([]float64, 8193), nil))(t)
	if b, err := SearchInitial(t.Context(), wide, decay, InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("8193 datasets: %v, %v", b, err)
	}
}

// shiftedLayers is a mechanism with its own layers.
type shiftedLayers struct {
	mechanism.Mechanism
	step int
}

func (j shiftedLayers) Layer(x, _ int) int { return 10 + j.step*x }

// The layers of a start may differ by at most 1 between neighbors. The ratio to an optimum of 0 is an error.
// RatioToOptimum stops with its context.
func TestInitialRefusals(t *testing.T) {
	q := onEdges(t, [][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1})
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	s := tablesOf(t, q, 1)
	purest := must.For(layers.NewPurest(t.Context(), q, decay))(t)
	for step, good := range map[int]bool{0: true, 1: true, -1: true, 2: false, -2: false} {
		if table, err := s.tableOf(shiftedLayers{purest, step}); (err == nil) != good || good != (table != nil) || !good && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("start with layers %d apart: %v, error %v", step, table, err)
		}
	}
	if b, err := SearchInitial(t.Context(), q, decay, InitialOptions{Starts: []mechanism.Mechanism{shiftedLayers{purest, 2}}}); b != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "starts[0]") {
		t.Errorf("a start with layers 2 apart: %v, %v", b, err)
	}
	again := must.For(layers.NewPurest(t.Context(), onEdges(t, [][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1}), decay))(t)
	if a, b := must.For(s.tableOf(again))(t), must.For(s.tableOf(purest))(t); !slices.Equal(a, b) {
		t.Errorf("start for an equal query: %v, for the same query: %v", a, b)
	}
	other := must.For(layers.NewPurest(t.Context(), onEdges(t, [][2]int{{0, 1}, {0, 2}}, []float64{0, 3, 1}), decay))(t)
	if _, err := s.tableOf(other); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("start for a different query: error %v", err)
	}
	alike := onEdges(t, [][2]int{{0, 1}}, []float64{4, 4})
	b := must.For(SearchInitial(t.Context(), alike, decay, InitialOptions{}))(t)
	if r, err := b.RatioToOptimum(t.Context()); r != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a ratio to 0 is %v, %v", r, err)
	}
	b = must.For(SearchInitial(t.Context(), q, decay, InitialOptions{}))(t)
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := b.RatioToOptimum(ctx); return err })
}

// The cost of a row follows from the weights e^{−ε·layer} of its layers, however deep. Values in no layer are never
// output. Starts with distant layers or missing values do not make the result worse.
func TestDeepAndMissingLayers(t *testing.T) {
	const decay = 0.001
	q := onEdges(t, [][2]int{{0, 1}}, []float64{0, 7})
	eps := must.For(evidence.NewEpsilon("decay", decay))(t)
	s := tablesOf(t, q, decay)
	for _, deep := range []int32{0, 1, 4095, 4096, 4097, 20000, none - 1, none, none + 5} {
		w := 0.0
		if deep < none {
			w = math.Exp(-decay * float64(deep))
		}
		for x, row := range [][]int32{{3, deep + 3}, {deep, 0}} {
			if got, want := s.at(x, row), 7*w/(1+w); math.Abs(got-want) > 1e-12*want {
				t.Errorf("dataset %d with its wrong value in layer %d costs %v, want %v", x, deep, got, want)
			}
		}
	}
	plain := must.For(SearchInitial(t.Context(), q, eps, InitialOptions{}))(t)
	for _, table := range [][]int32{{0, 5000, 0, 5000}, {0, query.Unreached, 0, query.Unreached}} {
		start := must.For(layers.NewGiven(t.Context(), mechanism.Info{Name: "start", Query: q, Claimed: mechanism.Claim(eps.Times(2), "")}, eps, table))(t)
		rows := must.For(s.tableOf(start))(t)
		if table[1] == query.Unreached && (rows[1] < none || rows[3] < none) {
			t.Errorf("a value that is never output has layers %v", rows)
		}
		if v := s.evaluate(rows); math.Abs(v-must.For(mechanism.ExpectedDistortion(t.Context(), start, nil))(t).Float()) > 1e-12 {
			t.Errorf("layers %v cost %v", table, v)
		}
		found := must.For(SearchInitial(t.Context(), q, eps, InitialOptions{Starts: []mechanism.Mechanism{start}}))(t)
		if found.Value.Float() > plain.Value.Float()*(1+1e-12) {
			t.Errorf("with the start %v the best costs %v, without it %v", table, found.Value, plain.Value)
		}
	}
}
