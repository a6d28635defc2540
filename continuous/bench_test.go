package continuous

import (
	"context"
	"dpworkbench/internal/must"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

func BenchmarkSequence(b *testing.B) {
	for k := range figure2 {
		for _, radius := range []string{"10", "2.0202020202020203"} {
			b.Run(fmt.Sprintf("V%d/radius=%s", k+1, radius), func(b *testing.B) {
				q := figureSequence(b, k, new(big.Rat)).query
				r := rat(b, radius)
				b.ReportAllocs()
				for b.Loop() {
					must.For(NewSequence(context.Background(), q, r))(b)
				}
			})
		}
	}
}

// BenchmarkFigure2 computes the four panels of Figure 2, 100 × 100 points each.
func BenchmarkFigure2(b *testing.B) {
	radii, decays := make([]*big.Rat, 100), make([]evidence.Epsilon, 100)
	for i := range radii {
		radii[i] = big.NewRat(2*int64(i), 1)
		decays[i] = nats(b, 0.5+0.045*float64(i+1))
	}
	var queries [4]*Sequence
	for k := range figure2 {
		queries[k] = figureSequence(b, k, new(big.Rat))
	}
	for b.Loop() {
		for _, l := range queries {
			must.For(Grid(context.Background(), l.query, radii, decays))(b)
		}
	}
	b.ReportMetric(4e4*float64(b.N)/b.Elapsed().Seconds(), "points/s")
}

// BenchmarkCurve evaluates 1000 decays once the layers are known.
func BenchmarkCurve(b *testing.B) {
	decays := make([]evidence.Epsilon, 1000)
	for i := range decays {
		decays[i] = nats(b, 0.005*float64(i+1))
	}
	for k := range figure2 {
		b.Run(fmt.Sprintf("V%d", k+1), func(b *testing.B) {
			l := figureSequence(b, k, big.NewRat(10, 1))
			if _, err := l.Curve(decays); err != nil { // the profile as floats
				b.Fatal(err)
			}
			for b.Loop() {
				must.For(l.Curve(decays))(b)
			}
			b.ReportMetric(1e3*float64(b.N)/b.Elapsed().Seconds(), "points/s")
		})
	}
}
