package layers_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The purest mechanism of a median: each value is in the layer of the nearest dataset that has it.
func ExampleNewPurest() {
	ctx := context.Background()
	h, _ := query.NewHistograms(ctx, 3, 3, query.Replace)
	median, _ := h.Median([]*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(5, 1)})
	ln3, _ := evidence.LogEpsilon("decay", big.NewRat(3, 1))
	m, _ := layers.NewPurest(ctx, median, ln3)
	x, _ := h.Index([]int{3, 0, 0})
	smallest, _ := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	fmt.Println(m.Layers(x), m.ClaimedEpsilon(), smallest)
	// Output:
	// [[0] [] [1 2]] 2.19722457733622 (claimed) 1.24171313230879 (exact: ln(45/13))
}

// The value 6, the third, migrates into the first layer of dataset 1. The distortion of dataset 1 decreases, and that
// of dataset 0 increases.
func ExampleMechanism_PredictMigration() {
	ctx := context.Background()
	space, _ := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	q, _ := query.NewNumeric("f", space, []float64{0, 5, 6}, nil)
	one, _ := evidence.NewEpsilon("decay", 1)
	m, _ := layers.NewPurest(ctx, q, one)
	p, _ := m.PredictMigration(layers.Move{Dataset: 1, Value: 2, Layer: 0})
	fmt.Printf("%v %.4f\n", p.Layers, p.Gains)
	// Output:
	// [1 0 0] [-0.5675 0.0725 0.0000]
}
