package stattest_test

import (
	"slices"
	"testing"

	"dpworkbench/internal/stattest"
)

func TestSpelled(t *testing.T) {
	s := &stattest.Spelled{Words: []uint64{5, 3}, Tail: 7}
	if got := []uint64{s.Uint64(), s.Uint64(), s.Uint64(), s.Uint64()}; !slices.Equal(got, []uint64{5, 3, 7, 7}) || s.Taken != 4 {
		t.Errorf("%v, %d taken", got, s.Taken)
	}
}
