package ctxtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// StopsPromptly runs do many times and cancels its context at a different poll each time. The error names the function
// that got it. do must return the error given to a function that was running at the first cancelled poll: the error of
// any other function shows that do started new work after the cancellation.
func StopsPromptly(t testing.TB, name string, do func(ctx context.Context) (result any, err error)) {
	t.Helper()
	whole := namingAfter(t.Context(), math.MaxInt)
	if _, err := do(whole); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	last := whole.Polls()
	if last == 0 {
		t.Errorf("%s never polls", name)
	}
	at := []int{last}
	for n := 1; n < last; n += 1 + n/2 {
		if at = append(at, n); last < 600 {
			at = append(at, last-n)
		} else {
			n *= 4 // then visit fewer polls: late ones take longer to reach
		}
	}
	for _, n := range at {
		c := namingAfter(t.Context(), n-1)
		v, err := do(c)
		var by calledBy
		if !errors.As(err, &by) || !c.wasRunning(string(by)) || fmt.Sprint(v) != "<nil>" {
			t.Errorf("%s, cancelled at poll %d of %d: %v, error %v", name, n, last, v, err)
		}
	}
}

// naming is a context whose error names the function that polled it.
type naming struct {
	*Context
	lock    sync.Mutex
	running map[string]bool // the functions on the stack at the poll that cancelled it
}

func namingAfter(ctx context.Context, n int) *naming {
	c := &naming{Context: CancelAfter(ctx, n)}
	c.onCancel = func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.running = map[string]bool{}
		for _, f := range callers() {
			c.running[f] = true
		}
	}
	return c
}

func (c *naming) wasRunning(name string) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.running[name]
}

func (c *naming) Err() error {
	if c.poll() {
		return calledBy(callers()[0])
	}
	return c.parent.Err()
}

// Done returns a channel that closes when the context is cancelled. It does not count as a poll: code that waits for
// another goroutine may ask for it at any time.
func (c *naming) Done() <-chan struct{} { return c.Context.Context.Done() }

// calledBy is the error that a poll returns: the name of the polling function.
type calledBy string

func (by calledBy) Error() string        { return "cancelled in " + string(by) }
func (by calledBy) Is(target error) bool { return target == context.Canceled }

// callers returns the running functions, starting from the one that polls. A closure counts as its enclosing
// function.
func callers() (names []string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		name, _, _ := strings.Cut(f.Function, ".func")
		if len(names) > 0 || !strings.Contains(name, "internal/ctxtest.(*") && !strings.HasSuffix(name, "internal/ctxtest.namingAfter") {
			names = append(names, name)
		}
	}
	return names
}
