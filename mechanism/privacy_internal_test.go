package mechanism

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// classPairs visits each ordered pair of neighboring classes once.
func TestClassPairsAreVisitedOnce(t *testing.T) {
	space := must.For(query.NewPathSpace(6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1, 0, 1, 1, 2}, nil))(t)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	m, err := NewGeometric(context.Background(), q, eps) // a class for each of three values
	if err != nil {
		t.Fatal(err)
	}
	visits := map[[2]int]int{}
	if err := classPairs(context.Background(), m, func(x, y int) error { visits[[2]int{m.Class(x), m.Class(y)}]++; return nil }); err != nil {
		t.Fatal(err)
	}
	for pair, n := range visits {
		if n != 1 || pair[0] == pair[1] {
			t.Errorf("classes %v are visited %d times", pair, n)
		}
	}
	if len(visits) != 4 {
		t.Errorf("%d pairs of classes, want 4", len(visits))
	}
}
