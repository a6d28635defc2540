package audit_test

import (
	"context"
	"fmt"

	"dpworkbench/audit"
	"dpworkbench/internal/must"
)

func ExampleResult_String() {
	t := tableOf("x: yes 3/4, no 1/4; y: yes 1/4, no 3/4")
	fmt.Println(must.Be(t.Audit(context.Background(), []audit.Pair{{"x", "y"}}, logClaim("2", "1/8"))))
	// Output:
	// refuted: claimed epsilon ln(2), delta 0.125 (exhaustive: 1 pair, both directions, every event)
	//   epsilon: 0.916290731874156 (exact: ln(5/2))
	//   delta at the claimed epsilon: 0.25 (exact: 1/4)
	//   event: {yes}, 0.75 (exact) at x, 0.25 (exact) at y
	//   replay: audit({"x": {"E": "3/4", "not E": "1/4"}, "y": {"E": "1/4", "not E": "3/4"}}, [("x", "y")], ln("2"), 0.125)
}
