package interval_test

import (
	"fmt"

	"dpworkbench/interval"
)

// Bounds returns float64 bounds: e − 1, rounded outward.
func Example() {
	lo, hi := interval.Int(1).Exp().Sub(interval.Int(1)).Bounds()
	fmt.Println(lo, hi)
	sign, _ := interval.Between(-1, 2).Sign()
	fmt.Println(sign, interval.Int(1).Quo(interval.Int(0)))
	// Output:
	// 1.718281828459045 1.7182818284590453
	// 0 [-Inf, +Inf]
}

func ExampleMids() {
	fmt.Println(interval.Mids([]interval.Interval{interval.Between(1, 2), interval.Int(3)}))
	// Output: [1.5 3]
}
