package certificate

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// some makes what certificates are written of.
type some struct {
	t   testing.TB
	rng *rand.Rand
}

func (s some) fail(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s some) eps(v float64) evidence.Epsilon {
	e, err := evidence.NewEpsilon("eps", v)
	s.fail(err)
	return e
}

func (s some) ln(num, den int64) evidence.Epsilon {
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	s.fail(err)
	return e
}

// anyEps is an ε with and without a rational power.
func (s some) anyEps() evidence.Epsilon {
	if s.rng.IntN(2) == 0 {
		return s.ln(3+s.rng.Int64N(5), 1+s.rng.Int64N(2))
	}
	return s.eps(0.01 + 2*s.rng.Float64())
}

// query is one of a few datasets on a tree, not always connected, with whole values.
func (s some) query() *query.Query {
	n := 2 + s.rng.IntN(4)
	var edges [][2]int
	values := make([]float64, n)
	for x := range n {
		if x > 0 && s.rng.IntN(8) > 0 {
			edges = append(edges, [2]int{s.rng.IntN(x), x})
		}
		values[x] = float64(s.rng.IntN(4))
	}
	space, err := query.NewPathSpace(n, edges)
	s.fail(err)
	var wide []float64
	if s.rng.IntN(2) == 0 {
		wide = []float64{-1, 0, 1, 2, 3, 5}
	}
	q, err := query.NewNumeric("f", space, values, wide)
	s.fail(err)
	return q
}

// graphs is a count on all graphs of some nodes.
func (s some) graphs(n int) *query.Query {
	g, err := query.NewGraphs(context.Background(), n)
	s.fail(err)
	q, err := g.Count("triangle")
	s.fail(err)
	return q
}

// table is a law of rational chances, some of them 0.
func (s some) table(q *query.Query) mechanism.Mechanism {
	rows := make([][]*big.Rat, q.Size())
	for x := range rows {
		total := int64(0)
		weights := make([]int64, len(q.Range()))
		for r := range weights {
			weights[r] = s.rng.Int64N(5)
			total += weights[r]
		}
		weights[0]++
		for _, w := range weights {
			rows[x] = append(rows[x], big.NewRat(w, total+1))
		}
	}
	m, err := mechanism.NewFinite(context.Background(), q, rows, nil)
	s.fail(err)
	return m
}

// mechanisms are some on a query, by rules and by a table.
func (s some) mechanisms(q *query.Query, eps evidence.Epsilon) []mechanism.Mechanism {
	ctx := context.Background()
	purest, err := layers.NewPurest(ctx, q, eps)
	s.fail(err)
	ladder, err := mechanism.NewLadder(ctx, q, eps)
	s.fail(err)
	exponential, err := mechanism.NewExponential(ctx, q, eps)
	s.fail(err)
	laplace, err := mechanism.NewLaplace(ctx, q, eps)
	s.fail(err)
	return []mechanism.Mechanism{purest, ladder, exponential, laplace, s.table(q)}
}
