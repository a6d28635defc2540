package main

import (
	"context"

	"dpworkbench/workload"
)

// strategyRows lists optimised strategies for prefix sums, with their errors relative to the certified optimum.
var strategyRows = concat(
	strategies(64, "", 2.1113666548477, 2.0998564722241),
	strategies(512, "-512", 2.746433332035, 2.7393846560509),
)

// strategies returns the rows for n steps. greatest and mean are lower bounds of the optimum for the two objectives.
func strategies(n int, suffix string, greatest, mean float64) (rows []comparison) {
	for _, s := range []struct {
		name, work, peer string
		recipe           workload.StrategyParams
		optimum          float64
	}{
		{"toeplitz", "the best Toeplitz matrix for the mean error of %d prefix sums",
			"toeplitz", workload.StrategyParams{Objective: workload.Mean}, mean},
		{"banded", "the best lower triangular matrix of 32 bands for the same",
			"banded", workload.StrategyParams{Objective: workload.Mean, Bands: 32}, mean},
		{"blt", "the best buffered Toeplitz matrix of 4 buffers for the greatest error of %d prefix sums",
			"blt", workload.StrategyParams{Degree: 4}, greatest},
	} {
		rows = append(rows, comparison{
			name: "strategy-" + s.name + suffix, work: s.work, n: n, quick: 32, optimum: s.optimum,
			run: func(ctx context.Context, n int) task {
				w := must(workload.PrefixSums(n))
				return func() float64 { return must(workload.NewStrategy(ctx, w, s.name, s.recipe)).Error().Hi }
			},
			peers: []peer{{name: "jax_privacy", module: "with_jax_privacy", function: s.peer}},
		})
	}
	return rows
}
