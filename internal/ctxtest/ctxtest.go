// Package ctxtest provides contexts for tests of cancellation. They are cancelled at each place that polls, after a
// number of polls, or such that the error names the function that polled.
package ctxtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// EachPoll runs do once for every place that polls its context for an error, identified by its call stack, with a context
// that has ended for that one poll. do must return [context.Canceled] each time, because no later poll notices. It
// returns the number of places, and fails the test if they are fewer than least.
func EachPoll(t testing.TB, least int, do func(ctx context.Context) error) (places int) {
	t.Helper()
	all := &pollRecorder{seen: map[calls]bool{}}
	// The first run, without an end, finds the places. All runs call do here, so that their stacks are alike.
	for run := 0; run <= len(all.places); run++ {
		ctx := all
		if run > 0 {
			ctx = &pollRecorder{seen: map[calls]bool{}, end: &all.places[run-1]}
		}
		ctx.Context = context.Background()
		err := do(ctx)
		if run == 0 && err != nil {
			t.Errorf("%v without cancellation", err)
			return 0
		}
		if run > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled: cancelled at the poll in %s", err, ctx.end.at())
		}
	}
	if len(all.places) < least {
		t.Errorf("%d places poll the context, want at least %d", len(all.places), least)
	}
	return len(all.places)
}

// calls is a call stack, the innermost function first.
type calls [24]uintptr

func (c *calls) innermost() runtime.Frame {
	f, _ := runtime.CallersFrames(c[:]).Next()
	return f
}

func (c *calls) at() string {
	f := c.innermost()
	return fmt.Sprint(f.Function, ":", f.Line)
}

// pollRecorder records the places that poll it. It is cancelled for the first poll of one place, and for the next two
// lines there, which may poll again for the error.
type pollRecorder struct {
	context.Context
	end *calls

	lock     sync.Mutex
	seen     map[calls]bool
	places   []calls
	function string // that of the end, once it has polled
	line     int
	stays    bool // stays cancelled: workers and solvers are asked for the reason later
}

func (l *pollRecorder) Err() error {
	var c calls
	runtime.Callers(2, c[:])
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.stays {
		return context.Canceled
	}
	if l.function != "" {
		f := c.innermost()
		if l.function == inside(f) && f.Line > l.line && f.Line <= l.line+2 {
			return context.Canceled
		}
	}
	if l.seen[c] {
		return nil
	}
	l.seen[c] = true
	l.places = append(l.places, c)
	if l.end == nil || c != *l.end {
		return nil
	}
	f := c.innermost()
	l.function, l.line = inside(f), f.Line
	l.stays = strings.Contains(f.Function, "internal/parallel.") || strings.Contains(f.Function, "optimize/lp.")
	return context.Canceled
}

// inside returns the function of a frame. A closure counts as its enclosing function.
func inside(f runtime.Frame) string {
	function, _, _ := strings.Cut(f.Function, ".func")
	return function
}

// Context is cancelled after a number of polls. Calls of Err and of Done are polls. It is safe for concurrent use.
type Context struct {
	context.Context // done from poll n + 1 on
	parent          context.Context
	cancel          context.CancelFunc
	n               int64
	once            bool   // cancelled for polls n + 1 and n + 2 only
	onCancel        func() // called by poll n + 1, before the context is done
	polls           atomic.Int64
}

// CancelAfter returns a context that is cancelled after n polls. The first n polls return the state of ctx.
func CancelAfter(ctx context.Context, n int) *Context {
	c := &Context{parent: ctx, n: int64(n)}
	c.Context, c.cancel = context.WithCancel(ctx)
	return c
}

// CancelOnce returns a context that is cancelled for two polls only, after n others. The second one is for code that
// polls again for the error.
func CancelOnce(ctx context.Context, n int) *Context {
	c := CancelAfter(ctx, n)
	c.once = true
	return c
}

// Polls returns the number of polls.
func (c *Context) Polls() int { return int(c.polls.Load()) }

// LatePolls returns the number of polls after the first n.
func (c *Context) LatePolls() int { return int(max(0, c.polls.Load()-c.n)) }

// poll counts a poll, and reports whether it finds the context cancelled.
func (c *Context) poll() bool {
	late := c.polls.Add(1) - c.n
	if late == 1 {
		if c.onCancel != nil {
			c.onCancel()
		}
		c.cancel()
	}
	if c.once {
		return late == 1 || late == 2
	}
	return late > 0
}

// Err polls. It returns [context.Canceled] if the context is cancelled.
func (c *Context) Err() error {
	if c.poll() {
		return context.Canceled
	}
	return c.parent.Err()
}

// Done polls. It returns a channel that closes at poll n + 1, which may be this one.
func (c *Context) Done() <-chan struct{} {
	if !c.poll() && c.once {
		return c.parent.Done()
	}
	return c.Context.Done()
}
