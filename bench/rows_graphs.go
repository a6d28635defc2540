package main

import (
	"context"
	"strconv"

	"dpworkbench/layers"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

var geng = []peer{{name: "nauty's geng, the graphs alone", module: "with_nauty", function: "graphs"}}

var graphRows = []comparison{
	{
		name: "graphs-9", work: "all graphs on %d nodes with their neighbors, and the layers of the purest mechanism on triangles", n: 9, quick: 6,
		run:    layersOfTriangles,
		script: &scripted{"", "q = graphs(n).count(\"triangle\")\nq.size + purest(q, 1).layer(0, 0)"},
		peers:  geng, agree: 1e-12, memory: true, asked: "1.5 s, 300 MB",
		series: &series{sizes: []int{7, 8, 9, 10}, unit: "neighboring pairs", amount: neighboringPairs, expected: 1},
	},
	{name: "graphs-10", work: "the same on %d nodes", n: 10, quick: 7, slow: true, run: layersOfTriangles, peers: geng, agree: 1e-12, memory: true, asked: "40 s, 2 GiB"},
	{
		name: "optimum-6", work: "the least mean distortion of triangles on %d nodes at ε = 1, certified", n: 6, quick: 4,
		run:    optimum,
		script: &scripted{"", `float(optimal(graphs(n).count("triangle"), 1).optimum)`},
		peers:  []peer{{name: "HiGHS, no certificate", module: "with_highs", function: "optimum"}}, input: program, agree: 1e-6,
		series: &series{sizes: []int{3, 4, 5, 6}, unit: "variables", amount: variables, expected: 1.5},
	},
	{
		name: "optimum-7", work: "the same on %d nodes, to 1e-9", n: 7, quick: 5, slow: true, run: optimum,
		peers: []peer{{name: "HiGHS, no certificate", module: "with_highs", function: "optimum"}}, input: program, agree: 1e-6, asked: "30 s",
	},
}

func layersOfTriangles(ctx context.Context, n int) task {
	return func() float64 {
		q := triangles(ctx, n)
		must(layers.NewPurest(ctx, q, nats(1)))
		return float64(q.Size())
	}
}

// neighboringPairs returns the number of neighboring pairs, counted as in the tests of package query.
func neighboringPairs(n int) float64 {
	return map[int]float64{7: 6558, 8: 125_066, 9: 4_147_388, 10: 247_179_594}[n]
}

func optimum(ctx context.Context, n int) task {
	return func() float64 {
		return must(optimize.NewOptimal(ctx, triangles(ctx, n), nats(1), optimize.Options{})).Optimum().Float()
	}
}

func variables(n int) float64 {
	q := triangles(context.Background(), n)
	return float64(q.Size() * len(q.Range()))
}

// program returns the input of the linear program of the optimum: the query's values at all datasets, its range, and
// the pairs of neighbors.
func program(ctx context.Context, n int) any {
	q := triangles(ctx, n)
	numbers := func(values []query.Value) (out []float64) {
		for _, v := range values {
			out = append(out, must(strconv.ParseFloat(v.String(), 64)))
		}
		return out
	}
	var pairs [][2]int
	for x := range q.Size() {
		for _, y := range q.Space().Neighbors(x) {
			pairs = append(pairs, [2]int{x, int(y)})
		}
	}
	return map[string]any{"values": numbers(q.Values()), "range": numbers(q.Range()), "pairs": pairs}
}
