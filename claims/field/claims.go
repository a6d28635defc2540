// Package field holds statements outside the four papers: of textbooks, other papers and public packages. Claims lists
// them. They are small enough for exact or certified computation, and are never counted among the papers' statements.
package field

import (
	_ "embed"

	"dpworkbench/claims/check"
)

//go:embed field.txt
var paper string

// Paper returns the contents of field.txt.
var Paper = check.Embedded(paper)

// Claims returns the statements with their checks.
func Claims() []check.Claim {
	return check.Must(Paper().Checked(
		gaussianChecks(),
		compositionChecks(),
		conversionChecks(),
		selectionChecks(),
		localChecks(),
		integerChecks(),
		boundedChecks(),
		treeChecks(),
		programChecks(),
		sumChecks(),
		blanketChecks(),
		histogramChecks(),
		sensitivityChecks(),
		counterChecks(),
		renyiChecks(),
		continuousChecks(),
		samplingChecks(),
		adaptiveChecks(),
		extremalChecks(),
	))
}
