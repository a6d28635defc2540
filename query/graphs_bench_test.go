package query

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// BenchmarkGraphs enumerates a universe and its neighbors. n = 10 runs only
// where GRAPHS10 is set: it takes the better part of a minute and over 1 GiB.
func BenchmarkGraphs(b *testing.B) {
	for n := 7; n <= 10; n++ {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			if n == 10 && os.Getenv("GRAPHS10") == "" {
				b.Skip("set GRAPHS10=1 to run it")
			}
			b.ReportAllocs()
			classes := 0
			for b.Loop() {
				g, err := NewGraphs(context.Background(), n)
				if err != nil {
					b.Fatal(err)
				}
				classes += g.Size()
			}
			b.ReportMetric(float64(classes)/b.Elapsed().Seconds(), "classes/s")
		})
	}
}

func BenchmarkCounts(b *testing.B) {
	g := mustGraphs(b, 9)
	for _, pattern := range g.Patterns() {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				if _, err := g.Counts(pattern); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(g.Size()*b.N)/b.Elapsed().Seconds(), "classes/s")
		})
	}
}

// BenchmarkGrow finds the graphs one edge away from sparse, middle and dense classes.
func BenchmarkGrow(b *testing.B) {
	counts := graphCounts(9)
	level, edges := emptyGraph(9), 0
	for _, from := range []int{8, 13, 17} {
		for ; edges < from; edges++ {
			next, err := level.next(context.Background(), counts[edges+1], &splitMixHash, func(int64) {})
			if err != nil {
				b.Fatal(err)
			}
			level = next
		}
		b.Run(fmt.Sprintf("n=9/edges=%d", edges), func(b *testing.B) {
			for b.Loop() {
				if _, err := level.next(context.Background(), counts[edges+1], &splitMixHash, func(int64) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(level.codes)*(36-edges)*b.N)/b.Elapsed().Seconds(), "graphs/s")
		})
	}
}
