package locks_test

import (
	"sync"
	"testing"

	"dpworkbench/internal/locks"
)

// Awaited passes a function that waits for the lock, also as a reader. It fails one that does not wait, or waits for
// another lock.
func TestAwaited(t *testing.T) {
	var one, other sync.Mutex
	var shared sync.RWMutex
	taking := func(l sync.Locker) func() {
		return func() {
			l.Lock()
			defer l.Unlock()
		}
	}
	ran := 0
	locks.Awaited(t, "a lock", &one, func() { taking(&one)(); ran++ })
	locks.Awaited(t, "a reader", &shared, taking(shared.RLocker()))
	locks.Awaited(t, "a writer against a reader", shared.RLocker(), taking(&shared))
	for name, do := range map[string]func(){"none": func() { ran++ }, "another": taking(&other)} {
		fake := &recorder{TB: t}
		if locks.Awaited(fake, name, &one, do); !fake.failed {
			t.Errorf("%s: passes", name)
		}
	}
	if ran != 2 {
		t.Errorf("ran %d times, want 2", ran)
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}
