package main

import (
	"context"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/signrp"
)

// The sizes of the retrieval experiment: 784 pixels onto 512 numbers.
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

// copying moves as many bytes as OPORP has to: (p + k)/2 numbers in and out, to vectors that are there.
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
