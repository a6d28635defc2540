package workload

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Three unit columns at 120° move by √4.5, orthogonal ones by √3, and ones with inner products 1/4 by √4.5, too.
func TestRelaxFindsTheLargestSum(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{{-.5, 4.5}, {0, 3}, {.25, 4.5}} {
		_, d := relax(mat.NewSymDense(3, []float64{1, c.x, c.x, c.x, 1, c.x, c.x, c.x, 1}), 0)
		if got := sum(d); !(got >= c.want && got < c.want*(1+1e-9)) {
			t.Errorf("%v: at most %v, want %v", c.x, got, c.want)
		}
	}
}
