// Package analytic checks the statements of G. Wu, X. Xia and Y. He, Analytic Theory to Differential Privacy.
package analytic

import (
	_ "embed"

	"dpworkbench/claims/check"
)

//go:embed analytic.txt
var paper string

// Paper returns the contents of analytic.txt.
var Paper = check.Embedded(paper)

// Claims returns the paper's claims with their checks.
func Claims() []check.Claim {
	return check.Must(Paper().Checked(
		definitionChecks(),
		mediantChecks(),
		compositionChecks(),
		discreteChecks(),
		representationChecks(),
		universeChecks(),
		privacyChecks(),
		purestChecks(),
		migrationChecks(),
		originChecks(),
		lineChecks(),
		figure2Checks(),
		normChecks(),
		sensitivityChecks(),
		comparatorChecks(),
		figure1Checks(),
		staircaseChecks(),
		slipChecks(),
	))
}
