package program

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// BenchmarkSparse runs and decides the sparse vector technique with 4 queries and 2 positives on all of {0, 1}⁴.
func BenchmarkSparse(b *testing.B) {
	ctx := context.Background()
	space, v := cube(b, 4)
	for _, c := range []struct {
		name             string
		threshold, query Rate
		times            *big.Rat
	}{
		{"private", times(b, 1, 2), times(b, 1, 8), big.NewRat(1, 1)},
		{"variant4", times(b, 1, 4), times(b, 3, 4), big.NewRat(1, 1)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := sparse{vectors: v, threshold: c.threshold, query: &c.query, stop: 2}
			for b.Loop() {
				p := must.For(New(ctx, "sparse", space, s.run, Default))(b)
				must.For(p.Private(ctx, c.times))(b)
			}
		})
	}
}

// BenchmarkNoisyMax runs and decides report noisy max over 6 candidates: all scores in {0, 1}⁶.
func BenchmarkNoisyMax(b *testing.B) {
	ctx := context.Background()
	space, v := cube(b, 6)
	rate, one := times(b, 1, 2), big.NewRat(1, 1)
	run := func(x int, n *Noise) Output {
		var best Unknown
		which := 0
		for i, q := range v[x] {
			s := n.Geometric(rate, one).Plus(big.NewRat(q, 1))
			if i == 0 || n.Less(best, s) {
				best, which = s, i
			}
		}
		return Output{Shape: string(rune('1' + which))}
	}
	for b.Loop() {
		p := must.For(New(ctx, "noisy max", space, run, Default))(b)
		must.For(p.Private(ctx, one))(b)
	}
}

// BenchmarkPaths visits the paths of 17 tosses with plain probabilities: 2¹⁷ an operation.
func BenchmarkPaths(b *testing.B) {
	half := RationalProbability(big.NewRat(1, 2))
	space := must.For(query.NewPathSpace(1, nil))(b)
	names := []Output{{Shape: "even"}, {Shape: "odd"}}
	for b.Loop() {
		must.For(New(context.Background(), "tosses", space, func(_ int, n *Noise) Output {
			sum := 0
			for range 17 {
				if n.Flip(half) {
					sum++
				}
			}
			return names[sum%2]
		}, Default))(b)
	}
	b.ReportMetric(float64(b.N)*(1<<17)/b.Elapsed().Seconds(), "paths/s")
}
