package mechanism_test

import (
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// The worst datasets carry the names of their universe, and no other pair, output or event
// reveals more: all are tried, in rationals.
func TestWorstByName(t *testing.T) {
	graphs := must.For(query.NewGraphs(t.Context(), 4))(t)
	histograms := must.For(query.NewHistograms(t.Context(), 3, 3, query.Replace))(t)
	own := must.For(query.New("own", must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t), []query.Value{query.Number(0), query.Number(1), query.Number(5)}, nil, query.ValueMetric{}))(t)
	for _, c := range []struct {
		q     *query.Query
		named func(d query.Dataset) (int, error)
	}{
		{must.For(graphs.Count("triangle"))(t), func(d query.Dataset) (int, error) { return graphs.Index(d.Name.(string)) }},
		{must.For(graphs.Count("2-star"))(t), func(d query.Dataset) (int, error) { return graphs.Index(d.Name.(string)) }},
		{must.For(histograms.Median([]*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(3, 1)}))(t), func(d query.Dataset) (int, error) { return histograms.Index(d.Name.([]int)) }},
		{own, func(d query.Dataset) (int, error) {
			if d.Name != nil {
				return 0, fmt.Errorf("named %v", d.Name)
			}
			return d.Index, nil
		}},
	} {
		m := must.For(layers.NewPurest(t.Context(), c.q, logOf(t, 2)))(t)
		space, a := c.q.Space(), privacy.New(mechanism.Pairs(m))
		mass := func(x, r int) *big.Rat { p, _ := m.Rational(x, r); return p }
		over := func(x, y int) *big.Rat { // the largest P(E) − e^ε Q(E), ε = ln 2
			sum := new(big.Rat)
			for r := range c.q.Range() {
				if d := new(big.Rat).Sub(mass(x, r), new(big.Rat).Mul(big.NewRat(2, 1), mass(y, r))); d.Sign() > 0 {
					sum.Add(sum, d)
				}
			}
			return sum
		}
		largest, gap := new(big.Rat), new(big.Rat)
		for i := range 2 * space.Pairs() {
			x, y := space.Pair(i)
			for r := range c.q.Range() {
				if ratio := new(big.Rat).Quo(mass(x, r), mass(y, r)); ratio.Cmp(largest) > 0 {
					largest = ratio
				}
			}
			if d := over(x, y); d.Cmp(gap) > 0 {
				gap = d
			}
		}
		at := func(d any) int {
			i, err := c.named(d.(query.Dataset))
			if err != nil || i != d.(query.Dataset).Index {
				t.Fatalf("%s: %v is dataset %d by its name, %d by its number, %v", c.q.Name(), d, i, d.(query.Dataset).Index, err)
			}
			return i
		}
		w := must.For(a.Worst(t.Context(), nil))(t)
		x, y := at(w.X), at(w.Y)
		if len(w.Outputs) == 0 {
			t.Errorf("%s: no output", c.q.Name())
		}
		place := map[string]int{}
		for r, v := range c.q.Range() {
			place[v.String()] = r
		}
		for _, v := range w.Outputs {
			r := place[v.(query.Value).String()]
			if new(big.Rat).Quo(mass(x, r), mass(y, r)).Cmp(largest) != 0 {
				t.Errorf("%s: output %v at %v and %v has another loss than ln(%v)", c.q.Name(), v, w.X, w.Y, largest)
			}
		}
		eps := logOf(t, 2)
		w = must.For(a.Worst(t.Context(), &eps))(t)
		if got := over(at(w.X), at(w.Y)); got.Cmp(gap) != 0 {
			t.Errorf("%s: %v and %v have δ = %v at ln 2, the most is %v", c.q.Name(), w.X, w.Y, got, gap)
		}
	}
}
