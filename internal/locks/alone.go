package locks

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// Alone is a place where one goroutine may be at a time, since whoever calls it, the function of the given name, holds a
// lock. The first to enter stays until another waits for that lock, and the test fails where another enters instead.
type Alone struct {
	TB     testing.TB
	Caller string // as stacks name it, "repl.(*hall).hire"

	inside atomic.Int32
	met    atomic.Bool
}

// Enter is called at the place's beginning, and what it returns at its end.
func (a *Alone) Enter() (leave func()) {
	if a.inside.Add(1) > 1 {
		a.met.Store(true)
		a.TB.Errorf("%s lets in a second while a first is inside", a.Caller)
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
