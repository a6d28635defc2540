// Package analytic holds the statements of G. Wu, X. Xia and Y. He, Analytic Theory to Differential Privacy.
// Claims lists them.
package analytic

import (
	"slices"

	"dpworkbench/claims/check"
)

// The paper, as claims name it.
const Paper = "Analytic Theory"

// analytic returns the claims of G. Wu, X. Xia and Y. He, Analytic Theory to
// Differential Privacy.
func Claims() []check.Claim {
	return check.Entered(entries, slices.Concat(
		definitionClaims(),
		mediantClaims(),
		compositionClaims(),
		discreteClaims(),
		representationClaims(),
		universeClaims(),
		privacyClaims(),
		purestClaims(),
		migrationClaims(),
		originClaims(),
		lineClaims(),
		normClaims(),
		sensitivityClaims(),
		comparatorClaims(),
		figure1Claims(),
		staircaseClaims(),
	))
}
