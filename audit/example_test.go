package audit_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Randomised response that tells the truth three times in four: δ at ε = ln 2,
// and ε at δ = 1/4.
func ExampleTable_Privacy() {
	t := new(audit.Table)
	for dataset, p := range map[string]int64{"x": 3, "y": 1} {
		_ = t.Add(dataset, "yes", big.NewRat(p, 4))
		_ = t.Add(dataset, "no", big.NewRat(4-p, 4))
	}
	ctx, curve := context.Background(), t.Privacy([]audit.Pair{{"x", "y"}})
	ln2, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	delta, _ := curve.Delta(ctx, ln2)
	eps, _ := curve.Epsilon(ctx, evidencetest.Delta(0.25))
	fmt.Println(delta)
	fmt.Println(eps)
	// Output:
	// 0.25 (exact: 1/4)
	// 0.693147180559946 (exact: ln(2))
}
