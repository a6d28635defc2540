package query_test

import (
	"context"
	"fmt"

	"dpworkbench/query"
)

// A user's own query has values on a path of datasets.
func ExampleNewNumeric() {
	space, _ := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	q, _ := query.NewNumeric("f", space, []float64{0, 0.1, 0.3}, nil)
	fmt.Println(q.Range(), q.Sensitivity(), q.LocalSensitivity(0), q.Ball(1, 0.1))
	_, err := query.NewNumeric("f", space, []float64{0, 1}, nil)
	fmt.Println(err)
	// Output:
	// [0 0.1 0.3] 0.2 (exact: 1/5) 0.1 (exact: 1/10) [0 1]
	// values has 2 entries, want 3, one per dataset
}

// This is the universe of Figure 1 of the Analytic Theory paper.
func ExampleNewGraphs() {
	g, err := query.NewGraphs(context.Background(), 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Size(), "graphs,", g.EdgePairs(), "neighboring pairs, diameter", g.Space().Diameter())

	triangles, err := g.Counts("triangle")
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := g.Index("F?zPw") // any labelling is accepted
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Graph6(i), g.Edges(i), triangles[i], "triangles,", g.Automorphisms(i), "automorphisms")
	// Output:
	// 1044 graphs, 6558 neighboring pairs, diameter 21
	// F?N^O [[2 4] [3 4] [0 5] [1 5] [3 5] [4 5] [0 6] [1 6] [2 6] [4 6]] 2 triangles, 4 automorphisms
}

func ExampleParseGraph6() {
	a, err := query.ParseGraph6("DQc")
	fmt.Println(len(a), a.Edges(), err)
	_, err = query.ParseGraph6("DQ")
	fmt.Println(err)
	// Output:
	// 5 [[0 2] [1 3] [0 4] [3 4]] <nil>
	// graph6 "DQ" has 2 bytes, want 3 for 5 nodes
}
