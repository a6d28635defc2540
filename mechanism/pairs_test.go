package mechanism_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// triangles returns the account of purest(ln 2) for the triangles of all graphs on n nodes.
func triangles(t *testing.T, n int) *privacy.Account {
	t.Helper()
	graphs, err := query.NewGraphs(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	q, err := graphs.Count("triangle")
	if err != nil {
		t.Fatal(err)
	}
	ln2, err := evidence.LogEpsilon("decay", big.NewRat(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewPurest(t.Context(), q, ln2)
	if err != nil {
		t.Fatal(err)
	}
	return privacy.New(mechanism.Pairs(m))
}

// logOf returns ln n, 0 for 1.
func logOf(t *testing.T, n int64) (eps evidence.Epsilon) {
	t.Helper()
	if n > 1 {
		var err error
		if eps, err = evidence.LogEpsilon("eps", big.NewRat(n, 1)); err != nil {
			t.Fatal(err)
		}
	}
	return eps
}

// Fixed uses share the worst pair; chosen ones pay the dominating pair. The fractions were
// found by a program of its own, in rationals.
func TestCompositionOfTriangles(t *testing.T) {
	one := triangles(t, 4)
	two, err := privacy.Compose(t.Context(), []*privacy.Account{one}, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := two.Adaptive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of    *privacy.Account
		ratio int64
		delta string
	}{
		{one, 1, "44/135"}, {one, 2, "1/10"}, {two, 1, "39/100"}, {two, 2, "3808/18225"}, {two, 4, "9/100"}, {chosen, 2, "481/2025"},
	} {
		d, err := c.of.Delta(t.Context(), logOf(t, c.ratio))
		if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.RatString() != c.delta {
			t.Errorf("%s at e^ε = %d: %v, %v, want %s", c.of.Name(), c.ratio, d, err, c.delta)
		}
	}
}

func TestManyUsesOfTriangles(t *testing.T) {
	one := triangles(t, 5)
	for _, c := range []struct {
		uses         int
		fixed        string
		least, under float64 // of the adaptive answer
	}{{100, "54.10013855", 62.17, 62.19}, {300, "124.36938064", 147.34, 147.45}} {
		many, err := privacy.Compose(t.Context(), []*privacy.Account{one}, []int{c.uses})
		if err != nil {
			t.Fatal(err)
		}
		e, err := many.Epsilon(t.Context(), 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := e.Bounds(); fmt.Sprintf("%.8f", lo) != c.fixed || fmt.Sprintf("%.8f", hi) != c.fixed {
			t.Errorf("%d uses: ε in [%.12g, %.12g], want %s", c.uses, lo, hi, c.fixed)
		}
		chosen, err := many.Adaptive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e, err = chosen.Epsilon(t.Context(), 1e-6); err != nil {
			t.Fatal(err)
		}
		if lo, hi := e.Bounds(); lo < c.least || hi > c.under {
			t.Errorf("%d uses chosen adaptively: ε in [%g, %g], want within [%g, %g]", c.uses, lo, hi, c.least, c.under)
		}
	}
}

// What tells neighbors apart, a record more or another record, is told from how many records
// all datasets have.
func TestRelationOfPairs(t *testing.T) {
	for _, kind := range []query.Relation{query.Replace, query.AddRemove} {
		for records := 1; records < 4; records++ {
			for types := 2; types < 4; types++ {
				h := must.For(query.NewHistograms(t.Context(), types, records, kind))(t)
				q := must.For(query.NewNumeric("0", h.Space(), make([]float64, h.Space().Size()), nil))(t)
				f := mechanism.Pairs(build(t, "ladder", q, eps(t, 1)))
				want := map[query.Relation]query.Relation{query.Replace: query.Replace, query.AddRemove: query.AddRemove}[kind]
				if f.Relation != want {
					t.Errorf("%v histograms of %d records: relation %v, want %v", kind, records, f.Relation, want)
				}
				count := func(d any) (n int) {
					for _, c := range d.(query.Dataset).Name.([]int) {
						n += c
					}
					return n
				}
				for i := range f.Size {
					if x, y := f.Where(i); f.Removes(i) != (count(x) > count(y)) {
						t.Errorf("from %v to %v a record goes: %t", x, y, f.Removes(i))
					}
				}
			}
		}
	}
	if f := mechanism.Pairs(build(t, "ladder", pathQuery(t, 3), eps(t, 1))); f.Relation != "" || f.Removes != nil {
		t.Errorf("datasets without records have relation %v", f.Relation)
	}
}

// In float64 a loss is off by what two logarithms are, and the error that is admitted holds that
// and hardly more.
func TestRoughPairs(t *testing.T) {
	m := build(t, "laplace", pathQuery(t, 5), eps(t, 0.7))
	for _, off := range []float64{0, 1e-9, 4e-4} {
		f := mechanism.Pairs(rough{m, off, 0x5ca1ab1e0ddba11})
		largest := 0.0
		for i := range f.Size {
			x, y := m.Query().Space().Pair(int64(i))
			pair := f.Rough(i)
			for r, got := range pair.Loss {
				miss := math.Abs(interval.Float(got).Sub(m.EncloseLog(x, r).Sub(m.EncloseLog(y, r))).Mid())
				largest = max(largest, miss)
				if miss > pair.Error || pair.Error > 2.1*(off+m.LogError())+1e-14 {
					t.Errorf("off by %g: a loss by %g, of which %g is admitted", off, miss, pair.Error)
				}
			}
		}
		if largest < 1.99*off {
			t.Errorf("off by %g: no loss is off by more than %g", off, largest)
		}
	}
}
