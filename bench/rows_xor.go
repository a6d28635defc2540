package main

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/xor"
)

// nodes is the number of nodes of the Facebook graph.
const nodes = 4039

var xorRows = []comparison{
	{
		name: "xor-26", work: "normaliser and error of a quadratic law on %d bits, certified", n: 26, quick: 14,
		run: enumeration,
		script: &scripted{`
theta = [[math.sin(1 + i * j) for j in range(n)] for i in range(n)]
`, `float(bernoulli(theta, {}, 1).log_normalizer())`}, agree: 1e-9,
		peers: []peer{{name: "NumPy, blocks of states", module: "with_numpy", function: "enumerate_law"}}, input: coefficients,
		needs:  func(n int) load { return load{products: 2 * math.Ldexp(1, n)} },
		series: &series{sizes: []int{26, 28, 30, 32, 34}, unit: "states", amount: func(n int) float64 { return math.Ldexp(1, n) }, expected: 1},
	},
	{
		name: "xor-36", work: "the same on %d bits", n: 36, quick: 18, slow: true, run: enumeration,
		needs: func(n int) load { return load{products: 2 * math.Ldexp(1, n)} }, asked: "60 s",
	},
	{
		name: "xor-closed", work: "normaliser, error rate and smallest ε of the published allocation, N = P = %d, in closed form", n: nodes, quick: 50,
		run: func(ctx context.Context, n int) task {
			return func() float64 {
				law := allocated(n)
				must(law.LogNormalizer(ctx))
				must(must(law.Under(xor.FlipBits(2), xor.LossOptions{})).Loss(ctx))
				return value(law.ErrorRate(ctx, 0, xor.Complement))
			}
		},
		script: &scripted{"", "b = xor_allocation(n, n, 1, 0.7, 2)\nb.log_normalizer()\nb.smallest_epsilon(2)\nfloat(b.error_rate(complement=True))"},
		series: &series{sizes: []int{4000, 8000, 16_000, 32_000, 64_000}, unit: "rows", expected: 1},
	},
	{
		name: "xor-noise", work: "its noise, %d × %[1]d bits, simulated", n: nodes, quick: 50,
		run: func(ctx context.Context, n int) task {
			law, src := allocated(n), rand.NewPCG(1, 2)
			return func() float64 {
				must(law.Columns().Noise(ctx, src))
				return 0
			}
		},
		peers:  []peer{{name: "NumPy, independent bits", module: "with_numpy", function: "bits"}},
		series: &series{sizes: []int{500, 1000, 2000, 4000, 8000}, unit: "rows", expected: 2},
	},
}

func allocated(n int) *xor.Bernoulli {
	return must(xor.Allocate(xor.Budget{N: n, P: n, Epsilon: nats(1), Alpha: .7, Sensitivity: 2}))
}

// theta returns the same matrix as the script.
func theta(n int) [][]float64 {
	t := make([][]float64, n)
	for i := range t {
		t[i] = make([]float64, n)
		for j := range t[i] {
			t[i][j] = math.Sin(float64(1 + i*j))
		}
	}
	return t
}

func enumeration(ctx context.Context, n int) task {
	t := theta(n)
	return func() float64 { // a new law, because a law caches its results
		return value(must(xor.NewBernoulli(t, nil, 1)).LogNormalizer(ctx))
	}
}

func coefficients(_ context.Context, n int) any { return theta(n) }
