package looks

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// loops looks once for each of n steps, and makes no step where it is over.
func loops(ctx context.Context, n int) (steps int, err error) {
	for range n {
		if err := ctx.Err(); err != nil {
			return steps, err
		}
		steps++
	}
	return steps, nil
}

// What obeys its context makes as many steps as it has looks, and no look more than the
// one that ends it; what goes on, or looks too seldom, is seen by the counts.
func TestAfter(t *testing.T) {
	for n := range 12 {
		c := After(t.Context(), n)
		steps, err := loops(c, 10)
		if n < 10 && (!errors.Is(err, context.Canceled) || steps != n || c.Looks() != n+1 || c.Late() != 1) {
			t.Errorf("over after %d looks: %d steps, %v, %d looks, %d late", n, steps, err, c.Looks(), c.Late())
		}
		if n >= 10 && (err != nil || c.Looks() != 10 || c.Late() != 0) {
			t.Errorf("over after %d looks: %v, %d looks, %d late, in 10 steps", n, err, c.Looks(), c.Late())
		}
	}
	deaf := After(t.Context(), 3)
	for range 10 {
		_ = deaf.Err()
	}
	if deaf.Looks() != 10 || deaf.Late() != 7 {
		t.Errorf("what goes on looks %d times, %d of them late, want 10 and 7", deaf.Looks(), deaf.Late())
	}
	seldom := After(t.Context(), 3)
	if _, err := loops(seldom, 2); err != nil || seldom.Late() != 0 {
		t.Errorf("what looks twice: %v, %d late", err, seldom.Late())
	}
	below, end := context.WithCancel(t.Context())
	c := After(below, math.MaxInt)
	if end(); !errors.Is(c.Err(), context.Canceled) || c.Late() != 0 {
		t.Errorf("%v, where the context above has ended", c.Err())
	}
	past, end := context.WithDeadline(t.Context(), time.Time{})
	defer end()
	if c := After(past, 1); !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(c.Err(), context.Canceled) {
		t.Error("what the context above says is lost, or stays")
	}
}

// To ask for the channel is a look too, and the channel closes with the last look,
// whichever it is; so do the contexts below.
func TestAfterCloses(t *testing.T) {
	closed := func(done <-chan struct{}) bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	c := After(t.Context(), 20)
	done := c.Done()
	below, stop := context.WithCancel(c)
	defer stop()
	for c.Looks() < 20 {
		if err := c.Err(); err != nil || closed(done) || closed(below.Done()) {
			t.Fatalf("%v at look %d; closed %t, below %t", err, c.Looks(), closed(done), closed(below.Done()))
		}
	}
	if err := c.Err(); err == nil || !closed(done) || !closed(below.Done()) {
		t.Errorf("%v at look %d; closed %t, below %t", err, c.Looks(), closed(done), closed(below.Done()))
	}
	if c := After(t.Context(), 1); closed(c.Done()) || !closed(c.Done()) {
		t.Error("the second to ask for the channel finds it open, or the first closed")
	}
}

// Of many goroutines that look, the first n looks find it well.
func TestAfterForMany(t *testing.T) {
	const each, n = 200, 333
	c := After(t.Context(), n)
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
	if well.Load() != n || c.Looks() != 4*each || c.Late() != 4*each-n {
		t.Errorf("%d looks of %d find it well, %d late", well.Load(), c.Looks(), c.Late())
	}
}

// What looks again for the error is given it, and what forgets it is not told again.
func TestBlink(t *testing.T) {
	twice := func(ctx context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nil
	}
	for n := range 5 {
		c := Blink(t.Context(), n)
		err, steps := error(nil), 0
		for ; steps < 4 && err == nil; steps++ {
			err = twice(c)
		}
		if n < 4 && (!errors.Is(err, context.Canceled) || steps != n+1) || n == 4 && err != nil {
			t.Errorf("over at look %d alone: %v after %d steps", n, err, steps)
		}
		if err := twice(c); err != nil && n < 4 {
			t.Errorf("over at look %d alone, and later: %v", n, err)
		}
		select {
		case <-Blink(t.Context(), 1).Done():
			t.Error("closed at once")
		case <-Blink(t.Context(), 0).Done():
		}
	}
}
