// Package locks sees, for tests, that what shares memory waits for its lock.
package locks

import (
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Awaited runs do while somebody else holds the lock, and fails unless do waits for it.
// It returns once do has ended, the lock being free again.
func Awaited(t testing.TB, what string, lock sync.Locker, do func()) {
	t.Helper()
	lock.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	if !blocked(done) {
		t.Errorf("%s does not wait for its lock", what)
	}
	lock.Unlock()
	<-done
}

// blocked reports whether the goroutine of Awaited comes to wait for a lock before it is done.
func blocked(done chan struct{}) bool {
	stacks := make([]byte, 1<<20)
	for {
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			state, calls, _ := strings.Cut(stack, "\n")
			if strings.Contains(state, "[sync.") && strings.Contains(calls, "locks.Awaited.func1") {
				return true
			}
		}
		select {
		case <-done:
			return false
		default:
			runtime.Gosched()
		}
	}
}
