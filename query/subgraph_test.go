package query_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// subgraphCopies are the labelled copies of a pattern on its own nodes, as explicit lists of edges.
var subgraphCopies = map[string]struct {
	nodes  int
	copies [][][2]int
}{
	"edge":     {2, [][][2]int{{{0, 1}}}},
	"triangle": {3, [][][2]int{{{0, 1}, {0, 2}, {1, 2}}}},
	"2-star":   {3, [][][2]int{{{0, 1}, {0, 2}}, {{0, 1}, {1, 2}}, {{0, 2}, {1, 2}}}},
	"3-star": {4, [][][2]int{
		{{0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {1, 2}, {1, 3}},
		{{0, 2}, {1, 2}, {2, 3}}, {{0, 3}, {1, 3}, {2, 3}},
	}},
	"4-cycle": {4, [][][2]int{
		{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {{0, 1}, {1, 3}, {2, 3}, {0, 2}}, {{0, 2}, {1, 2}, {1, 3}, {0, 3}},
	}},
	"4-clique": {4, [][][2]int{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}}},
}

// Counts equal the numbers of copies on all subsets of nodes.
func TestCountsMatchSubsets(t *testing.T) {
	for n := 1; n <= 7; n++ {
		g := mustGraphs(t, n)
		for _, pattern := range g.Patterns() {
			got := must.For(g.Counts(pattern))(t)
			want := make([]int, g.Size())
			for x := range want {
				var joined [7][7]bool
				for _, e := range g.Edges(x) {
					joined[e[0]][e[1]] = true
				}
				for subset := range 1 << n {
					var in []int
					for v := range n {
						if subset>>v&1 != 0 {
							in = append(in, v)
						}
					}
					shape := subgraphCopies[pattern]
					if len(in) != shape.nodes {
						continue
					}
					for _, c := range shape.copies {
						if !slices.ContainsFunc(c, func(e [2]int) bool { return !joined[in[e[0]]][in[e[1]]] }) {
							want[x]++
						}
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("n = %d, %s: counts differ", n, pattern)
			}
		}
	}
}

func TestCountsRejectsUnknownPattern(t *testing.T) {
	g := mustGraphs(t, 3)
	for pattern, nearest := range map[string]string{"trianlge": "triangle", "4cycle": "4-cycle", "2star": "2-star", "edges": "edge", "square": ""} {
		_, err := g.Counts(pattern)
		if !errors.Is(err, evidence.ErrParameter) {
			t.Fatalf("%s: error %v", pattern, err)
		}
		hint := ""
		if nearest != "" {
			hint = " (did you mean " + nearest + "?)"
		}
		if s := err.Error(); !strings.HasSuffix(s, hint) || nearest == "" && strings.Contains(s, "mean") || !strings.Contains(s, "edge, triangle, 2-star, 3-star, 4-cycle, 4-clique") {
			t.Errorf("%s: error %q", pattern, s)
		}
	}
}
