package privacy_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
)

// The curve of geometric noise at ε₀ = ln 9, read in both directions.
func ExampleCurve() {
	ctx := context.Background()
	one, ln9 := big.NewRat(1, 1), must(evidence.LogEpsilon("eps", big.NewRat(9, 1)))
	noise := must(continuous.NewGeometric(must(continuous.NewLinear([][2]*big.Rat{{one, one}})), ln9))
	curve := noise.Privacy()
	fmt.Println(must(curve.Epsilon(ctx, 0)))
	fmt.Println(must(curve.Delta(ctx, ln9.Ratio(1, 2))))
	fmt.Println(must(curve.Epsilon(ctx, 0.6)))
	// Output:
	// 2.19722457733622 (exact: ln(9))
	// 0.6 (exact: 3/5)
	// 1.09861228867 (certified: in [1.0986122886661116, 1.0986122886681098])
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
