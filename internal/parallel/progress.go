package parallel

import (
	"context"
	"fmt"
	"sync"
)

// Progress hears how far long work has come: done steps of total, 0 where it is not
// known how many there will be, and what is being done or known so far, "" where the
// numbers say it all. Work made of parts counts each part anew. It is called from
// any goroutine, from several at once, and often, so it returns at once.
type Progress func(done, total int64, what string)

type progressKey struct{}

// WithProgress returns a context whose work is heard by hear. Whoever does long work
// finds it there: no function takes it as an argument.
func WithProgress(ctx context.Context, hear Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

// Report tells whoever hears of the context's work how far it has come. What is
// said, a format and its arguments, is written only where somebody hears.
func Report(ctx context.Context, done, total int64, what string, args ...any) {
	hear, ok := ctx.Value(progressKey{}).(Progress)
	if !ok {
		return
	}
	if len(args) > 0 {
		what = fmt.Sprintf(what, args...)
	}
	hear(done, total, what)
}

// Count returns a function that adds to the steps done, of total, and reports their
// number, which never falls. Several goroutines may call it.
func Count(ctx context.Context, total int64, what string) func(steps int64) {
	hear, ok := ctx.Value(progressKey{}).(Progress)
	if !ok {
		return func(int64) {}
	}
	var mu sync.Mutex
	done := int64(0)
	return func(steps int64) {
		mu.Lock()
		defer mu.Unlock()
		done += steps
		hear(done, total, what)
	}
}
