package workload_test

import (
	"context"
	"fmt"

	"dpworkbench/workload"
)

// This computes the least error of 64 prefix sums, and the distance of the square root from it.
func Example() {
	ctx := context.Background()
	w, err := workload.PrefixSums(64)
	if err != nil {
		fmt.Println(err)
		return
	}
	best, err := workload.LeastError(ctx, w, workload.Max, workload.Participation{}, workload.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	root, err := workload.NewStrategy(ctx, w, "square_root", workload.StrategyParams{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("least error: %.6f\n", best.Error.Hi)
	fmt.Printf("square root: %.6f\n", root.MaxError.Hi)
	fmt.Printf("over the optimum: %.3f %%\n", root.OverOptimum(best).Hi)
	// Output:
	// least error: 2.111367
	// square root: 2.388848
	// over the optimum: 13.142 %
}
