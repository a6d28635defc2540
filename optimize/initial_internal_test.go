package optimize

import (
	"context"
	"errors"
	"math"
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

// A cancelled local search returns no value.
func TestDescendStops(t *testing.T) {
	q := onEdges(t, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{0, 0, 5, 5})
	s := tablesOf(t, q, 0.7)
	purest := must.For(layers.NewPurest(t.Context(), q, must.For(evidence.NewEpsilon("decay", 0.7))(t)))(t)
	if v, err := s.descend(ctxtest.CancelAfter(t.Context(), 1), must.For(s.tableOf(purest))(t)); v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled local search has the value %v, error %v", v, err)
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

// A query whose distortions exceed float64 has no best initial table.
func TestInitialOfInfiniteDistortions(t *testing.T) {
	q := onEdges(t, [][2]int{{0, 1}, {1, 2}}, []float64{0, 1.6e308, 1.7e308})
	b, err := SearchInitial(t.Context(), q, must.For(evidence.NewEpsilon("eps", 1e-3))(t), InitialOptions{})
	if b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("%v, %v", b, err)
	}
}
