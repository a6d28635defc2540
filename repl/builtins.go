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

// glossary explains terms of the field that are not names of scripts.
//
//go:embed glossary.txt
var glossary string

// vocabulary returns every built-in of the workbench by section, and every class.
func vocabulary() script.Vocabulary {
	return script.Vocabulary{Sections: []script.Section{
		script.NewSection("Universes and queries", queryBuiltins()),
		script.NewSection("Finite mechanisms", layersBuiltins(), mechanismBuiltins(), smoothBuiltins(), optimumBuiltins(), discretizeBuiltins(), radiiBuiltins(), initialBuiltins()),
		script.NewSection("Programs", programBuiltins()),
		script.NewSection("Real records", recordsBuiltins()),
		script.NewSection("On the real line", lineBuiltins(), planeBuiltins()),
		script.NewSection("Matrix-variate Gaussian noise", gaussianBuiltins(), mvgBuiltins(), learnBuiltins(), rivalMatrixBuiltins()),
		script.NewSection("Linear workloads", workloadBuiltins()),
		script.NewSection("XOR", xorBuiltins(), networkBuiltins(), communityBuiltins(), rivalBuiltins()),
		script.NewSection("Sign projections", signrpBuiltins(), imageBuiltins(), searchBuiltins(), svmBuiltins()),
		script.NewSection("Privacy", privacyBuiltins(), integerNoiseBuiltins(), dpsgdBuiltins(), budgetBuiltins()),
		script.NewSection("Studies and sweeps", studyBuiltins(), sweepBuiltins()),
		script.NewSection("Claims", claimsBuiltins(), auditBuiltins(), zooBuiltins()),
		script.NewSection("Tables and pictures", tableBuiltins(), figureBuiltins()),
		script.NewSection("Certificates", certificateBuiltins()),
		script.NewSection("Files", fileBuiltins()),
	}, Types: types(), Kinds: kinds(), Terms: script.Terms(glossary)}
}

// types returns every class of the workbench.
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

// kinds returns the kinds of parameters besides numbers, lists and values of classes.
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

// found returns the kind of values that scripts choose by name, such as data sets.
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

// elements returns the elements of a list or tuple. If sizes are given, the length must be one of them. want describes
// the expected value in the error.
func elements(c *script.Call, name string, v starlark.Value, want string, sizes ...int) []starlark.Value {
	vs, ok := script.Elements(v)
	if !ok || len(sizes) > 0 && !slices.Contains(sizes, len(vs)) {
		c.Fail(name, v, want)
	}
	return vs
}

// onlyIf returns x if counts is true, else None.
func onlyIf(counts bool, x any) any {
	if !counts {
		return nil
	}
	return x
}

// must returns x, or ends the call with the error.
func must[T any](x T, err error) T {
	stop(err)
	return x
}

// stop ends the call with the error if it is not nil.
func stop(err error) {
	if err != nil {
		script.Refuse(err)
	}
}
