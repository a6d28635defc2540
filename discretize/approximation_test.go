package discretize

import (
	"context"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Definition 19 by its words, on atomic mechanisms whose points are not f(x).
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
		{[]int{0, 0, 0}, 5, []int{1, 2}}, // never output
		{[]int{1, 2, 0}, 1, []int{0}},    // 0 stands in layer 2 of dataset 0
	} {
		m := must.For(layers.NewAtomic(ctx, q, decay, c.points))(t)
		if got := must.For(Approximation(ctx, m, evidence.Epsilon{}, c.upTo))(t); !slices.Equal(got, c.want) {
			t.Errorf("points %v, layers 0…%d: at %v, want %v", c.points, c.upTo, got, c.want)
		}
	}
	// A mechanism of another query, read as one of q: layered still, and an approximation.
	g := must.For(query.NewNumeric("g", space, []float64{0, 0, 1}, nil))(t)
	m := must.For(layers.NewPurest(ctx, g, decay))(t)
	a := must.For(Answering(ctx, m, q))(t)
	if got := must.For(Approximation(ctx, a, evidence.Epsilon{}, 0))(t); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("an approximation at %v, want 1 and 2", got)
	}
	for x := range q.Size() {
		for r := range g.Range() {
			if m.Level(x, r) != a.(*layers.Mechanism).Level(x, r) {
				t.Fatalf("layer of %d at %d moved", r, x)
			}
		}
	}
	// Laplace noise discretized has f(x) in layer 0.
	l := must.For(mechanism.NewLaplace(ctx, q, decay))(t)
	if got := must.For(Approximation(ctx, l, decay, 0))(t); len(got) > 0 {
		t.Errorf("Laplace noise is an approximation at %v", got)
	}
	if _, err := Approximation(ctx, l, decay, -1); err == nil {
		t.Error("layers up to −1 were taken")
	}
}
