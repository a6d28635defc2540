package continuous_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
)

// This computes the distortion of the purest mechanism on the real line in closed form.
func ExampleNewPurest() {
	ctx := context.Background()
	q, _ := continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}, {big.NewRat(3, 1), big.NewRat(3, 1)}})
	ln3, _ := evidence.LogEpsilon("decay", big.NewRat(3, 1))
	m, _ := continuous.NewPurest(ctx, q, ln3)
	sets, _ := m.Layers(ctx, 2)
	smallest, _ := m.Privacy().Epsilon(ctx, evidence.Delta{})
	fmt.Println(m.Distortion(), smallest)
	fmt.Println(sets[1], sets[2])
	// Output:
	// 2.45 (exact: 49/20) 1.09861228866811 (exact: ln(3))
	// [-3, -3] ∪ [-1, -1] ∪ [1, 1] ∪ [3, 3] [-6, -6] ∪ [-4, -4] ∪ [-2, -2] ∪ [2, 2] ∪ [4, 4] ∪ [6, 6]
}
