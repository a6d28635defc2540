package main

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// comparisons lists all rows, in the order of the table.
var comparisons = concat(noiseRows, projectionRows, graphRows, gaussianRows, xorRows, compositionRows, accountantRows, drawRows, workloadRows, strategyRows, restRows)

func concat(tables ...[]comparison) (all []comparison) {
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

// value returns a number of package evidence as a float64, the result of a task.
func value(n evidence.Number, err error) float64 { return must(n, err).Float() }

func nats(v float64) evidence.Epsilon { return must(evidence.NewEpsilon("eps", v)) }

func triangles(ctx context.Context, n int) *query.Query {
	return must(must(query.NewGraphs(ctx, n)).Count("triangle"))
}

func power(p float64) func(n int) float64 {
	return func(n int) float64 { return math.Pow(float64(n), p) }
}
