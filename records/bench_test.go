package records_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// The whole law of a median of a million floats, beside sorting them.
func BenchmarkMedian(b *testing.B) {
	const n = 1_000_000
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	b.Run("sort", func(b *testing.B) {
		y := make([]float64, n)
		for b.Loop() {
			copy(y, x)
			slices.Sort(y)
		}
	})
	o := records.Options{Lo: big.NewRat(0, 1), Hi: big.NewRat(1, 1), Neighbors: records.Replace}
	for name, data := range map[string][]float64{"unsorted": x, "sorted": sorted} {
		for _, eps := range []float64{0.01, 1} {
			decay := must.Be(evidence.NewEpsilon("decay", eps/2))
			b.Run(fmt.Sprintf("law/%s/eps=%g", name, eps), func(b *testing.B) {
				for b.Loop() {
					q := must.Be(must.Be(records.New(data, o)).Median())
					m := must.Be(records.NewPurest(q, decay)).(*records.Layered)
					must.Be(m.Distortion(context.Background()))
					must.Be(m.Pieces(context.Background()))
				}
			})
		}
	}
}

// Bounds on triangles at every distance, on a graph as large and as dense as Facebook's circles, and on a
// million random edges.
func BenchmarkTriangles(b *testing.B) {
	for _, size := range [][2]int{{4039, 88234}, {100_000, 1_000_000}} {
		rng := rand.New(rand.NewPCG(3, 4))
		seen := make(map[[2]int]bool)
		var edges [][2]int
		for len(edges) < size[1] {
			u, v := rng.IntN(size[0]), rng.IntN(size[0])
			if e := [2]int{min(u, v), max(u, v)}; u != v && !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		}
		g := must.Be(records.NewGraph(size[0], edges, records.Edge))
		b.Run(fmt.Sprintf("edges=%d", size[1]), func(b *testing.B) {
			for b.Loop() {
				q := must.Be(g.Triangles(context.Background()))
				far := q.Range().Hi
				for t := 1; ; t *= 2 {
					up, _, err := q.Moves(t)
					if err != nil {
						b.Fatal(err)
					}
					if up.Cmp(new(big.Rat).Sub(far, q.Value())) >= 0 {
						break
					}
				}
			}
		})
	}
}
