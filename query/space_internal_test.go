package query

import (
	"math"
	"slices"
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// Distances are rounded up, and −1 without a path or beyond MaxLayer.
func TestCeilDistances(t *testing.T) {
	inf := math.Inf(1)
	s := must.For(NewMatrixSpace([][]float64{{0, 1.5, 1.25, inf}, {1.5, 0, 0.25, inf}, {1.25, 0.25, 0, inf}, {inf, inf, inf, 0}}))(t)
	for x, want := range [][]int{{0, 2, 2, -1}, {2, 0, 1, -1}, {2, 1, 0, -1}, {-1, -1, -1, 0}} {
		if got := s.CeilDistances(x); !slices.Equal(got, want) {
			t.Errorf("from %d: %v, want %v", x, got, want)
		}
	}
	for far, want := range map[float64]int{MaxLayer: MaxLayer, MaxLayer - 0.5: MaxLayer, MaxLayer + 0.5: -1} {
		if got := must.For(NewMatrixSpace([][]float64{{0, far}, {far, 0}}))(t).CeilDistances(0)[1]; got != want {
			t.Errorf("%v is %d, want %d", far, got, want)
		}
	}
}

// Shared state waits for the lock.
func TestSpaceLocksSharedState(t *testing.T) {
	s := must.For(NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	locks.Awaited(t, "the diameter", &s.mu, func() { must.Be(s.FindDiameter(t.Context())) })
	locks.Awaited(t, "what is known of it", &s.mu, func() { s.IsConnected() })
}
