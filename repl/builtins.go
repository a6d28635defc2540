package repl

import (
	"dpworkbench/claims"
	"dpworkbench/internal/data"
	"dpworkbench/optimize/study"
	"dpworkbench/script"
)

// vocabulary is every built-in of the workbench, room by room, and every class.
func vocabulary() script.Vocabulary {
	return script.Vocabulary{Rooms: []script.Room{
		script.NewRoom("Universes and queries", queryBuiltins()),
		script.NewRoom("Finite mechanisms", layersBuiltins(), mechanismBuiltins(), finiteBuiltins(), optimumBuiltins(), discretizeBuiltins(), radiiBuiltins()),
		script.NewRoom("On the real line", lineBuiltins()),
		script.NewRoom("Matrix-variate Gaussian noise", mvgBuiltins(), learnBuiltins()),
		script.NewRoom("XOR", xorBuiltins(), networkBuiltins()),
		script.NewRoom("Sign projections", signrpBuiltins()),
		script.NewRoom("Studies and sweeps", studyBuiltins(), sweepBuiltins()),
		script.NewRoom("Claims", claimsBuiltins(), conjectureBuiltins(), auditBuiltins()),
		script.NewRoom("Tables and pictures", figureBuiltins()),
		script.NewRoom("Files", fileBuiltins(), datasetBuiltins()),
	}, Types: types(), Words: words}
}

// types lists every class of the workbench.
func types() []script.Type {
	return []script.Type{
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

// words are those that a built-in takes for names.
func words(builtin, parameter string) (known []string) {
	switch {
	case builtin == "claim" && parameter == "id":
		for _, c := range claims.All() {
			known = append(known, c.ID)
		}
	case builtin == "dataset" && parameter == "name":
		for _, s := range data.Sets() {
			known = append(known, s.Name)
		}
	case builtin == "study" && parameter == "sampler":
		return study.Samplers
	}
	return known
}
