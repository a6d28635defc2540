package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// A profile of more terms than are summed in intervals is known from float64 with its
// error: a million values, of which one dataset prefers the even ones threefold and its
// neighbor the odd ones.
func TestProfileOfAMillionValues(t *testing.T) {
	ctx := context.Background()
	const n = 1<<20 + 2
	space := pathQuery(t, 2).Space()
	values := make([]query.Value, n)
	for r := range values {
		values[r] = query.Number(r)
	}
	q, err := query.New("f", space, values[:2], values, query.ValueMetric{Discrete: true})
	if err != nil {
		t.Fatal(err)
	}
	often, seldom := interval.Int(3).Quo(interval.Int(2*n)), interval.Int(1).Quo(interval.Int(2*n))
	rows := [][]interval.Interval{make([]interval.Interval, n), make([]interval.Interval, n)}
	for r := range n {
		rows[r%2][r], rows[1-r%2][r] = often, seldom
	}
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "even and odd", Query: q}, rows, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := mechanism.Privacy(m).Delta(ctx, ln(t, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := d.Bounds(); lo > 0.25 || hi < 0.25 || hi-lo > 1e-7 || d.Float() != hi {
		t.Errorf("δ(ln 2) = %v in [%v, %v], want 1/4", d.Float(), lo, hi)
	}
}

// What is not decided says between which ends it lies, the lower first.
func TestUndecidedEnds(t *testing.T) {
	q := pathQuery(t, 2)
	wide := interval.Between(0.25, 0.5)
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, [][]interval.Interval{{wide, wide}, {wide, wide}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ends := func(what string, err error, is error, format string, lo, hi float64) {
		t.Helper()
		var a, b float64
		if !errors.Is(err, is) {
			t.Errorf("%s: %v", what, err)
		} else if _, failed := fmt.Sscanf(err.Error(), format, &a, &b); failed != nil || math.Abs(a-lo) > 0.01 || math.Abs(b-hi) > 0.01 {
			t.Errorf("%s: %v, want ends %v and %v", what, err, lo, hi)
		}
	}
	_, err = mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0, R: 0}, mechanism.Outcome{X: 1, R: 0}, 0, eps(t, 1))
	ends("an order", err, mechanism.ErrUndecided, "undecided: the log-ratio of two probabilities lies in [%g, %g]", -math.Ln2, math.Ln2)
	_, err = mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0, R: 0}, mechanism.Outcome{X: 1, R: 1}, 1, eps(t, 0.5))
	ends("an order a step down", err, mechanism.ErrUndecided, "undecided: the log-ratio of two probabilities lies in [%g, %g]", 0.5-math.Ln2, 0.5+math.Ln2)
	_, err = mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, [][]interval.Interval{{interval.Between(-0.25, 0.5), wide}, {wide, wide}}, nil, nil)
	ends("a probability", err, evidence.ErrParameter, "the probability in row 0, value 0, lies in [%g, %g]", -0.25, 0.5)
}
