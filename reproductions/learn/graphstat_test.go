package learn_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"
)

// The statistics agree with Floyd's algorithm on random graphs of every density.
func TestDescribeGraph(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, density := range []float64{0, .01, .03, .1, .5, 1} {
		const n = 70
		d := make([][]float64, n)
		var edges [][2]int
		for i := range d {
			d[i] = make([]float64, n)
			for j := range d[i] {
				d[i][j] = math.Inf(1)
			}
			d[i][i] = 0
		}
		for i := range n {
			for j := range i {
				if rng.Float64() < density {
					edges = append(edges, [2]int{i, j})
					d[i][j], d[j][i] = 1, 1
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					d[i][j] = math.Min(d[i][j], d[i][k]+d[k][j])
				}
			}
		}
		var sum, pairs, longest float64
		components := 0
		for i := range n {
			first := true
			for j := range n {
				if i != j && !math.IsInf(d[i][j], 1) {
					sum, pairs, longest = sum+d[i][j], pairs+1, math.Max(longest, d[i][j])
					first = first && j > i
				}
			}
			if first {
				components++
			}
		}
		s := must.Be(learn.DescribeGraph(context.Background(), learn.RowsOf(n, edges)))
		mean := 0.0
		if pairs > 0 {
			mean = sum / pairs
		}
		if s.Edges != len(edges) || float64(s.Diameter) != longest || math.Abs(s.MeanPath-mean) > 1e-12 || s.Components != components {
			t.Errorf("density %g: %d edges, diameter %d, mean path %v, %d components; want %d, %g, %v, %d", density,
				s.Edges, s.Diameter, s.MeanPath, s.Components, len(edges), longest, mean, components)
		}
	}
}

func TestRenumber(t *testing.T) {
	edges := [][2]int{{5, 9}, {9, 5}, {9, 12}, {3, 3}, {1, 2}, {12, 5}}
	names, out, err := learn.Renumber(edges, false)
	if err != nil || !slices.Equal(names, []int{1, 2, 3, 5, 9, 12}) || len(out) != 4 || out[0] != [2]int{0, 1} {
		t.Errorf("all components: names %v, edges %v, error %v", names, out, err)
	}
	names, out, err = learn.Renumber(edges, true)
	if err != nil || !slices.Equal(names, []int{5, 9, 12}) || len(out) != 3 {
		t.Errorf("largest component: names %v, edges %v, error %v", names, out, err)
	}
	if _, _, err := learn.Renumber(nil, true); err == nil {
		t.Error("no edges give no error")
	}
}

func TestCheckSimple(t *testing.T) {
	for want, edges := range map[string][][2]int{
		"edges[1] = (3, 3) is a loop, want two different nodes":   {{1, 2}, {3, 3}},
		"edges[2] = (2, 1) repeats edges[0], want each edge once": {{1, 2}, {2, 3}, {2, 1}},
	} {
		if err := learn.CheckSimple(edges); !errors.Is(err, parameter.Err) || err.Error() != want {
			t.Errorf("%v: %v, want %s", edges, err, want)
		}
	}
	if err := learn.CheckSimple([][2]int{{1, 2}, {2, 3}}); err != nil {
		t.Error(err)
	}
}
