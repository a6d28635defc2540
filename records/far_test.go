package records_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// Graphs of a hundred thousand nodes are further apart than 2³¹ changes.
func TestFarLayers(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int has 32 bits here")
	}
	g := must.For(records.NewGraph(100_000, [][2]int{{0, 1}}, records.Edge))(t)
	q := must.For(g.Edges())(t)
	for _, r := range []int64{1, 2, 1 << 31, 100_000 * 99_999 / 2} {
		if got := must.For(q.Layer(new(big.Rat).SetInt64(r)))(t); int64(got) != r-1 {
			t.Errorf("%d edges are in layer %d, want %d", r, got, r-1)
		}
	}
	if _, _, err := q.Moves(math.MaxInt); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("moves at the largest distance: %v", err)
	}
}
