// Package looks ends contexts by their being looked at, for tests: at each place that asks,
// after a number of looks, and so that who is told is known.
package looks

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Each runs do once for every place that asks its context for an error, by the calls
// that lead there, with a context that has ended for that one look alone: do has to
// return [context.Canceled] each time, as nobody else will notice. It returns how
// many places there are, and fails where they are fewer than least.
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

// look is a context that has ended for the first look of one place, and for the
// lines below it, which return what it gave.
type look struct {
	context.Context
	end string

	lock     sync.Mutex
	seen     map[string]bool
	places   []place
	function string
	line     int
	stays    bool // ended for good, as workers and solvers just stop, and are asked why
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
	inside, _, _ := strings.Cut(first.Function, ".func") // a closure is the function that it stands in
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
