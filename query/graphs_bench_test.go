package query

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// BenchmarkGraphs enumerates a universe and its neighbors. n = 10 runs only
// where GRAPHS10 is set: it takes minutes and about 3 GiB.
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

// BenchmarkExtend finds the least codes one edge away from sparse, middle and
// dense classes, in one goroutine.
func BenchmarkExtend(b *testing.B) {
	g := mustGraphs(b, 9)
	for _, edges := range []int{8, 13, 17} {
		b.Run(fmt.Sprintf("n=9/edges=%d", edges), func(b *testing.B) {
			e := new(extender)
			classes, forms := g.universe.codes[g.universe.first[edges]:g.universe.first[edges+1]], 0
			for b.Loop() {
				for k := 0; k < len(classes); k += 8 {
					e.extend(9, classes[k], func(graphCode) { forms++ })
				}
			}
			b.ReportMetric(float64(forms)/b.Elapsed().Seconds(), "forms/s")
		})
	}
}
