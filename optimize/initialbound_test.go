package optimize

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func tablesOf(t *testing.T, q *query.Query, decay float64) *tables {
	t.Helper()
	return must.For(newTables(context.Background(), q, must.For(evidence.NewEpsilon("decay", decay))(t), must.For(mechanism.PriorWeights(q.Size(), nil))(t)))(t)
}

func onEdges(t *testing.T, edges [][2]int, values []float64) *query.Query {
	t.Helper()
	return must.For(query.NewNumeric("small", must.For(query.NewPathSpace(len(values), edges))(t), values, nil))(t)
}

// The bound stays below the best of all tables, and with enough layers comes near it, on trees and beyond.
func TestBranchAgainstExhaustiveSearch(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		edges  [][2]int
		values []float64
		decay  float64
	}{
		{[][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1}, 0.5},
		{[][2]int{{0, 1}, {1, 2}, {0, 2}}, []float64{0, 3, 3}, 1},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{0, 0, 5, 5}, 0.7},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 3}}, []float64{2, 0, 5, 5, 1}, 1},
		{[][2]int{{0, 1}}, []float64{0, 7, 7}, 1}, // two components
	} {
		q := onEdges(t, c.edges, c.values)
		s := tablesOf(t, q, c.decay)
		best, _, err := s.exhaust(ctx, math.Inf(1), 4, 1<<26)
		if err != nil {
			t.Fatal(err)
		}
		value := s.evaluate(best)
		for _, layers := range []int{1, 3, 12} {
			out := must.For(s.branch(ctx, value, layers, 200))(t)
			if out.lower > value {
				t.Errorf("%v, %d layers: a table costs %.12g, below the bound %.12g", c.values, layers, value, out.lower)
			}
			if layers == 12 && out.lower < value*0.97 {
				t.Errorf("%v: bound %.12g is far from %.12g after %d boxes", c.values, out.lower, value, out.boxes)
			}
		}
		// Whatever it is given as the best known, the bound does not pass the least cost.
		if out := must.For(s.branch(ctx, 2*value+1, 8, 20))(t); out.lower > value {
			t.Errorf("%v: %.12g passes %.12g", c.values, out.lower, value)
		}
	}
}

// On the graphs of four nodes the least of all initial values, however deep, is known to a
// thousandth; the certified optimum stands in where few layers say less.
func TestLeastInitialOnGraphs(t *testing.T) {
	ctx := context.Background()
	q := must.For(must.For(query.NewGraphs(ctx, 4))(t).Count("triangle"))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	found := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20, Layers: 8, Boxes: 20}))(t)
	lo, hi := found.Least.Bounds()
	if _, top := found.Value.Bounds(); !(hi == top && lo < hi && lo > 0.999*hi) || found.Boxes < 1 {
		t.Errorf("least %v of %v after %d boxes", found.Least, found.Value, found.Boxes)
	}
	few := must.For(SearchInitial(ctx, q, decay, InitialOptions{Layers: 1}))(t)
	best := must.For(few.optimal(ctx))(t).Optimum()
	want, _ := best.Bounds()
	if lo, _ := few.Least.Bounds(); lo < want {
		t.Errorf("least %v is below the optimum %v", few.Least, best)
	}
	for _, o := range []InitialOptions{{Layers: -1}, {Layers: 16}, {Boxes: -1}} {
		if _, err := SearchInitial(ctx, q, decay, o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	large := must.For(must.For(query.NewGraphs(ctx, 6))(t).Count("triangle"))(t)
	if _, err := tablesOf(t, large, 1).relax(ctx, 6); !errors.Is(err, ErrNotReached) {
		t.Errorf("too much memory: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := tablesOf(t, q, 1).branch(stopped, 1, 3, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context: %v", err)
	}
}
