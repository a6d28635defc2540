package mechanism_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Privacy bounds the loss over all neighbors in both directions.
func ExamplePrivacy() {
	ctx := context.Background()
	h, _ := query.NewHistograms(ctx, 2, 3, query.Replace)
	count, _ := h.Counting([]int{0})
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	m, _ := mechanism.NewGeometric(ctx, count, ln3)
	smallest, _ := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	delta, _ := mechanism.Privacy(m).Delta(ctx, ln3.Ratio(1, 2))
	fmt.Println(smallest)
	fmt.Println(delta)
	// Output:
	// 1.09861228866811 (exact: ln(3))
	// 0.316987298107781 (certified: in [0.31698729810778064, 0.31698729810778071])
}

// Compare divides the errors of two mechanisms with the same guarantee, dataset by dataset. Sample draws from one of
// them.
func ExampleCompare() {
	ctx := context.Background()
	h, _ := query.NewHistograms(ctx, 2, 3, query.Replace)
	count, _ := h.Counting([]int{0})
	one, _ := evidence.NewEpsilon("eps", 1)
	a, _ := mechanism.NewGeometric(ctx, count, one)
	b, _ := mechanism.NewLaplace(ctx, count, one)
	c, _ := mechanism.Compare(ctx, a, b)
	fmt.Printf("%.4f\n", c.Ratios)
	drawn, _ := mechanism.Sample(a, 2, 5, rand.NewPCG(1, 1))
	fmt.Println(drawn)
	// Output:
	// [0.8868 0.8868 0.8868 0.8868]
	// [2 3 3 3 2]
}
