package optimize_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
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
	loss, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
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
		if _, err := xor.NewOptimalNoise(context.Background(), 5, 2, epsilon(b, 1), xor.FlipBits(2)); err != nil {
			b.Fatal(err)
		}
	}
}

// The optimum at (1, 1/100), on graphs and on a line of counts.
func BenchmarkOptimalDelta(b *testing.B) {
	measure := func(name string, q *query.Query, objective optimize.Objective) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var m *optimize.Optimal
			for b.Loop() {
				m = solve(b, q, epsilon(b, 1), optimize.Options{Objective: objective, Delta: evidencetest.RationalDelta(big.NewRat(1, 100))})
			}
			lo, hi := bounds(m.Optimum())
			delta, err := mechanism.Privacy(m).Delta(context.Background(), epsilon(b, 1))
			if err != nil {
				b.Fatal(err)
			}
			_, spent := bounds(delta)
			if spent > 0.01 {
				b.Fatalf("δ(1) = %v exceeds 1/100", spent)
			}
			b.ReportMetric(-math.Log10((hi-lo)/hi), "digits")
			b.ReportMetric(spent, "δ")
		})
	}
	for _, n := range []int{4, 5, 6} {
		q := graphs(b, n, "triangle")
		measure(fmt.Sprintf("n=%d", n), q, optimize.Mean)
		if n == 6 && os.Getenv("WORKBENCH_SLOW") == "" {
			continue
		}
		measure(fmt.Sprintf("n=%d/worst", n), q, optimize.Worst)
	}
	measure("line=20", counts(b, 20), optimize.Mean)
	measure("line=20/worst", counts(b, 20), optimize.Worst)
}

func BenchmarkExactDelta(b *testing.B) {
	q := graphs(b, 4, "triangle")
	for b.Loop() {
		solve(b, q, logarithm(b, 3, 1), optimize.Options{Rational: optimize.Required, Delta: evidencetest.RationalDelta(big.NewRat(1, 100))})
	}
}
