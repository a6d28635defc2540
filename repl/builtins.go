package repl

import (
	_ "embed"
	"slices"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/internal/data"
	"dpworkbench/script"
	"dpworkbench/study"

	"go.starlark.net/starlark"
)

// glossary holds the words of the field that are no names.
//
//go:embed glossary.txt
var glossary string

// vocabulary is every built-in of the workbench, room by room, and every class.
func vocabulary() script.Vocabulary {
	return script.Vocabulary{Rooms: []script.Room{
		script.NewRoom("Universes and queries", queryBuiltins()),
		script.NewRoom("Finite mechanisms", layersBuiltins(), mechanismBuiltins(), smoothBuiltins(), optimumBuiltins(), discretizeBuiltins(), radiiBuiltins(), initialBuiltins()),
		script.NewRoom("Programs", programBuiltins()),
		script.NewRoom("Real records", recordsBuiltins()),
		script.NewRoom("On the real line", lineBuiltins(), planeBuiltins()),
		script.NewRoom("Matrix-variate Gaussian noise", gaussianBuiltins(), mvgBuiltins(), learnBuiltins(), rivalMatrixBuiltins()),
		script.NewRoom("Linear workloads", workloadBuiltins()),
		script.NewRoom("XOR", xorBuiltins(), networkBuiltins(), communityBuiltins(), rivalBuiltins()),
		script.NewRoom("Sign projections", signrpBuiltins(), imageBuiltins(), searchBuiltins(), svmBuiltins()),
		script.NewRoom("Privacy", privacyBuiltins(), integerNoiseBuiltins(), dpsgdBuiltins(), budgetBuiltins()),
		script.NewRoom("Studies and sweeps", studyBuiltins(), sweepBuiltins()),
		script.NewRoom("Claims", claimsBuiltins(), auditBuiltins(), zooBuiltins()),
		script.NewRoom("Tables and pictures", tableBuiltins(), figureBuiltins()),
		script.NewRoom("Certificates", certificateBuiltins()),
		script.NewRoom("Files", fileBuiltins()),
	}, Types: types(), Kinds: kinds(), Terms: script.Terms(glossary)}
}

// types lists every class of the workbench.
func types() []script.Type {
	return []script.Type{
		graphsClass, histogramsClass, queryClass,
		mechanismClass, noiseMechanismClass, comparisonClass, noiseLawClass, theorem1Class, radiiClass, initialClass,
		sensitivityClass, designClass, fillingClass, kroneckerClass, mvgOptimumClass, mvgSearchClass, rankOneClass,
		workloadClass, strategyClass, streamClass, strategyComparisonClass,
		programClass, decisionClass, sourceClass, drawClass, symbolClass, powerClass,
		laplaceRivalClass, symmetricGaussClass, jlRivalClass, netRivalClass, ppcaClass, binghamClass,
		recordsClass, networkRecordsClass, recordQueryClass, recordMechanismClass, verificationClass, recomputationClass,
		linearClass, lineMechanismClass, knormClass,
		noiseClass, alphaClass, networkClass, logisticClass, powerLawClass, bigclamClass, graphRivalClass, degreeRivalClass, communityRivalClass,
		projectionClass, releaseClass, releasedClass, searchClass, svmClass,
		privacyClass, worstClass, trainingClass, budgetClass,
		studyClass, trialClass,
		ledgerClass, claimClass, verdictClass, findingClass, zooClass,
		tableClass, lineClass, heatmapClass, reportClass,
	}
}

// kinds are what parameters take beside numbers, lists and values of classes.
func kinds() []script.Kind {
	return slices.Concat([]script.Kind{
		found("claim_id", claims.All, func(c check.Claim) string { return c.ID }, claims.Find),
		found("dataset_name", data.Sets, func(s data.Set) string { return s.Name }, data.Find),
		script.Words("sampler", func() []string { return study.Samplers }),
		pointKind, pointsKind, signKind,
		script.KindOf("radius", radius),
		datasetKind, priorKind, dictKind,
		rateKind, probabilityKind, exponentKind, participationKind,
		script.KindOfList("distances", distancesOf),
	}, privacyKinds(), matrixKinds(), xorKinds(), communityKinds(), svmKinds(), auditKinds(), tableKinds(), figureKinds())
}

// found returns the kind of what goes by one of some names.
func found[T any](kind string, all func() []T, name func(T) string, find func(name string) (T, error)) script.Kind {
	return script.Kind{
		Name: kind,
		Words: func() (names []string) {
			for _, x := range all() {
				names = append(names, name(x))
			}
			return names
		},
		Read: func(c *script.Call, parameter string, v starlark.Value) any {
			text, ok := starlark.AsString(v)
			if !ok {
				c.Fail(parameter, v, "a string")
			}
			return must(find(text))
		},
	}
}

// elements returns what a list or tuple holds, of one of some sizes if these are given;
// want says what a value that is none should be.
func elements(c *script.Call, name string, v starlark.Value, want string, sizes ...int) []starlark.Value {
	vs, ok := script.Elements(v)
	if !ok || len(sizes) > 0 && !slices.Contains(sizes, len(vs)) {
		c.Fail(name, v, want)
	}
	return vs
}

// onlyIf returns x where it counts, None elsewhere.
func onlyIf(counts bool, x any) any {
	if !counts {
		return nil
	}
	return x
}

// must returns x, or ends the call with an error.
func must[T any](x T, err error) T {
	stop(err)
	return x
}

// stop ends the call with an error, if it is one.
func stop(err error) {
	if err != nil {
		script.Refuse(err)
	}
}
