package looks

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

// Interrupted ends the context of do at many of its polls, one after the other. Each time do must return the
// context's error as given to one of the functions that were running when it ended: code that polls later has
// started new work.
func Interrupted(t testing.TB, name string, do func(ctx context.Context) (result any, err error)) {
	t.Helper()
	whole := tellingAfter(t.Context(), math.MaxInt)
	if _, err := do(whole); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	last := whole.Looks()
	if last == 0 {
		t.Errorf("%s asks nothing", name)
	}
	at := []int{last}
	for n := 1; n < last; n += 1 + n/2 {
		if at = append(at, n); last < 600 {
			at = append(at, last-n)
		} else {
			n *= 4 // later polls take longer to reach
		}
	}
	for _, n := range at {
		c := tellingAfter(t.Context(), n-1)
		v, err := do(c)
		var by told
		if !errors.As(err, &by) || !c.atWork(string(by)) || fmt.Sprint(v) != "<nil>" {
			t.Errorf("%s, ended at look %d of %d: %v, error %v", name, n, last, v, err)
		}
	}
}

// telling is a context that records which function polls it after it has ended.
type telling struct {
	*Ending
	lock  sync.Mutex
	first map[string]bool // the functions that were at work when it ended
}

func tellingAfter(ctx context.Context, n int) *telling {
	c := &telling{Ending: After(ctx, n)}
	c.ends = func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.first = map[string]bool{}
		for _, f := range callers() {
			c.first[f] = true
		}
	}
	return c
}

func (c *telling) atWork(name string) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.first[name]
}

func (c *telling) Err() error {
	if c.over() {
		return told(callers()[0])
	}
	return c.parent.Err()
}

// Done returns a channel that closes when the context ends. It does not count as a poll: code that waits for
// another goroutine may ask for it at any time.
func (c *telling) Done() <-chan struct{} { return c.Context.Done() }

// told is the error that a function is given.
type told string

func (by told) Error() string        { return "told to " + string(by) }
func (by told) Is(target error) bool { return target == context.Canceled }

// callers returns the running functions, starting from the one that polls. A closure counts as its enclosing
// function.
func callers() (names []string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		name, _, _ := strings.Cut(f.Function, ".func")
		if len(names) > 0 || !strings.Contains(name, "internal/looks.(*") && !strings.HasSuffix(name, "internal/looks.tellingAfter") {
			names = append(names, name)
		}
	}
	return names
}
