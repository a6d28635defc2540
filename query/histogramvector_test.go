package query

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Classifier accepts the maximum number of classifiers and rejects one more.
func TestClassifierLimit(t *testing.T) {
	h := must.For(NewHistograms(t.Context(), 1, 1, AddRemove))(t)
	for n, want := range map[int]string{0: "classifiers has 0 entries", maxEuclideanRange: "classifiers[0] has 0 answers", maxEuclideanRange + 1: "classifiers has 2049 entries"} {
		if _, err := h.Classifier([]int{1}, make([][]int, n), nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d classifiers: %v, want %s", n, err, want)
		}
	}
}

// components returns orthonormal eigenvectors in descending order of eigenvalue: A·v = (vᵀA·v)·v.
func TestComponentsOfIntegerMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for range 100 {
		m := 1 + rng.IntN(6)
		a, size := make([]float64, m*m), 1.0
		for i := range m {
			for j := range i + 1 {
				v := float64(rng.IntN(41) - 20)
				if rng.IntN(3) == 0 {
					v = 0
				}
				a[i*m+j], a[j*m+i] = v, v
				size = max(size, math.Abs(v))
			}
		}
		out, last := must.For(components(a, m))(t), math.Inf(1)
		for k, v := range out {
			times, value := make([]float64, m), 0.0
			for i := range m {
				for j := range m {
					times[i] += a[i*m+j] * v[j]
				}
				value += v[i] * times[i]
			}
			for i := range m {
				if math.Abs(times[i]-value*v[i]) > 1e-12*size*float64(m) {
					t.Fatalf("%v: column %d, %v, is not an eigenvector", a, k, v)
				}
			}
			if value > last+1e-11*size {
				t.Fatalf("%v: eigenvalue %v after %v", a, value, last)
			}
			last = value
			for l, w := range out[:k+1] {
				dot := 0.0
				for i := range m {
					dot += v[i] * w[i]
				}
				if l == k {
					dot--
				}
				if math.Abs(dot) > 1e-12 {
					t.Fatalf("%v: columns %d and %d are not orthonormal: %v", a, k, l, dot)
				}
			}
		}
		if len(out) != m {
			t.Fatalf("%d of %d components", len(out), m)
		}
	}
}

// Examples 4 to 6 of the paper have the values computed by hand, and their metrics satisfy the axioms.
func TestExamplesOfPaper(t *testing.T) {
	ctx := context.Background()
	h := must.For(NewHistograms(ctx, 3, 3, AddRemove))(t)
	f := must.For(h.Cumulative(MaxNorm))(t)
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
		{0, 0, 0}: {1, 0, 0, 1}, // a single eigenspace: the axes
		{1, 1, 0}: {1, 0, 0, 1},
		{0, 0, 1}: {1, 0, 0, 1},
		{2, 0, 0}: {math.Sqrt2 / 2, math.Sqrt2 / 2, math.Sqrt2 / 2, -math.Sqrt2 / 2},
	} {
		v := p.Value(must.For(h.Index(counts[:]))(t)).(Tuple)
		for i, w := range want {
			q, _ := RationalOf(v[i])
			if got, _ := q.Float64(); math.Abs(got-w) > 0x1p-20 {
				t.Errorf("components of %v: %v, want %v", counts, v, want)
			}
		}
	}
	for _, q := range []*Query{f, c, p} {
		if err := checkMetric(ctx, len(q.Range()), flatDistances(q), q.Name()); err != nil {
			t.Error(err)
		}
	}
	for name, g := range map[string]func() (*Query, error){
		"too few labels":      func() (*Query, error) { return h.Classifier([]int{0}, [][]int{{0, 0, 0}}, nil) },
		"repeated classifier": func() (*Query, error) { return h.Classifier([]int{0, 0, 0}, [][]int{{0, 0, 0}, {0, 0, 0}}, nil) },
		"no classifier":       func() (*Query, error) { return h.Classifier([]int{0, 0, 0}, nil, nil) },
		"ragged vectors":      func() (*Query, error) { return h.Principal([][]int{{1, 1}, {1}, {1, 1}}, 1) },
		"three components":    func() (*Query, error) { return h.Principal([][]int{{1, 1}, {1, 0}, {1, 1}}, 3) },
		"unknown norm":        func() (*Query, error) { return h.Cumulative("l7") },
	} {
		if _, err := g(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
