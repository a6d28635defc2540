// Package signrp holds the statements of the appendix of P. Li and X. Li, Differential Privacy with Random
// Projections and Sign Random Projections. Claims lists them.
package signrp

import (
	_ "embed"
	"fmt"
	"strings"

	"dpworkbench/claims/check"
)

//go:embed signrp.txt
var paper string

// Paper returns the contents of signrp.txt.
var Paper = check.Embedded(paper)

// Claims returns the paper's claims with their checks.
func Claims() []check.Claim {
	return check.Must(Paper().Checked(
		signrpToolChecks(),
		individualChecks(),
		flipChecks(),
		countChecks(),
		reachChecks(),
		angleChecks(),
		innerChecks(),
		noiseChecks(),
		normalChecks(),
		slipChecks(),
		normalisedChecks(),
		appendixChecks(),
		experimentChecks(),
	))
}

// vector returns floats as a list in the script language.
func vector(u []float64) string { return strings.ReplaceAll(fmt.Sprint(u), " ", ", ") }
