package certificate

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// smallCase makes mechanisms on three datasets in a row.
type smallCase struct {
	some
	q *query.Query
}

func few(t testing.TB) smallCase {
	t.Helper()
	s := smallCase{some: some{t: t}}
	space, err := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	s.fail(err)
	s.q, err = query.NewNumeric("f", space, []float64{0, 1, 3}, nil)
	s.fail(err)
	return s
}

// of returns the law with these rows.
func (s smallCase) of(rows [][]*big.Rat) mechanism.Mechanism {
	s.t.Helper()
	m, err := mechanism.NewFinite(context.Background(), s.q, rows, nil)
	s.fail(err)
	return m
}

// rational is a law of rational chances that no rule makes.
func (s smallCase) rational() mechanism.Mechanism {
	s.t.Helper()
	return s.of([][]*big.Rat{parts(2, 1, 1), parts(1, 2, 1), parts(1, 1, 3)})
}

// enclosed is a law whose chances are enclosed, and that no rule makes.
func (s smallCase) enclosed() mechanism.Mechanism {
	s.t.Helper()
	third := interval.Between(0.25, 0.5)
	row := []interval.Interval{third, third, third}
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "enclosed", Query: s.q}, [][]interval.Interval{row, row, row}, nil, nil)
	s.fail(err)
	return m
}

func (s smallCase) purest(eps evidence.Epsilon) *layers.Mechanism {
	s.t.Helper()
	m, err := layers.NewPurest(context.Background(), s.q, eps)
	s.fail(err)
	return m
}

func (s smallCase) exponential(eps evidence.Epsilon) mechanism.Mechanism {
	s.t.Helper()
	m, err := mechanism.NewExponential(context.Background(), s.q, eps)
	s.fail(err)
	return m
}

// parts returns the law with these weights.
func parts(weights ...int64) []*big.Rat {
	var sum int64
	for _, w := range weights {
		sum += w
	}
	out := make([]*big.Rat, len(weights))
	for i, w := range weights {
		out[i] = big.NewRat(w, sum)
	}
	return out
}
