// Package looks injects context errors in tests: at each place that polls, after a number of polls, or such that
// the recipient is identified.
package looks

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

// Each runs do once for every place that polls its context for an error, identified by its call stack, with a context
// that has ended for that one poll. do must return [context.Canceled] each time, because no later poll notices. It
// returns the number of places, and fails the test if they are fewer than least.
func Each(t testing.TB, least int, do func(ctx context.Context) error) (places int) {
	t.Helper()
	all := &look{Context: context.Background(), seen: map[string]bool{}}
	if err := do(all); err != nil {
		t.Errorf("%v, where nothing ends", err)
		return 0
	}
	for _, place := range all.places {
		if err := do(&look{Context: context.Background(), seen: map[string]bool{}, end: place.calls}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, where the context ends at a look of %s", err, place.at)
		}
	}
	if len(all.places) < least {
		t.Errorf("%d places look at the context, want at least %d", len(all.places), least)
	}
	return len(all.places)
}

// place is one that looks at a context.
type place struct{ calls, at string }

// look is a context that has ended for the first poll of one place, and for the code below it, which returns its
// error.
type look struct {
	context.Context
	end string

	lock     sync.Mutex
	seen     map[string]bool
	places   []place
	function string
	line     int
	stays    bool // stays ended: workers and solvers stop and are asked for the reason later
}

func (l *look) Err() error {
	pcs := make([]uintptr, 12)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	calls, first := "", runtime.Frame{}
	for {
		f, more := frames.Next()
		if !more || strings.HasSuffix(f.Function, "internal/looks.Each") {
			break
		}
		if first.PC == 0 {
			first = f
		}
		calls += fmt.Sprint(f.Function, ":", f.Line, " ")
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	inside, _, _ := strings.Cut(first.Function, ".func") // a closure counts as its enclosing function
	if l.stays || l.function == inside && first.Line > l.line && first.Line <= l.line+2 {
		return context.Canceled
	}
	if l.seen[calls] {
		return nil
	}
	l.seen[calls] = true
	l.places = append(l.places, place{calls, fmt.Sprint(first.Function, ":", first.Line)})
	if calls != l.end {
		return nil
	}
	l.function, l.line = inside, first.Line
	l.stays = strings.Contains(first.Function, "internal/parallel.") || strings.Contains(first.Function, "optimize/lp.")
	return context.Canceled
}

// Ending is a context that ends by being polled. Calls of Err and of Done are polls. It is safe for concurrent use.
type Ending struct {
	context.Context // ends at the first poll that finds it ended
	parent          context.Context
	end             context.CancelFunc
	n               int64
	blinks          bool
	ends            func() // called by that poll, before any other can see the end
	looks           atomic.Int64
}

// After returns a context that ends after n polls: n polls find it as ctx is, all others find it ended.
func After(ctx context.Context, n int) *Ending {
	c := &Ending{parent: ctx, n: int64(n)}
	c.Context, c.end = context.WithCancel(ctx)
	return c
}

// Blink returns a context that has ended for two polls only, after n others: the code that finds the end may poll
// again for the error.
func Blink(ctx context.Context, n int) *Ending {
	c := After(ctx, n)
	c.blinks = true
	return c
}

// Looks returns how many looks were made.
func (c *Ending) Looks() int { return int(c.looks.Load()) }

// Late returns the number of polls after the first n.
func (c *Ending) Late() int { return int(max(0, c.looks.Load()-c.n)) }

// over polls, and reports whether the context has ended.
func (c *Ending) over() bool {
	late := c.looks.Add(1) - c.n
	if late == 1 {
		if c.ends != nil {
			c.ends()
		}
		c.end()
	}
	if c.blinks {
		return late == 1 || late == 2
	}
	return late > 0
}

// Err returns [context.Canceled] from the poll on that ends the context.
func (c *Ending) Err() error {
	if c.over() {
		return context.Canceled
	}
	return c.parent.Err()
}

// Done returns a channel that closes at the poll that ends the context, which may be this one.
func (c *Ending) Done() <-chan struct{} {
	if !c.over() && c.blinks {
		return c.parent.Done()
	}
	return c.Context.Done()
}
