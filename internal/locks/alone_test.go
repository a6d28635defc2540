package locks_test

import (
	"sync"
	"testing"

	"dpworkbench/internal/locks"
)

// errorCounter is a testing.TB that counts errors.
type errorCounter struct {
	testing.TB
	mu     sync.Mutex
	errors int
}

func (k *errorCounter) Errorf(string, ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.errors++
}

func entering(a *locks.Alone, lock sync.Locker) {
	lock.Lock()
	defer lock.Unlock()
	a.Enter()()
}

type noLock struct{}

func (noLock) Lock()   {}
func (noLock) Unlock() {}

// Goroutines that share a lock never overlap in an Alone section. Goroutines without a lock do.
func TestAlone(t *testing.T) {
	for lock, want := range map[sync.Locker]int{&sync.Mutex{}: 0, noLock{}: 1} {
		k := &errorCounter{TB: t}
		a := &locks.Alone{TB: k, Caller: "locks_test.entering"}
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { entering(a, lock) })
		}
		all.Wait()
		if (k.errors > 0) != (want > 0) {
			t.Errorf("%T: %d errors", lock, k.errors)
		}
	}
}
