package certificate_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// numberOf is a number of a benchmark, computed from the query on.
type numberOf struct {
	name  string
	nodes int
	make  func(q *query.Query, one evidence.Epsilon) (evidence.Number, error)
}

var benched = []numberOf{
	{"purest", 6, purestEpsilon}, {"purest", 7, purestEpsilon},
	{"optimum", 5, meanOptimum}, {"optimum", 6, meanOptimum},
}

func purestEpsilon(q *query.Query, one evidence.Epsilon) (evidence.Number, error) {
	m, err := layers.NewPurest(context.Background(), q, one)
	if err != nil {
		return nil, err
	}
	return mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
}

func meanOptimum(q *query.Query, one evidence.Epsilon) (evidence.Number, error) {
	m, err := optimize.NewOptimal(context.Background(), q, one, optimize.Options{})
	if err != nil {
		return nil, err
	}
	return m.Optimum(), nil
}

// What a certificate costs beside the number, and its checker.
func BenchmarkCertificate(b *testing.B) {
	one := must.For(evidence.NewEpsilon("eps", 1))(b)
	for _, c := range benched {
		q := must.For(must.For(query.NewGraphs(context.Background(), c.nodes))(b).Count("triangle"))(b)
		name := fmt.Sprintf("%s/n=%d/", c.name, c.nodes)
		n := must.For(c.make(q, one))(b)
		b.Run(name+"compute", func(b *testing.B) {
			for b.Loop() {
				must.For(c.make(q, one))(b)
			}
		})
		b.Run(name+"write", func(b *testing.B) {
			for b.Loop() {
				if err := must.For(certificate.Of(context.Background(), n))(b).Write(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"check", func(b *testing.B) {
			file := save(b, b.TempDir(), "number.json", n)
			for b.Loop() {
				certificate.Checker(b, []string{file})
			}
		})
	}
}
