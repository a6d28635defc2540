package main

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
)

var questionSeries = &series{sizes: []int{10, 100, 1000, 10_000}, unit: "questions", expected: 1}

const questionsSetup = "xs = [0.5 + i / n for i in range(n)]"

var gaussianRows = []comparison{
	{
		name: "gaussian-sigma", work: "σ of the analytic Gaussian at ε in .5 … 1.5, δ = 1e-5, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Sigma(nats(x), evidencetest.Delta(1e-5), 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_sigma(x, 1e-5) for x in xs])"},
		peers: []peer{
			{name: "SciPy, bisection", module: "with_scipy", function: "sigma"},
			{name: "dp_accounting", module: "with_dp_accounting", function: "sigma"},
			{name: "diffprivlib", module: "with_diffprivlib", function: "sigma"},
		},
		asked: "10 µs", series: questionSeries,
	},
	{
		name: "gaussian-delta", work: "δ at σ in .5 … 1.5, ε = 1, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Delta(nats(1), x, 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_delta(1, x) for x in xs])"},
		peers: []peer{
			{name: "SciPy, the formula", module: "with_scipy", function: "delta"},
			{name: "dp_accounting", module: "with_dp_accounting", function: "delta"},
		},
		asked: "10 µs", series: questionSeries,
	},
	{
		name: "gaussian-epsilon", work: "ε at σ in .5 … 1.5, δ = 1e-5, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Epsilon(evidencetest.Delta(1e-5), x, 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_epsilon(1e-5, x) for x in xs])"},
		peers:  []peer{{name: "SciPy, bisection", module: "with_scipy", function: "epsilon"}},
		asked:  "10 µs", series: questionSeries,
	},
}

// questions sums the answers to n questions between ½ and 1½.
func questions(ask func(x float64) evidence.Number) func(context.Context, int) task {
	return func(_ context.Context, n int) task {
		return func() (sum float64) {
			for i := range n {
				sum += ask(.5 + float64(i)/float64(n)).Float()
			}
			return sum
		}
	}
}
