// Package signrp holds the statements of the appendix of P. Li and X. Li, Differential Privacy with Random Projections
// and Sign Random Projections.
// Claims lists them.
package signrp

import (
	"fmt"
	"slices"
	"strings"

	"dpworkbench/claims/check"
)

// The paper, as claims name it.
const Paper = "Sign projections"

// signrpClaims returns the claims of the appendix of Sign projections, and of
// what it uses from the paper's main part.
func Claims() []check.Claim {
	return check.Entered(entries, slices.Concat(
		signrpToolClaims(),
		individualClaims(),
		flipClaims(),
		countClaims(),
		reachClaims(),
		angleClaims(),
		innerClaims(),
		noiseClaims(),
		normalClaims(),
		slipClaims(),
		normalisedClaims(),
	))
}

// vector writes floats as a list of the script language.
func vector(u []float64) string { return strings.ReplaceAll(fmt.Sprint(u), " ", ", ") }
