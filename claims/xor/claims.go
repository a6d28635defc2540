// Package xor holds the statements of T. Ji, P. Li, E. Yilmaz, E. Ayday, Y. Ye and J. Sun, Differentially Private
// Binary- and Matrix-Valued Data Query: An XOR Mechanism. Claims lists them.
package xor

import (
	_ "embed"

	"dpworkbench/claims/check"
)

//go:embed xor.txt
var paper string

// Paper returns the contents of xor.txt.
var Paper = check.Embedded(paper)

// Claims returns the paper's claims with their checks.
func Claims() []check.Claim {
	return check.Must(Paper().Checked(
		xorLawChecks(),
		xorSamplerChecks(),
		xorMatrixChecks(),
		xorFamilyChecks(),
		xorPrivacyChecks(),
		xorTraceChecks(),
		xorAllocationChecks(),
		xorShareChecks(),
		xorBlockChecks(),
		xorUtilityChecks(),
		xorBoundChecks(),
		xorGraphChecks(),
		xorLeakageChecks(),
		xorFigureChecks(),
		xorRankingChecks(),
		xorRivalChecks(),
		printedChecks(),
	))
}
