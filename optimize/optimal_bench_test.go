package optimize_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// report measures one optimum: the relative width of its certificate, the
// variables and constraints, and the mechanism's smallest ε.
func report(b *testing.B, q *query.Query, eps float64, o optimize.Options) {
	b.Helper()
	b.ReportAllocs()
	var m *optimize.Optimal
	for b.Loop() {
		m = solve(b, q, epsilon(b, eps), o)
	}
	lo, hi := bounds(m.Optimum())
	loss, err := mechanism.Privacy(m).Epsilon(context.Background(), 0)
	if err != nil {
		b.Fatal(err)
	}
	_, smallest := bounds(loss)
	if math.IsInf(smallest, 1) || smallest > eps {
		b.Fatalf("smallest ε %v exceeds %v", smallest, eps)
	}
	b.ReportMetric(-math.Log10((hi-lo)/hi), "digits")
	b.ReportMetric(float64(q.Size()*len(q.Range())), "variables")
	b.ReportMetric(smallest, "smallest-ε")
}

func BenchmarkTriangles(b *testing.B) {
	sizes := []int{4, 5, 6}
	if os.Getenv("WORKBENCH_SLOW") != "" { // G_7: about a minute and a half
		sizes = append(sizes, 7)
	}
	for _, n := range sizes {
		q := graphs(b, n, "triangle")
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { report(b, q, 1, optimize.Options{}) })
		if n < 7 {
			b.Run(fmt.Sprintf("n=%d/worst", n), func(b *testing.B) {
				report(b, q, 1, optimize.Options{Objective: optimize.Worst})
			})
		}
	}
}

func BenchmarkLine(b *testing.B) {
	for _, n := range []int{20, 80, 160} {
		q := counts(b, n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { report(b, q, 1, optimize.Options{}) })
	}
}

func BenchmarkExact(b *testing.B) {
	for _, n := range []int{4, 5} {
		q := graphs(b, n, "triangle")
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				solve(b, q, logarithm(b, 3, 1), optimize.Options{Rational: optimize.Required})
			}
		})
	}
}

func BenchmarkTight(b *testing.B) {
	q := graphs(b, 6, "triangle")
	for b.Loop() {
		if _, err := optimize.NewTight(context.Background(), q, epsilon(b, 2)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNoise(b *testing.B) {
	for b.Loop() {
		if _, err := optimize.NewOptimalNoise(context.Background(), 5, 2, epsilon(b, 1), xor.FlipBits(2)); err != nil {
			b.Fatal(err)
		}
	}
}
