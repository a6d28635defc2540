package main

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

var compositionRows = []comparison{
	{
		name: "compose-laplace", work: "ε at δ = 1e-6 of %d uses of Laplace noise at ε = 1/10", n: 1000, quick: 2,
		run: func(ctx context.Context, n int) task {
			return func() float64 {
				return spent(ctx, n, privacy.New(constant(privacy.LaplacePairs("Laplace", "", nats(.1)))))
			}
		},
		script: &scripted{"", `float(compose(laplace(linear_query([1]), 0.1), n).epsilon_at(1e-6))`}, agree: 2e-2,
		peers: []peer{
			{name: "dp_accounting, at 1e-4", module: "with_dp_accounting", function: "laplace"},
			{name: "prv_accountant, ε to 1e-2", module: "with_prv", function: "laplace"},
		},
		series: &series{sizes: []int{10, 100, 1000, 10_000}, unit: "uses", expected: 0}, // the cells get wider with the sums
	},
	{
		name: "compose-subsampled", work: "ε at δ = 1e-6 of %d steps with Gaussian noise, σ = 1, each record drawn with chance 1/100", n: 1000, quick: 10, slow: true,
		run: func(ctx context.Context, n int) task {
			return func() float64 {
				one := privacy.New(constant(privacy.NormalPairs("Gaussian", "", interval.Int(1))))
				return spent(ctx, n, must(privacy.Subsample(ctx, one, big.NewRat(1, 100), privacy.Poisson)))
			}
		},
		agree: 2e-2,
		peers: []peer{
			{name: "dp_accounting, at 1e-4", module: "with_dp_accounting", function: "subsampled"},
			{name: "prv_accountant, ε to 1e-2", module: "with_prv", function: "subsampled"},
		},
	},
	{
		name: "compose-mixture", work: "δ at five ε of %d uses each of Gaussian, Laplace and staircase noise, to 1e-3", n: 3333, quick: 1000, slow: true,
		run: func(ctx context.Context, n int) task {
			return func() (sum float64) {
				all := must(must(privacy.Compose(ctx, mixture(), []int{n, n, n})).Within(1e-3))
				for _, at := range []float64{7.5, 10, 15, 20, 24} {
					sum += value(all.Delta(ctx, nats(at)))
				}
				return sum
			}
		},
		agree: .5, above: true, peers: []peer{{name: "dp_accounting, at 1e-4, an upper bound", module: "with_dp_accounting", function: "mixture"}}, // 9,999 losses are rounded up
	},
	{
		name: "compose-triangles", work: "ε at δ = 1e-6 of %d uses of the purest mechanism on triangles of 5 nodes, all pairs of neighbors", n: 100, quick: 5,
		run: func(ctx context.Context, n int) task {
			m := purestOnFive(ctx)
			return func() float64 { return spent(ctx, n, privacy.New(mechanism.Pairs(m))) }
		},
		script: &scripted{`q = graphs(5).count("triangle")`, `float(compose(purest(q, ln(2)), n).epsilon_at(1e-6))`},
		input:  dominating, peers: []peer{{name: "dp_accounting, the dominating pair at 1e-4", module: "with_dp_accounting", function: "masses"}},
		series: &series{sizes: []int{10, 100, 1000}, unit: "uses", expected: .5},
	},
	{
		name: "compose-seven", work: "ε at δ = 1e-6 of %d uses of the purest mechanism on triangles of 7 nodes", n: 1000, quick: 5,
		run: func(ctx context.Context, n int) task {
			m := must(layers.NewPurest(ctx, triangles(ctx, 7), nats(1)))
			return func() float64 { return spent(ctx, n, privacy.New(mechanism.Pairs(m))) }
		},
	},
	{
		name: "renyi-seven", work: "%d orders of Rényi divergence of the same mechanism", n: 100, quick: 5,
		run: func(ctx context.Context, n int) task {
			m := must(layers.NewPurest(ctx, triangles(ctx, 7), nats(1)))
			return func() (sum float64) {
				a := privacy.New(mechanism.Pairs(m))
				for i := range int64(n) {
					sum += value(a.Renyi(ctx, big.NewRat(11+i, 10)))
				}
				return sum
			}
		},
	},
}

func constant(f *privacy.DominatingPairs) *privacy.DominatingPairs {
	f.TranslationInvariant = true
	return f
}

func spent(ctx context.Context, n int, a *privacy.Account) float64 {
	return value(must(privacy.Compose(ctx, []*privacy.Account{a}, []int{n})).Epsilon(ctx, evidencetest.Delta(1e-6)))
}

func mixture() []*privacy.Account {
	grows := evidence.ExactRat(big.NewRat(2, 5)) // the probability of the staircase's largest loss
	return []*privacy.Account{
		privacy.New(constant(privacy.NormalPairs("Gaussian", "", interval.Int(1).Quo(interval.Float(50))))),
		privacy.New(constant(privacy.LaplacePairs("Laplace", "", nats(.02)))),
		privacy.New(constant(privacy.ThreePointPairs("staircase", "", nats(.02), grows))),
	}
}

func purestOnFive(ctx context.Context) mechanism.Mechanism {
	return must(layers.NewPurest(ctx, triangles(ctx, 5), must(evidence.LogEpsilon("decay", big.NewRat(2, 1)))))
}

// dominating returns a pair of laws that dominates all neighbors. Its probabilities are the differences between
// adjacent corners of the trade-off function.
func dominating(ctx context.Context, _ int) any {
	var masses [2][]float64
	var last [2]float64
	for i, c := range must(privacy.New(mechanism.Pairs(purestOnFive(ctx))).Tradeoff(ctx)).Corners {
		at := [2]float64{c.Alpha.Float(), 1 - c.Beta.Float()}
		if i > 0 {
			masses[0], masses[1] = append(masses[0], at[0]-last[0]), append(masses[1], at[1]-last[1])
		}
		last = at
	}
	return masses
}
