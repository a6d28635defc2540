package convolve

import (
	"testing"

	"dpworkbench/internal/locks"
)

// Functions that access state shared by goroutines wait for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	locks.Awaited(t, "a field", &fields, func() { firstFields(1) })
	f := firstFields(1)[0]
	locks.Awaited(t, "a field's twiddles", &f.guard, func() { f.tables(8) })
}
