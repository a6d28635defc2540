package certificate_test

import (
	"fmt"
	"math"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/layers"
	"dpworkbench/query"
)

// Distances are written as numbers, and as infinite between unconnected datasets.
func TestDistances(t *testing.T) {
	s, far := newSmallCase(t), math.Inf(1)
	space, err := query.NewMatrixSpace([][]float64{{0, 0.5, far}, {0.5, 0, far}, {far, far, 0}})
	s.fail(err)
	q, err := query.NewNumeric("f", space, []float64{0, 1, 3}, nil)
	s.fail(err)
	m, err := layers.NewPurest(t.Context(), q, s.ln(2, 1))
	s.fail(err)
	written := documentOf(certificate.About(t.Context(), m))(t).statement["query"].(object)
	if got := fmt.Sprint(written["distances"]); got != "[[0 1/2 inf] [1/2 0 inf] [inf inf 0]]" {
		t.Errorf("distances %s", got)
	}
}
