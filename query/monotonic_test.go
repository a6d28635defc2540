package query_test

import (
	"context"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Monotonic matches Definition 10 over all triples.
func TestMonotonic(t *testing.T) {
	ctx := context.Background()
	a, b := twoCounts(t)
	h := must.For(query.NewHistograms(ctx, 1, 4, query.AddRemove))(t)
	line := must.For(h.Counting([]int{0}))(t)
	flat := must.For(query.NewNumeric("flat", line.Space(), []float64{0, 0, 1, 1, 2}, nil))(t)
	for _, q := range []*query.Query{a, b, line, flat} {
		weak, strict := true, true
		for x := range q.Size() {
			far := q.Space().Distances(x)
			for y := range far {
				for z := range far {
					if far[y] > far[z] {
						d, e := q.Metric().Steps(q.ValueIndex(x), q.ValueIndex(y)), q.Metric().Steps(q.ValueIndex(x), q.ValueIndex(z))
						weak, strict = weak && d >= e, strict && d > e
					}
				}
			}
		}
		m := must.For(q.Monotonic(ctx))(t)
		if m.Weak != weak || m.Strict != strict {
			t.Errorf("%s: %+v, want %v and %v", q.Name(), m, weak, strict)
		}
		if !m.Strict {
			far := q.Space().Distances(m.X)
			d, e := q.Metric().Steps(q.ValueIndex(m.X), q.ValueIndex(m.Y)), q.Metric().Steps(q.ValueIndex(m.X), q.ValueIndex(m.Z))
			if !(far[m.Y] > far[m.Z]) || d > e || m.Weak != (d == e) {
				t.Errorf("%s: %+v is not a counterexample", q.Name(), m)
			}
		}
	}
}
