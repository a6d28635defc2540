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

// lookEvery is the time between two looks at the memory in use: what grows in
// small steps takes that long to be noticed, and what grows at once asks before.
const lookEvery = 10 * time.Millisecond

// TimeLimit is the cause of a context that ends because a script has used up its
// time; the chunk's error says so, where it would say that it was interrupted.
type TimeLimit struct{ Limit time.Duration }

// Error implements error.
func (e *TimeLimit) Error() string { return fmt.Sprintf("the time is up; limit %v (--time)", e.Limit) }

// watch is the look-out for the memory of one chunk.
type watch struct {
	limit, allowed int64
	stop           func(error)
	exhausted      func(error) // may be nil
	mu             sync.Mutex
	stopped        bool
}

// watchMemory calls stop once where the process passes its bound on memory, until
// the function that it returns is called. What was in use before does not count
// against the chunk that begins: its user must be able to let it go.
//
// What is made in one step may pass the bound where nothing asks before: the
// table of a dict that grows, by as much again, and an appended list by a quarter.
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
				w.look()
			}
		}
	}()
	return func() {
		close(done)
		s.watching.Store(previous)
	}
}

// look compares what is in use with what is allowed.
func (w *watch) look() {
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
	case used > 2*w.allowed && w.exhausted != nil: // a built-in goes on, or has left much to collect
		if memory.Collect(); memory.InUse() > 2*w.allowed {
			w.exhausted(err)
		}
	}
}

// limitOf returns the bound that a context has ended for, nil where it goes on or
// the user has ended it.
func limitOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if room := new(memory.Error); errors.As(cause, &room) {
		return room
	}
	if late := new(TimeLimit); errors.As(cause, &late) {
		return late
	}
	return nil
}

// ended returns the error of a chunk that has ended: the bound that it was ended
// for in place of an interruption. Where that was memory, what the chunk held is
// let go.
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
