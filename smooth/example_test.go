package smooth_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// Triangles of the graphs on four nodes: a theorem's claim, and the smallest ε.
func Example() {
	ctx := context.Background()
	g, _ := query.NewGraphs(ctx, 4)
	q, _ := g.Count("triangle")
	noise, _ := smooth.Student(big.NewRat(3, 1))
	eps, _ := evidence.NewEpsilon("eps", 1)
	c, _ := smooth.Calibrate(noise, eps, evidence.Delta{}, nil)
	m, _ := smooth.New(ctx, q, c)
	smallest, _ := m.SmallestEpsilon(ctx)
	fmt.Printf("claimed %.4g, smallest %.4g\n", m.ClaimedEpsilon(), smallest)
	fmt.Printf("expected error at the complete graph %.4g\n", m.Distortion(10))
	// Output:
	// claimed 1, smallest 0.5162
	// expected error at the complete graph 5.093
}
