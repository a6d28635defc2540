// Package parallel runs work on all processors.
//
// Work is numbered, and its pieces are taken in that order by as many workers as
// there are processors (runtime.GOMAXPROCS). Which worker takes a piece, and when,
// must not be seen in what the work computes: a piece writes to places of its own,
// and whoever sums over pieces does so afterwards, in their order.
//
// All functions here agree on how work ends:
//
//   - A piece that returns an error ends it. The pieces before it, which have all
//     been taken already, are finished, those behind it may be left out, and the
//     error returned is that of the first piece, by number, that fails: the same in
//     every run.
//   - A piece that panics fails with a [*Fault]. In a goroutine of its own a panic
//     would end the process.
//   - Where the context ends, no more pieces are taken, and unless one has failed the
//     context's error is returned; where all of them were done all the same, there
//     is none. A piece that takes long polls the context itself, and returns its error.
//
// No function returns before its workers have.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each calls work(i) for 0 ≤ i < n.
func Each(ctx context.Context, n int, work func(i int) error) error {
	return Chunks(ctx, n, 1, func(first, _ int) error { return work(first) })
}

// Chunks calls work(first, last) on 0 … n−1, cut into pieces first … last−1 of size
// items each, the last of fewer. size is positive.
func Chunks(ctx context.Context, n, size int, work func(first, last int) error) error {
	return Workers(ctx, n, size, func() func(first, last int) error { return work })
}

// Workers is Chunks where every worker keeps something to itself, such as memory that
// its pieces use one after the other: worker makes it, once in each goroutine, and
// returns what does the pieces.
func Workers(ctx context.Context, n, size int, worker func() func(first, last int) error) error {
	return run(ctx, runtime.GOMAXPROCS(0), n, size, func(int) func(first, last int) error { return worker() })
}

// Gather is Workers where every worker has a T of its own to add to: zero when the worker is made, and returned with
// those of the others when all is done. There is one for each worker that there may be, zero still where it was not
// needed. What is made of all of them must not depend on which worker took what.
func Gather[T any](ctx context.Context, n, size int, worker func(own *T) func(first, last int) error) ([]T, error) {
	all := make([]T, runtime.GOMAXPROCS(0))
	return all, run(ctx, len(all), n, size, func(w int) func(first, last int) error { return worker(&all[w]) })
}

// AtOnce calls work(i) for 0 ≤ i < n, all at the same time, however many processors
// there are: for work that waits for something else.
func AtOnce(ctx context.Context, n int, work func(i int) error) error {
	return run(ctx, n, n, 1, func(int) func(int, int) error { return func(i, _ int) error { return work(i) } })
}

// run has at most the given number of workers, each told which it is.
func run(ctx context.Context, workers, n, size int, worker func(w int) func(first, last int) error) error {
	p := pool{size: size, items: n, pieces: n / size}
	if n%size > 0 {
		p.pieces++
	}
	if p.pieces == 0 {
		return nil
	}
	if workers = min(workers, p.pieces); workers <= 1 {
		p.work(ctx, 0, worker)
	} else {
		var wait sync.WaitGroup
		for w := range workers {
			wait.Go(func() { p.work(ctx, w, worker) })
		}
		wait.Wait()
	}
	if p.err != nil {
		return p.err
	}
	if int(p.done.Load()) < p.pieces {
		return ctx.Err()
	}
	return nil
}

// pool is one piece of work for several workers.
type pool struct {
	items, size, pieces int
	next, done          atomic.Int64 // pieces
	failed              atomic.Bool

	mu  sync.Mutex
	err error // of the first piece that failed
	at  int   // its number
}

// work is one worker, the w-th.
func (p *pool) work(ctx context.Context, w int, worker func(w int) func(first, last int) error) {
	piece := -1 // none yet: a fault of worker itself comes before all
	err := Guard(func() error {
		do := worker(w)
		for !p.failed.Load() && ctx.Err() == nil {
			i := int(p.next.Add(1)) - 1
			if i >= p.pieces {
				return nil
			}
			piece = i
			if err := do(i*p.size, min(p.items, (i+1)*p.size)); err != nil {
				return err
			}
			p.done.Add(1)
		}
		return nil
	})
	if err == nil {
		return
	}
	p.failed.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil || piece < p.at {
		p.err, p.at = err, piece
	}
}

// Fault is a panic where nobody could have caught it: a fault of the program, not
// of what it was given.
type Fault struct {
	Value any    // what panic was called with
	Stack []byte // of the goroutine that did, for whoever looks for the fault
}

// Error names the panic. The stack is left out.
func (f *Fault) Error() string { return fmt.Sprintf("internal error: %v", f.Value) }

// Unwrap returns what panic was called with where that is an error, such as a
// [runtime.Error].
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// Guard returns the error of f, which is a [*Fault] where f panics. A fault that f
// passes on by a panic of its own is returned as it is, with its first stack.
func Guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			err = &Fault{r, debug.Stack()}
		}
	}()
	return f()
}

// Progress hears how far long work has come: done steps of total, 0 where it is not
// known how many there will be, and what is being done or known so far, "" where the
// numbers say it all. Work made of parts counts each part anew. It is called from
// any goroutine, from several at once, and often, so it returns at once.
type Progress func(done, total int64, what string)

type progressKey struct{}

// WithProgress returns a context whose work is heard by hear, or by nobody where that
// is nil: for the parts of work that reports how many of them are done. Whoever does
// long work finds it there: no function takes it as an argument.
func WithProgress(ctx context.Context, hear Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

func heard(ctx context.Context) Progress {
	hear, _ := ctx.Value(progressKey{}).(Progress)
	return hear
}

// Report tells whoever hears of the context's work how far it has come. What is
// said, a format and its arguments, is written only where somebody hears.
func Report(ctx context.Context, done, total int64, what string, args ...any) {
	hear := heard(ctx)
	if hear == nil {
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
	hear := heard(ctx)
	if hear == nil {
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
