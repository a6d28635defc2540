package main

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/internal/parallel"
	"dpworkbench/records"
	"dpworkbench/signrp"
)

// The sizes of the retrieval experiment, which projects 784 pixels to 512 numbers.
const pixels, projected = 784, 512

const vectorsSetup = `
u = projection(n, 784, kind="uniform", seed=2).matrix * 0.5
`

var projectionRows = []comparison{
	{
		name: "project-floats", work: "a Rademacher projection of %d × 784 float64 numbers onto 512", n: 10_000, quick: 100,
		run: func(ctx context.Context, n int) task {
			w, data := rademacher(), vectors(n, pixels)
			return func() float64 { return first(must(w.ApplyAll(ctx, data))) }
		},
		script: &scripted{vectorsSetup + "w = projection(784, 512, seed=1)", "w.apply(u)[0][0] * 0"},
		peers:  []peer{{name: "NumPy, its product", module: "with_numpy", function: "project"}},
		needs: func(n int) load {
			return load{products: float64(n) * pixels * projected, bytes: 8 * float64(n) * (pixels + projected)}
		},
		asked:  "1×",
		series: &series{sizes: []int{1000, 2000, 5000, 10_000, 20_000}, unit: "vectors", expected: 1},
	},
	{
		name: "project-bytes", work: "the same of %d × 784 bytes", n: 10_000, quick: 100,
		run: func(ctx context.Context, n int) task {
			w, data, rng := rademacher(), make([]byte, n*pixels), rand.New(rand.NewPCG(1, 1))
			for i := range data {
				data[i] = byte(rng.Uint32())
			}
			return func() float64 {
				must(w.ApplyBytes(ctx, data, 1.0/255))
				return 0
			}
		},
		peers: []peer{{name: "NumPy, its product of float64 numbers", module: "with_numpy", function: "project"}},
		needs: func(n int) load {
			return load{products: float64(n) * pixels * projected, bytes: float64(n) * (pixels + 8*projected)}
		},
		asked:  "2×",
		series: &series{sizes: []int{1000, 2000, 5000, 10_000, 20_000}, unit: "vectors", expected: 1},
	},
	{
		name: "oporp", work: "OPORP of %d × 784 float64 numbers onto 512, from Go into rows that are there", n: 10_000, quick: 100,
		run: func(ctx context.Context, n int) task {
			w, data, out := must(signrp.NewOPORP(ctx, pixels, projected, 1)), vectors(n, pixels), vectors(n, projected)
			return func() float64 {
				check(w.ApplyInto(ctx, out, data))
				return first(out)
			}
		},
		script: &scripted{vectorsSetup + "w = oporp(784, 512, seed=1)", "w.apply(u)[0][0] * 0"},
		peers: []peer{
			{name: "a copy of as many bytes, all processors", run: copying},
			{name: "NumPy, a copy of as many bytes", module: "with_numpy", function: "copy"},
		},
		needs:  func(n int) load { return load{bytes: 8 * float64(n) * (pixels + projected)} },
		asked:  ".7×",
		series: &series{sizes: []int{1000, 2000, 5000, 10_000, 20_000}, unit: "vectors", expected: 1},
	},
}

func rademacher() *signrp.Projection {
	return must(signrp.NewProjection(signrp.Rademacher, pixels, projected, signrp.ProjectionOptions{Seed: 1}))
}

func vectors(n, p int) [][]float64 {
	rng, data := rand.New(rand.NewPCG(1, 1)), make([][]float64, n)
	for v := range data {
		data[v] = make([]float64, p)
		for i := range data[v] {
			data[v][i] = 2*rng.Float64() - 1
		}
	}
	return data
}

func first(x [][]float64) float64 { return 0 * x[0][0] }

// copying returns a task that moves as many bytes as OPORP must move: (p + k)/2 numbers in and out, into existing
// vectors.
func copying(ctx context.Context, n int) task {
	const width = (pixels + projected) / 2
	from, to := vectors(n, width), vectors(n, width)
	return func() float64 {
		check(parallel.Chunks(ctx, n, 64, func(first, last int) error {
			for v := first; v < last; v++ {
				copy(to[v], from[v])
			}
			return nil
		}))
		return 0
	}
}

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
