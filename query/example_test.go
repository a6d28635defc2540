package query_test

import (
	"fmt"

	"dpworkbench/query"
)

// A query of one's own: values at the datasets of a path.
func ExampleNewNumeric() {
	space, _ := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	q, _ := query.NewNumeric("f", space, []float64{0, 0.1, 0.3}, nil)
	fmt.Println(q.Range(), q.Sensitivity(), q.LocalSensitivity(0), q.Ball(1, 0.1))
	_, err := query.NewNumeric("f", space, []float64{0, 1}, nil)
	fmt.Println(err)
	// Output:
	// [0 0.1 0.3] 0.2 (exact: 1/5) 0.1 (exact: 1/10) [0 1]
	// values has 2 entries, want 3, one per dataset
}
