package ctxtest_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dpworkbench/internal/ctxtest"
)

// loops polls before each of n steps and stops when cancelled.
func loops(ctx context.Context, n int) (steps int, err error) {
	for range n {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		steps++
	}
	return steps, nil
}

// Code that respects its context makes one step for each poll, and one late poll. The numbers of polls reveal code that
// continues or polls too rarely.
func TestCancelAfter(t *testing.T) {
	for n := range 12 {
		c := ctxtest.CancelAfter(t.Context(), n)
		steps, err := loops(c, 10)
		if n < 10 && (!errors.Is(err, context.Canceled) || steps != n || c.Polls() != n+1 || c.LatePolls() != 1) {
			t.Errorf("cancelled after %d polls: %d steps, %v, %d polls, %d late", n, steps, err, c.Polls(), c.LatePolls())
		}
		if n >= 10 && (err != nil || c.Polls() != 10 || c.LatePolls() != 0) {
			t.Errorf("cancelled after %d polls: %v, %d polls, %d late, in 10 steps", n, err, c.Polls(), c.LatePolls())
		}
	}
	deaf := ctxtest.CancelAfter(t.Context(), 3)
	for range 10 {
		_ = deaf.Err()
	}
	if deaf.Polls() != 10 || deaf.LatePolls() != 7 {
		t.Errorf("code that continues polls %d times, %d of them late, want 10 and 7", deaf.Polls(), deaf.LatePolls())
	}
	seldom := ctxtest.CancelAfter(t.Context(), 3)
	if _, err := loops(seldom, 2); err != nil || seldom.LatePolls() != 0 {
		t.Errorf("code that polls twice: %v, %d late", err, seldom.LatePolls())
	}
	below, end := context.WithCancel(t.Context())
	c := ctxtest.CancelAfter(below, math.MaxInt)
	if end(); !errors.Is(c.Err(), context.Canceled) || c.LatePolls() != 0 {
		t.Errorf("%v, though the parent is cancelled", c.Err())
	}
	past, end := context.WithDeadline(t.Context(), time.Time{})
	defer end()
	if c := ctxtest.CancelAfter(past, 1); !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(c.Err(), context.Canceled) {
		t.Error("want the parent's error at poll 1, and Canceled too")
	}
}

// A call of Done counts as a poll. Poll n + 1 closes the channel and the child contexts, whether it is a call of Err or
// of Done.
func TestCancelAfterCloses(t *testing.T) {
	closed := func(done <-chan struct{}) bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	c := ctxtest.CancelAfter(t.Context(), 20)
	done := c.Done()
	below, stop := context.WithCancel(c)
	defer stop()
	for c.Polls() < 20 {
		if err := c.Err(); err != nil || closed(done) || closed(below.Done()) {
			t.Fatalf("%v at poll %d; closed %t, child %t", err, c.Polls(), closed(done), closed(below.Done()))
		}
	}
	if err := c.Err(); err == nil || !closed(done) || !closed(below.Done()) {
		t.Errorf("%v at poll %d; closed %t, child %t", err, c.Polls(), closed(done), closed(below.Done()))
	}
	if c := ctxtest.CancelAfter(t.Context(), 1); closed(c.Done()) || !closed(c.Done()) {
		t.Error("Done returns a closed channel at the first poll, or an open one at the second")
	}
}

// If many goroutines poll, exactly n polls return nil.
func TestCancelAfterConcurrently(t *testing.T) {
	const each, n = 200, 333
	c := ctxtest.CancelAfter(t.Context(), n)
	var well atomic.Int64
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range each {
				if c.Err() == nil {
					well.Add(1)
				}
			}
		})
	}
	wait.Wait()
	if well.Load() != n || c.Polls() != 4*each || c.LatePolls() != 4*each-n {
		t.Errorf("%d polls of %d return no error, %d late", well.Load(), c.Polls(), c.LatePolls())
	}
}

// Code that polls again to get the error receives it. Code that ignores the error is not cancelled again.
func TestCancelOnce(t *testing.T) {
	twice := func(ctx context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nil
	}
	for n := range 5 {
		c := ctxtest.CancelOnce(t.Context(), n)
		err, steps := error(nil), 0
		for ; steps < 4 && err == nil; steps++ {
			err = twice(c)
		}
		if n < 4 && (!errors.Is(err, context.Canceled) || steps != n+1) || n == 4 && err != nil {
			t.Errorf("cancelled at poll %d only: %v after %d steps", n, err, steps)
		}
		if err := twice(c); err != nil && n < 4 {
			t.Errorf("cancelled at poll %d only, later: %v", n, err)
		}
		select {
		case <-ctxtest.CancelOnce(t.Context(), 1).Done():
			t.Error("Done is closed at the first poll")
		case <-ctxtest.CancelOnce(t.Context(), 0).Done():
		}
	}
}
