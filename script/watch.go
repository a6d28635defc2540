package script

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"dpworkbench/internal/memory"
)

// lookEvery is the time between two checks of the memory in use. Slow growth is noticed after that time; single large
// allocations are checked beforehand.
const lookEvery = 10 * time.Millisecond

// TimeLimit is the cause of a context that ended because a script used up its time. The chunk's error reports it
// instead of an interruption.
type TimeLimit struct{ Limit time.Duration }

// Error implements error.
func (e *TimeLimit) Error() string { return fmt.Sprintf("the time is up; limit %v (--time)", e.Limit) }

// watch checks the memory of one chunk.
type watch struct {
	limit, allowed int64
	stop           func(error)
	exhausted      func(error) // may be nil
	mu             sync.Mutex
	stopped        bool
}

// watchMemory calls stop once if the process exceeds its memory limit before the returned function is called. Memory
// already in use does not count against a new chunk, so the user can still run code that releases it.
//
// Allocations that nothing checks beforehand may exceed the limit in one step: a growing dict doubles its table, and
// append grows a list by a quarter.
func (s *Session) watchMemory(stop func(error)) (end func()) {
	l := memory.Limit()
	if l == 0 || l == memory.Unlimited {
		return func() {}
	}
	used := memory.InUse()
	if used > l {
		memory.Collect()
		used = memory.InUse()
	}
	w := &watch{limit: l, allowed: max(l, used+l/64), stop: stop, exhausted: s.OnExhausted}
	previous := s.watching.Swap(w)
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(lookEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				w.check()
			}
		}
	}()
	return func() {
		close(done)
		s.watching.Store(previous)
	}
}

// check compares the memory in use with the limit.
func (w *watch) check() {
	used := memory.InUse()
	if used <= w.allowed {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if used < w.allowed+w.allowed/4 && !w.stopped {
		memory.Collect()
		used = memory.InUse()
	}
	err := &memory.Error{What: "the computation", Limit: w.limit}
	switch {
	case used <= w.allowed:
	case !w.stopped:
		w.stopped = true
		w.stop(err)
	case used > 2*w.allowed && w.exhausted != nil: // a built-in has not stopped, or much garbage is left
		if memory.Collect(); memory.InUse() > 2*w.allowed {
			w.exhausted(err)
		}
	}
}

// limitOf returns the limit because of which a context ended. It returns nil if the context has not ended, or the user
// ended it.
func limitOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if full := new(memory.Error); errors.As(cause, &full) {
		return full
	}
	if late := new(TimeLimit); errors.As(cause, &late) {
		return late
	}
	return nil
}

// ended returns the error of an ended chunk, with the limit that ended it instead of an interruption. After a memory
// error it releases the chunk's memory.
func (s *Session) ended(ctx context.Context, err error) error {
	err = s.scriptError(err)
	limit := limitOf(ctx)
	script := new(ScriptError)
	if limit != nil && errors.As(err, &script) && script.Interrupted {
		script.Msg, script.Interrupted, script.Err = limit.Error(), false, limit
	}
	if errors.Is(err, memory.Err) {
		debug.FreeOSMemory()
	}
	return err
}
