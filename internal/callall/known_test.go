package callall_test

// These lists hold the functions that are known to violate a rule, and how. A function leaves its list with the commit
// that fixes it or documents its panic. With CALLALL_STRICT=1 functions of the first two lists fail the test, too.
var (
	// offenders lists functions that panic on data.
	offenders = map[string]string{}
	// doubtful lists functions that return invalid evidence.
	doubtful = map[string]string{
		"evidence.FromFloat":          "what it was given",
		"evidence.Given":              "what it was given",
		"evidence.WithSource":         "what it was given",
		"privacy.ProfileFunc.Delta":   "what its function gave",
		"privacy.ProfileFunc.Epsilon": "what its function gave",
		"program.Witness.Loss":        "what its fields say",
	}
	// partial lists functions that return a result beside an error.
	partial = map[string]string{
		"optimize.NewOptimal":       "the mechanism with the bounds reached so far",
		"privacy.ProfileFunc.Delta": "what its function gave",
		"xor.NewOptimalNoise":       "the best law found",
	}
	// stopsLater lists functions that return the context's error at a later poll, so they miss a context that ends for
	// one poll only.
	stopsLater = map[string]string{
		"mvg.NewSearch":     "the caller of pairByInformation polls again",
		"mvg.Optimal":       "the next step of the interior point method polls again",
		"xor.OptimizeAlpha": "the flip rate of the best share polls again",
	}
	// large lists functions that take all memory or do not end if a parameter is 2^31 or more, because they neither
	// bound the parameter nor ask internal/memory.
	large = map[string]string{}
	// skipped lists functions that are never called, because their effect cannot be caught.
	skipped = map[string]string{
		"ehmc.Gaussian.Step":       "does not end",
		"ehmc.StepUntil":           "does not end",
		"mvg.rankOneCurve.Delta":   "does not end",
		"mvg.rankOneCurve.Epsilon": "does not end",
		"xor.Bits.Flat":            "takes a byte for each bit of a matrix that may have 2^32",
	}
	// uncalled lists functions that need a receiver or an argument that no call returns.
	uncalled = map[string]string{
		"program.Noise.Choice":              "a run alone has noise",
		"program.Noise.End":                 "a run alone has noise",
		"program.Noise.Equal":               "a run alone has noise",
		"program.Noise.Err":                 "a run alone has noise",
		"program.Noise.Exponential":         "a run alone has noise",
		"program.Noise.Fail":                "a run alone has noise",
		"program.Noise.Flip":                "a run alone has noise",
		"program.Noise.Geometric":           "a run alone has noise",
		"program.Noise.Integer":             "a run alone has noise",
		"program.Noise.Less":                "a run alone has noise",
		"program.Noise.OneSided":            "a run alone has noise",
		"program.Noise.Order":               "a run alone has noise",
		"program.Noise.PermuteAndFlip":      "a run alone has noise",
		"records.NewAdded":                  "noise is an interface that no function returns",
		"records.NoisyMean.Between":         "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.ClaimedEpsilon":  "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Distortion":      "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Name":            "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Pairs":           "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Query":           "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Release":         "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Remake":          "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Simulate":        "a mean under add_remove on a grid is not met by chance",
		"records.NoisyMean.Within":          "a mean under add_remove on a grid is not met by chance",
		"records.Verification.Cases":        "a mechanism that is remade on small universes is not met by chance",
		"records.Verification.Disagreement": "a mechanism that is remade on small universes is not met by chance",
		"records.Verification.Outcome":      "a mechanism that is remade on small universes is not met by chance",
	}
)
