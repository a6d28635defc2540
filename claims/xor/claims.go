// Package xor holds the statements of T. Ji, P. Li, E. Yilmaz, E. Ayday, Y. Ye and J. Sun, Differentially Private Binary- and
// Matrix-Valued Data Query: An XOR Mechanism.
// Claims lists them.
package xor

import (
	"slices"

	"dpworkbench/claims/check"
)

// The paper, as claims name it.
const Paper = "XOR"

// xorClaims returns the claims of the XOR mechanism's paper.
func Claims() []check.Claim {
	return check.Entered(entries, slices.Concat(
		xorLawClaims(),
		xorSamplerClaims(),
		xorMatrixClaims(),
		xorFamilyClaims(),
		xorPrivacyClaims(),
		xorTraceClaims(),
		xorAllocationClaims(),
		xorShareClaims(),
		xorBlockClaims(),
		xorUtilityClaims(),
		xorBoundClaims(),
		xorGraphClaims(),
		xorLeakageClaims(),
		xorFigureClaims(),
		xorRankingClaims(),
		xorRivalClaims(),
	))
}
