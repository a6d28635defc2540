package workload

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The largest sums are √4.5 for three unit columns at 120°, √3 for orthogonal ones, and √4.5 for inner products 1/4.
func TestRelaxFindsTheLargestSum(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{{-.5, 4.5}, {0, 3}, {.25, 4.5}} {
		_, d := relax(mat.NewSymDense(3, []float64{1, c.x, c.x, c.x, 1, c.x, c.x, c.x, 1}), 0)
		if got := sum(d); !(got >= c.want && got < c.want*(1+1e-9)) {
			t.Errorf("%v: at most %v, want %v", c.x, got, c.want)
		}
	}
}
