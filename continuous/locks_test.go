package continuous

import (
	"testing"

	"dpworkbench/internal/locks"
)

// What several goroutines share waits for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	k := new(Cache)
	locks.Awaited(t, "keeping layers", &k.mu, func() { k.put("1", new(Sequence)) })
	locks.Awaited(t, "asking for layers", &k.mu, func() {
		if k.get("1") == nil {
			t.Error("what was kept is not found")
		}
	})
}
