package study_test

import (
	"fmt"

	"dpworkbench/study"
)

func ExampleHistory() {
	results := []study.Result{
		{Number: 0, State: "complete", Value: 3},
		{Number: 1, State: "failed", Value: 9},
		{Number: 2, State: "complete", Value: 5},
		{Number: 3, State: "complete", Value: 1},
	}
	fmt.Println(study.History(results, false))
	fmt.Println(study.History(results, true))
	// Output:
	// [0 2 3] [3 5 1] [3 3 1]
	// [0 2 3] [3 5 1] [3 5 5]
}
