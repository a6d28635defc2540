package golden_test

import (
	"math"
	"testing"

	"dpworkbench/internal/golden"
)

func TestMinimize(t *testing.T) {
	for _, want := range []float64{-1, -0.3, 0, 0.123, 2} {
		calls := 0
		at, value := golden.Minimize(func(x float64) float64 {
			calls++
			return math.Abs(x - want)
		}, -1, 2, 60)
		if math.Abs(at-want) > 1e-11 || value != math.Abs(at-want) || calls != 62 {
			t.Errorf("minimum at %v, value %v, %d calls, want %v", at, value, calls, want)
		}
	}
}
