package claims_test

import (
	"context"
	"fmt"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The first example of the README: all graphs with 7 nodes, the purest mechanism for counting triangles, its claimed
// and its actual ε, a comparison with Ladder, and the check of a published statement.
func Example() {
	ctx, one := context.Background(), must(evidence.NewEpsilon("decay", 1))
	q := must(must(query.NewGraphs(ctx, 7)).Count("triangle"))
	m := must(layers.NewPurest(ctx, q, one))
	fmt.Println(m.ClaimedEpsilon())
	fmt.Println(must(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})))
	c := must(mechanism.Compare(ctx, m, must(mechanism.NewLadder(ctx, q, one.Times(2)))))
	fmt.Printf("better on %.4f of %d datasets\n", c.Better, len(c.Ratios))
	found := must(must(claims.Find("analytic.corollary2")).Check(ctx, check.Run{Budget: check.DefaultBudget}))
	fmt.Println(found.Verdict, found.Witness.Fields)
	// Output:
	// 2.0 (claimed)
	// 1.41380744924643 (certified: in [1.413807449246426, 1.4138074492464264])
	// better on 0.9952 of 1044 datasets
	// refuted [{edges [[0 1] [0 2] [0 3]]} {f [0, 2, 1, 0]} {values 3} {initial [[] [2] [1] [0]]} {e^eps 2}]
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
