// Package ctxtest provides contexts for tests of cancellation. Some are cancelled at one place that polls, some after a
// number of polls, and the errors of some name the function that polled.
package ctxtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
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
	// The first run, without cancellation, finds the places. All runs call do on the same line, so that their stacks
	// are equal.
	ctx := Record(context.Background())
	var all []Place
	for run := 0; run <= len(all); run++ {
		if run > 0 {
			ctx = EndAt(context.Background(), all[run-1])
		}
		err := do(ctx)
		if run == 0 {
			if err != nil {
				t.Errorf("%v without cancellation", err)
				return 0
			}
			all = ctx.Places()
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled: cancelled at the poll in %s", err, all[run-1])
		}
	}
	if len(all) < least {
		t.Errorf("%d places poll the context, want at least %d", len(all), least)
	}
	return len(all)
}

// Place is a place that polls a context: its call stack, the innermost function first.
type Place [24]uintptr

func (p Place) innermost() runtime.Frame {
	f, _ := runtime.CallersFrames(p[:]).Next()
	return f
}

// String returns the function that polls, and the line.
func (p Place) String() string {
	f := p.innermost()
	return fmt.Sprint(f.Function, ":", f.Line)
}

// Recorder is a context that records the places that poll it for an error. It may be cancelled at the first poll of one
// place, and within the next two lines there, since code may poll again for the error.
type Recorder struct {
	context.Context
	end *Place

	lock     sync.Mutex
	seen     map[Place]bool
	places   []Place
	function string // the function that contains end, once end has polled
	line     int
	stays    bool // cancelled from then on, as workers and solvers ask for the reason later
}

// Record returns a context with the state of parent that records its places.
func Record(parent context.Context) *Recorder {
	return &Recorder{Context: parent, seen: map[Place]bool{}}
}

// EndAt returns a recorder that is cancelled at the given place.
func EndAt(parent context.Context, place Place) *Recorder {
	r := Record(parent)
	r.end = &place
	return r
}

// Places returns the places that have polled so far, in order.
func (r *Recorder) Places() []Place {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.places)
}

// Ended reports whether the place given to EndAt has polled.
func (r *Recorder) Ended() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.function != ""
}

// Err returns [context.Canceled] at the place given to EndAt, and elsewhere the error of the parent.
func (r *Recorder) Err() error {
	var p Place
	runtime.Callers(2, p[:])
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.stays {
		return context.Canceled
	}
	if r.function != "" {
		f := p.innermost()
		if r.function == inside(f) && f.Line > r.line && f.Line <= r.line+2 {
			return context.Canceled
		}
	}
	if r.seen[p] {
		return r.Context.Err()
	}
	r.seen[p] = true
	r.places = append(r.places, p)
	if r.end == nil || p != *r.end {
		return r.Context.Err()
	}
	f := p.innermost()
	r.function, r.line = inside(f), f.Line
	r.stays = strings.Contains(f.Function, "internal/parallel.") || strings.Contains(f.Function, "optimize/lp.")
	return context.Canceled
}

// inside returns the name of a frame's function. A closure counts as its enclosing function.
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

// CancelOnce returns a context that is cancelled for polls n + 1 and n + 2 only. The second of them is for code that
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
