package claims

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dpworkbench/evidence"
)

const signrpPaper = "Sign projections"

// signrpClaims returns the claims of the appendix of Sign projections, and of
// what it uses from the paper's main part.
func signrpClaims() []Claim {
	return slices.Concat(
		signrpToolClaims(),
		individualClaims(),
		flipClaims(),
		countClaims(),
		reachClaims(),
		angleClaims(),
		innerClaims(),
		noiseClaims(),
		normalClaims(),
	)
}

// budgetOf returns ε of a claim's own instance; it panics where that is out of
// range.
func budgetOf(eps float64) evidence.Epsilon {
	e, err := evidence.NewEpsilon("eps", eps)
	if err != nil {
		panic(err)
	}
	return e
}

// vector writes floats as a list of the script language.
func vector(u []float64) string { return strings.ReplaceAll(fmt.Sprint(u), " ", ", ") }

// alongside returns a check that adds evidence, whatever the verdict.
func alongside(check func(context.Context, *Run) (Outcome, error), items ...Item) func(context.Context, *Run) (Outcome, error) {
	return loose(check, func(context.Context) ([]Item, error) { return items, nil })
}
