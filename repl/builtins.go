package repl

import "slices"

// room is a part of the vocabulary under one heading of help().
type room struct {
	title   string
	entries []builtin
}

// vocabulary lists every built-in of the workbench, room by room.
func vocabulary() []room {
	return []room{
		{"Numbers and evidence", slices.Concat(lnBuiltins(), numberBuiltins(), matrixBuiltins())},
		{"Universes and queries", queryBuiltins()},
		{"Finite mechanisms", slices.Concat(layersBuiltins(), mechanismBuiltins(), finiteBuiltins(), optimumBuiltins(), discretizeBuiltins(), radiiBuiltins())},
		{"On the real line", lineBuiltins()},
		{"Matrix-variate Gaussian noise", slices.Concat(mvgBuiltins(), learnBuiltins())},
		{"XOR", slices.Concat(xorBuiltins(), networkBuiltins())},
		{"Sign projections", signrpBuiltins()},
		{"Studies and sweeps", slices.Concat(studyBuiltins(), sweepBuiltins())},
		{"Claims", slices.Concat(claimsBuiltins(), conjectureBuiltins(), auditBuiltins())},
		{"Tables and pictures", figureBuiltins()},
		{"Files", slices.Concat(fileBuiltins(), datasetBuiltins())},
		{"The session", sessionBuiltins()},
	}
}

// manual is what a type of value says about itself without a value at hand.
type manual interface {
	entries() []*doc // the type, then its attributes
}

// types lists every class of the workbench, for help by name and for the tests
// of the manual.
func types() []manual {
	return []manual{
		evidenceManual{}, matrixManual{},
		graphsClass, histogramsClass, queryClass,
		mechanismClass, comparisonClass, noiseLawClass, theorem1Class, radiiClass,
		sensitivityClass, designClass, fillingClass, kroneckerClass, mvgOptimumClass, rankOneClass,
		linearClass, lineMechanismClass, knormClass,
		noiseClass, alphaClass, blocksClass, networkClass, logisticClass,
		projectionClass, releaseClass, searchClass,
		studyClass, trialClass,
		ledgerClass, claimClass, conjectureClass, verdictClass, findingClass,
		tableClass, lineClass, heatmapClass,
	}
}
