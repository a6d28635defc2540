package query_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Classifier accepts the maximum number of classifiers and rejects one more.
func TestClassifierLimit(t *testing.T) {
	h := must.For(query.NewHistograms(t.Context(), 1, 1, query.AddRemove))(t)
	for n, want := range map[int]string{0: "classifiers has 0 entries", 2048: "classifiers[0] has 0 answers", 2049: "classifiers has 2049 entries"} {
		if _, err := h.Classifier([]int{1}, make([][]int, n), nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d classifiers: %v, want %s", n, err, want)
		}
	}
}

// Examples 4 to 6 of the paper have the values computed by hand, and their metrics satisfy the axioms.
func TestExamplesOfPaper(t *testing.T) {
	ctx := context.Background()
	h := must.For(query.NewHistograms(ctx, 3, 3, query.AddRemove))(t)
	f := must.For(h.Cumulative(query.MaxNorm))(t)
	if v := f.Value(must.For(h.Index([]int{1, 0, 2}))(t)); v.String() != "(1/3, 1/3, 1)" {
		t.Errorf("the distribution function of (1, 0, 2) is %v", v)
	}
	c := must.For(h.Classifier([]int{0, 1, 1}, [][]int{{1, 1, 1}, {0, 1, 1}, {0, 0, 0}}, nil))(t)
	for counts, want := range map[[3]int]string{{0, 0, 0}: "[1, 1, 1]", {0, 2, 0}: "[1, 1, 1]", {1, 2, 0}: "[0, 1, 1]", {3, 0, 0}: "[0, 1, 1]"} {
		if v := c.Value(must.For(h.Index(counts[:]))(t)); v.String() != want {
			t.Errorf("the best classifier of %v is %v, want %s", counts, v, want)
		}
	}
	p := must.For(h.Principal([][]int{{1, 1}, {1, -1}, {2, 0}}, 2))(t)
	for counts, want := range map[[3]int][4]float64{
		{0, 0, 0}: {1, 0, 0, 1}, // all eigenvalues are equal: the components are the axes
		{1, 1, 0}: {1, 0, 0, 1},
		{0, 0, 1}: {1, 0, 0, 1},
		{2, 0, 0}: {math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, -math.Sqrt2 / 2},
	} {
		v := p.Value(must.For(h.Index(counts[:]))(t)).(query.Tuple)
		for i, w := range want {
			q, _ := query.RationalOf(v[i])
			if got, _ := q.Float64(); math.Abs(got-w) > 0x1p-20 {
				t.Errorf("components of %v: %v, want %v", counts, v, want)
			}
		}
	}
	for _, q := range []*query.Query{f, c, p} {
		if err := checkMetric(ctx, q); err != nil {
			t.Error(err)
		}
	}
	wide := must.For(query.NewHistograms(ctx, 2, 100, query.AddRemove))(t) // the values have thousands of different shares
	for name, g := range map[string]func() (*query.Query, error){
		"too few labels":      func() (*query.Query, error) { return h.Classifier([]int{0}, [][]int{{0, 0, 0}}, nil) },
		"repeated classifier": func() (*query.Query, error) { return h.Classifier([]int{0, 0, 0}, [][]int{{0, 0, 0}, {0, 0, 0}}, nil) },
		"no classifier":       func() (*query.Query, error) { return h.Classifier([]int{0, 0, 0}, nil, nil) },
		"ragged vectors":      func() (*query.Query, error) { return h.Principal([][]int{{1, 1}, {1}, {1, 1}}, 1) },
		"three components":    func() (*query.Query, error) { return h.Principal([][]int{{1, 1}, {1, 0}, {1, 1}}, 3) },
		"unknown norm":        func() (*query.Query, error) { return h.Cumulative("l7") },
		"too many vectors":    func() (*query.Query, error) { return wide.Cumulative(query.SumNorm) },
	} {
		if _, err := g(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
