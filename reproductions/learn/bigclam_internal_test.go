package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// Conductances of the closed neighborhoods in Zachary's club agree with NetworkX 3.
func TestConductances(t *testing.T) {
	want := []float64{0.239436619718, 0.311475409836, 0.447368421053, 0.384615384615, 0.615384615385, 0.51724137931, 0.51724137931, 0.555555555556, 0.6875, 0.862068965517, 0.615384615385, 0.882352941176,
		0.75, 0.650793650794, 0.806451612903, 0.806451612903, 0.4, 0.777777777778, 0.806451612903, 0.822222222222, 0.806451612903, 0.777777777778, 0.806451612903, 0.6, 0.5, 0.529411764706, 0.739130434783,
		0.74358974359, 0.777777777778, 0.6, 0.702127659574, 0.7, 0.315068493151, 0.243243243243}
	got := must.Be(conductances(t.Context(), Karate, must.Be(newAdjacency(Karate))))
	for u, w := range want {
		if math.Abs(got[u]-w) > 1e-11 {
			t.Errorf("node %d: %v, want %v", u, got[u], w)
		}
	}
	// The neighborhoods in a triangle and a separate edge have conductance 0, and that of an isolated node has
	// conductance 1.
	rows := RowsOf(6, [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}})
	got = must.Be(conductances(t.Context(), rows, must.Be(newAdjacency(rows))))
	if got[0] != 0 || got[3] != 0 || got[5] != 1 {
		t.Errorf("conductances %v, want 0 for nodes 0 and 3, 1 for node 5", got)
	}
	if places := ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := conductances(ctx, rows, must.Be(newAdjacency(rows)))
		return err
	}); places == 0 {
		t.Error("conductances do not poll")
	}
}

// If there are more communities than disjoint neighborhoods, the source chooses the rest. Each is a different
// neighborhood.
func TestBigclamSeeds(t *testing.T) {
	complete := must.Be(RandomGraph(t.Context(), 12, 66, rand.NewPCG(1, 1)))
	g := must.Be(newAdjacency(complete))
	for seed := range uint64(20) {
		s := must.Be(seeds(t.Context(), complete, g, 12, rand.NewPCG(seed, 0)))
		seen := map[int]bool{}
		for _, u := range s {
			seen[u] = true
		}
		if len(s) != 12 || len(seen) != 12 {
			t.Errorf("seed %d: %v", seed, s)
		}
	}
}

// Karate is Zachary's club, nodes from 0.
var Karate = RowsOf(34, [][2]int{
	{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 10}, {0, 11}, {0, 12}, {0, 13}, {0, 17}, {0, 19}, {0, 21}, {0, 31},
	{1, 2}, {1, 3}, {1, 7}, {1, 13}, {1, 17}, {1, 19}, {1, 21}, {1, 30}, {2, 3}, {2, 7}, {2, 8}, {2, 9}, {2, 13}, {2, 27}, {2, 28}, {2, 32},
	{3, 7}, {3, 12}, {3, 13}, {4, 6}, {4, 10}, {5, 6}, {5, 10}, {5, 16}, {6, 16}, {8, 30}, {8, 32}, {8, 33}, {9, 33}, {13, 33}, {14, 32}, {14, 33},
	{15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33},
	{24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33},
})

// RowsOf packs an adjacency matrix.
func RowsOf(n int, edges [][2]int) [][]uint64 {
	rows := make([][]uint64, n)
	for i := range rows {
		rows[i] = make([]uint64, (n+63)/64)
	}
	for _, e := range edges {
		rows[e[0]][e[1]/64] |= 1 << (e[1] % 64)
		rows[e[1]][e[0]/64] |= 1 << (e[0] % 64)
	}
	return rows
}
