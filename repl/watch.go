package repl

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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
func (e *TimeLimit) Error() string {
	return fmt.Sprintf("the time is up; limit %v (--time)", e.Limit)
}

// watchMemory calls stop once where the process passes its bound on memory, until
// the function that it returns is called. What was in use before does not count
// against the chunk that begins: its user must be able to let it go.
func (s *Session) watchMemory(stop func(error)) (end func()) {
	l := memory.Limit()
	if l == 0 || l == memory.Unlimited {
		return func() {}
	}
	allowed := max(l, memory.InUse()+l/64)
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(lookEvery)
		defer t.Stop()
		err := &memory.Error{What: "the computation", Limit: l}
		stopped := false
		for {
			select {
			case <-done:
				return
			case <-t.C:
			}
			used := memory.InUse()
			if used > allowed && used < allowed+allowed/4 && !stopped {
				memory.Collect()
				used = memory.InUse()
			}
			switch {
			case used <= allowed:
			case !stopped:
				stopped = true
				stop(err)
			case used > 2*allowed && s.OnExhausted != nil: // a built-in goes on
				s.OnExhausted(err)
			}
		}
	}()
	return func() { close(done) }
}

// limitOf returns the bound that a context has ended for, nil where it goes on or
// the user has ended it.
func limitOf(ctx context.Context) error {
	var (
		room *memory.Error
		late *TimeLimit
	)
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &room):
		return room
	case errors.As(cause, &late):
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
