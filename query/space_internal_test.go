package query

import (
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// Methods that read shared state wait for its lock.
func TestSpaceLocksSharedState(t *testing.T) {
	s := must.For(NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	locks.Awaited(t, "the diameter", &s.mu, func() { must.Be(s.FindDiameter(t.Context())) })
	locks.Awaited(t, "the cached diameter", &s.mu, func() { s.IsConnected() })
}
