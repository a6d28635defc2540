package layers_test

import (
	"context"
	"fmt"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
)

// Figure 1 from nothing: the universe, both mechanisms' layers, and their
// distortions over 40 values of ε.
func BenchmarkFigure1(b *testing.B) {
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		q := triangles(b, 7)
		var purest *layers.Mechanism
		var ladder *mechanism.Layered
		for k := 1; k <= 40; k++ {
			e := epsilon(b, float64(k)/10)
			if purest == nil {
				var err error
				if purest, err = layers.NewPurest(ctx, q, e); err != nil {
					b.Fatal(err)
				}
				if ladder, err = mechanism.NewLadder(ctx, q, e.Times(2)); err != nil {
					b.Fatal(err)
				}
			}
			l := mechanism.NewLayered("ladder", ladder.LayerTable, e, ladder.ClaimedEpsilon())
			if _, err := mechanism.Compare(ctx, purest.WithDecay(e), l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// The layers of the triangle count alone, the universe being there.
func BenchmarkPurest(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{7, 8, 9} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			q := triangles(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := layers.NewPurest(ctx, q, epsilon(b, 1)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(q.Size()*len(q.Range()))*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
	}
}

func BenchmarkSmallestEpsilon(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{7, 9} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			m, err := layers.NewPurest(ctx, triangles(b, n), epsilon(b, 1))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := mechanism.Privacy(m.WithDecay(epsilon(b, 1))).Epsilon(ctx, evidence.Delta{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
