package discretize_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Approximation returns the datasets of Definition 19 for atomic mechanisms, some of whose points are not f(x).
func TestApproximation(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("three", space, []float64{0, 1, 2}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	for _, c := range []struct {
		points []int
		upTo   int
		want   []int
	}{
		{[]int{0, 1, 2}, 0, []int{}},
		{[]int{0, 2, 1}, 0, []int{1, 2}},
		{[]int{0, 2, 1}, 1, []int{}},
		{[]int{0, 0, 0}, 5, []int{1, 2}}, // 1 and 2 are never output
		{[]int{1, 2, 0}, 1, []int{0}},    // 0 is in layer 2 of dataset 0
	} {
		m := must.For(layers.NewAtomic(ctx, q, decay, c.points))(t)
		if got := must.For(discretize.Approximation(ctx, m, evidence.Epsilon{}, c.upTo))(t); !slices.Equal(got, c.want) {
			t.Errorf("points %v, layers 0…%d: fails at %v, want %v", c.points, c.upTo, got, c.want)
		}
	}
	// A mechanism for another query keeps its layers if it is taken as one for q.
	g := must.For(query.NewNumeric("g", space, []float64{0, 0, 1}, nil))(t)
	m := must.For(layers.NewPurest(ctx, g, decay))(t)
	a := must.For(discretize.WithRange(ctx, m, q))(t)
	if got := must.For(discretize.Approximation(ctx, a, evidence.Epsilon{}, 0))(t); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("fails at %v, want 1 and 2", got)
	}
	for x := range q.Size() {
		for r := range g.Range() {
			if m.Layer(x, r) != a.(*layers.Mechanism).Layer(x, r) {
				t.Fatalf("the layer of value %d at dataset %d changed", r, x)
			}
		}
	}
	// Discretized Laplace noise has f(x) in layer 0.
	l := must.For(mechanism.NewLaplace(ctx, q, decay))(t)
	if got := must.For(discretize.Approximation(ctx, l, decay, 0))(t); len(got) > 0 {
		t.Errorf("Laplace noise fails at %v, want no dataset", got)
	}
	// Without a given ε, Approximation takes the claimed one.
	table := must.For(mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: mechanism.Claim(decay, "so")}, [][]float64{{.5, .25, .25}, {.7, .2, .1}, {.1, .8, .1}}, nil))(t)
	for _, m := range []mechanism.Mechanism{l, table} {
		for upTo := range 3 {
			want := must.For(discretize.Approximation(ctx, m, decay, upTo))(t)
			if got, err := discretize.Approximation(ctx, m, evidence.Epsilon{}, upTo); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, layers 0…%d: fails at %v, want %v, error %v", m.Name(), upTo, got, want, err)
			}
		}
	}
	if _, err := discretize.Approximation(ctx, l, decay, -1); err == nil {
		t.Error("layers up to −1 are accepted")
	}
}

// Approximation and WithRange return an error for a loss that is no metric, a mechanism without a finite claim, an
// invalid ε, a negative upTo and a query on another universe. They stop when the context ends.
func TestApproximationRefusals(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("three", space, []float64{0, 1, 2}, nil))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	loss := make([][]*big.Rat, 3)
	for i := range loss {
		for j := range loss {
			loss[i] = append(loss[i], must.For(query.SquaredError(q, i, j))(t))
		}
	}
	lossy := must.For(layers.NewPurest(t.Context(), must.For(q.WithLoss("squared", loss))(t), decay))(t)
	table := must.For(mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: math.Inf(1)}}, [][]float64{{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, nil))(t)
	purest := must.For(layers.NewPurest(t.Context(), q, decay))(t)
	geometric := must.For(mechanism.NewGeometric(t.Context(), q, decay))(t)
	other := must.For(query.NewNumeric("two", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	for what, f := range map[string]func() error{
		"layers up to −1": func() error { _, err := discretize.Approximation(t.Context(), purest, decay, -1); return err },
		"a loss": func() error {
			_, err := discretize.Approximation(t.Context(), lossy, evidence.Epsilon{}, 0)
			return err
		},
		"no claim": func() error {
			_, err := discretize.Approximation(t.Context(), table, evidence.Epsilon{}, 0)
			return err
		},
		"a table that lacks all": func() error {
			_, err := discretize.Approximation(t.Context(), table, decay.Ratio(-1, 1), 0)
			return err
		},
		"another universe":       func() error { _, err := discretize.WithRange(t.Context(), purest, other); return err },
		"another without layers": func() error { _, err := discretize.WithRange(t.Context(), geometric, other); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := discretize.Approximation(ctx, purest, evidence.Epsilon{}, 0)
		return err
	})
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		_, err := discretize.Approximation(ctx, geometric, decay, 0)
		return err
	})
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := discretize.WithRange(ctx, purest, q); return err })
}
