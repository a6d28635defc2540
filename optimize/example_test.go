package optimize_test

import (
	"context"
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// Calibrate finds the purest mechanism with smallest ε = 1, from below and within 1e-9.
func ExampleCalibrate() {
	ctx, one := context.Background(), must.Be(evidence.NewEpsilon("eps", 1))
	q := must.Be(must.Be(query.NewGraphs(ctx, 4)).Count("triangle"))
	m := must.Be(optimize.Calibrate(ctx, func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		return layers.NewPurest(ctx, q, e)
	}, one))
	_, hi := must.Be(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})).Bounds()
	fmt.Println(hi <= 1, hi >= 1-1e-9)
	// Output:
	// true true
}
