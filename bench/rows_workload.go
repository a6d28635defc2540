package main

import (
	"context"

	"dpworkbench/workload"
)

// leastError returns a task whose number is the upper bound of the optimum for prefix sums.
func leastError(ctx context.Context, n int, o workload.Objective, p workload.Participation) task {
	w := must(workload.PrefixSums(n))
	return func() float64 { return must(workload.LeastError(ctx, w, o, p, workload.Options{})).Error.Hi }
}

var workloadRows = []comparison{
	{
		name: "workload-max", work: "the least greatest error of %d prefix sums, certified to 1e-7", n: 1024, quick: 32,
		run: func(ctx context.Context, n int) task {
			return leastError(ctx, n, workload.Max, workload.Participation{})
		},
		asked: "60 s, to 1e-3",
	},
	{
		name: "workload-mean", work: "their least root mean square error", n: 1024, quick: 32,
		run: func(ctx context.Context, n int) task {
			return leastError(ctx, n, workload.Mean, workload.Participation{})
		},
		asked: "60 s, to 1e-3",
	},
	{
		name: "workload-epochs", work: "the least root mean square error of %d prefix sums in 4 epochs", n: 128, quick: 16,
		run: func(ctx context.Context, n int) task {
			p := workload.Participation{Kind: workload.Fixed, Epochs: 4, Separation: n / 4}
			return leastError(ctx, n, workload.Mean, p)
		},
	},
}
