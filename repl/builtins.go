package repl

import (
	"dpworkbench/claims"
	"dpworkbench/internal/data"
	"dpworkbench/optimize/study"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// vocabulary is every built-in of the workbench, room by room, and every class.
func vocabulary() script.Vocabulary {
	return script.Vocabulary{Rooms: []script.Room{
		script.NewRoom("Universes and queries", queryBuiltins()),
		script.NewRoom("Finite mechanisms", layersBuiltins(), mechanismBuiltins(), optimumBuiltins(), discretizeBuiltins(), radiiBuiltins()),
		script.NewRoom("On the real line", lineBuiltins(), planeBuiltins()),
		script.NewRoom("Matrix-variate Gaussian noise", gaussianBuiltins(), mvgBuiltins(), learnBuiltins()),
		script.NewRoom("XOR", xorBuiltins(), networkBuiltins()),
		script.NewRoom("Sign projections", signrpBuiltins(), imageBuiltins(), searchBuiltins()),
		script.NewRoom("Studies and sweeps", studyBuiltins(), sweepBuiltins()),
		script.NewRoom("Claims", claimsBuiltins(), conjectureBuiltins(), auditBuiltins()),
		script.NewRoom("Tables and pictures", figureBuiltins()),
		script.NewRoom("Files", fileBuiltins(), datasetBuiltins()),
	}, Types: types(), Kinds: kinds()}
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

// kinds are what parameters take beside numbers, lists and values of classes.
func kinds() []script.Kind {
	return append(matrixKinds(),
		script.Words("claim_id", func() (ids []string) {
			for _, c := range claims.All() {
				ids = append(ids, c.ID)
			}
			return ids
		}),
		script.Words("dataset_name", func() (names []string) {
			for _, s := range data.Sets() {
				names = append(names, s.Name)
			}
			return names
		}),
		script.Words("sampler", func() []string { return study.Samplers }),
		pointKind, pointsKind, signKind,
		script.Kind{Name: "radius", Read: func(c *script.Call, name string, v starlark.Value) any { return radius(c, name, v) }},
		script.Words("noise_method", func() []string {
			return []string{"auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"}
		}),
		script.KindOf("bits", bitsOf),
		script.KindOfList("bit_matrices", bitsOf),
		script.KindOf("blocks", blocksOf),
		script.KindOfList("labels", labelOf),
		script.KindOfList("distances", distancesOf),
	)
}
