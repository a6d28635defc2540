// Package locks checks in tests that code waits for a lock.
package locks

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Awaited runs do while another goroutine holds the lock, and fails the test unless do waits for it. It returns
// when do has ended, with the lock released.
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

// blocked reports whether the goroutine of Awaited waits for a lock before it is done.
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

// Alone is a critical section of the function named Caller, which must be protected by a lock. The first goroutine to
// enter stays until a second waits for that lock. The test fails if a second goroutine enters the section.
type Alone struct {
	TB     testing.TB
	Caller string // as in a stack trace, such as "repl.(*hall).hire"

	inside atomic.Int32
	met    atomic.Bool
}

// Enter is called at the start of the section. The function that it returns is called at the end.
func (a *Alone) Enter() (leave func()) {
	if a.inside.Add(1) > 1 {
		a.met.Store(true)
		a.TB.Errorf("%s admits a second goroutine while the first is inside", a.Caller)
	}
	stacks := make([]byte, 1<<20)
	for !a.met.Load() {
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			state, calls, _ := strings.Cut(stack, "\n")
			if strings.Contains(state, "[sync.") && strings.Contains(calls, a.Caller) {
				a.met.Store(true)
			}
		}
		runtime.Gosched()
	}
	return func() { a.inside.Add(-1) }
}
