package query

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpworkbench/internal/memory"
)

// A table that there is no room for is refused before it is made.
func TestNoRoom(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(1 << 28))
	space, err := NewPathSpace(1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	if table, err := space.DistanceTransform(context.Background(), 1<<19, nil); table != nil || !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), "a table of 1000 datasets and 524288 values") {
		t.Errorf("%v, %v", table, err)
	}
	if table, err := space.DistanceTransform(context.Background(), 10, nil); err != nil || len(table.Cells()) != 10_000 {
		t.Errorf("%v, %v", table, err)
	}
	wide := make([]float64, 1<<12)
	for i := range wide {
		wide[i] = float64(i)
	}
	few, err := NewNumeric("few", &Space{offsets: []int64{0, 0, 0}}, []float64{0, 1}, wide)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Product(context.Background(), []*Query{few, few}, SumNorm, nil); p != nil || !errors.Is(err, memory.Err) {
		t.Errorf("%v, %v", p, err)
	}
}
