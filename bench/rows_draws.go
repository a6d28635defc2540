package main

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/records"
)

var drawSeries = &series{sizes: []int{1000, 10_000, 100_000}, unit: "draws", expected: 1}

var drawRows = []comparison{
	{
		name: "release-laplace", work: "%d exact draws of discrete Laplace noise at ε = 1/10, the system's generator", n: 20_000, quick: 100,
		run:    released(func(q *continuous.Linear) continuous.Mechanism { return must(continuous.NewGeometric(q, nats(.1))) }),
		script: &scripted{"m = geometric(linear_query([1]), 0.1)", "len(m.release(0, n).value) * 0"},
		peers: []peer{
			{name: "OpenDP", module: "with_opendp", function: "laplace"},
			{name: "diffprivlib, not exact", module: "with_diffprivlib", function: "geometric"},
		},
		series: drawSeries,
	},
	{
		name: "release-gaussian", work: "%d exact draws of discrete Gaussian noise, σ = 10, the system's generator", n: 20_000, quick: 100,
		run: released(func(q *continuous.Linear) continuous.Mechanism {
			return must(continuous.NewDiscreteGaussian(q, big.NewRat(10, 1)))
		}),
		script: &scripted{"m = discrete_gaussian(linear_query([1]), 10)", "len(m.release(0, n).value) * 0"},
		peers: []peer{
			{name: "OpenDP", module: "with_opendp", function: "gaussian"},
			{name: "diffprivlib", module: "with_diffprivlib", function: "discrete_gaussian"},
		},
		series: drawSeries,
	},
	{
		name: "median", work: "a median of %d numbers in [0, 1] at ε = 1, released", n: 1_000_000, quick: 1000,
		run: func(ctx context.Context, n int) task {
			x := uniform(n)
			o := records.Options{Lo: big.NewRat(0, 1), Hi: big.NewRat(1, 1), Neighbors: records.Replace}
			return func() float64 {
				m := must(records.NewPurest(must(must(records.New(x, o)).Median()), nats(.5))).(*records.Layered)
				_, _, err := m.Release(ctx, 1, nil)
				check(err)
				return 0
			}
		},
		script: &scripted{`x = [i * 0.6180339887498949 % 1 for i in range(n)]`, "len(purest(records(x, lo=0, hi=1).median(), 0.5).release(1).value) * 0"},
		peers: []peer{
			{name: "diffprivlib", module: "with_diffprivlib", function: "median"},
			{name: "OpenDP, of 1001 candidates", module: "with_opendp", function: "median"},
		},
		series: &series{sizes: []int{100_000, 300_000, 1_000_000, 3_000_000}, unit: "records", expected: 1},
	},
}

func released(of func(q *continuous.Linear) continuous.Mechanism) func(context.Context, int) task {
	return func(ctx context.Context, n int) task {
		m := of(must(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}})))
		return func() float64 {
			must(continuous.Release(ctx, m, new(big.Rat), n, nil, nil))
			return 0
		}
	}
}

func uniform(n int) []float64 {
	rng, x := rand.New(rand.NewPCG(1, 2)), make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}
