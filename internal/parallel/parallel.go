// Package parallel runs work on all processors.
//
// Work is divided into numbered pieces, taken in order by as many workers as there are processors
// (runtime.GOMAXPROCS). Results must not depend on which worker takes a piece, or when. A piece writes to
// locations of its own, and sums over pieces are computed afterwards, in their order.
//
// All functions here end in the same way:
//
//   - A piece that returns an error ends the work. The pieces before it, which have all been taken already, are
//     finished; those after it may be skipped. The error returned is that of the first piece, by number, that fails:
//     the same in every run.
//   - A piece that panics fails with a [*Fault]. In a goroutine of its own a panic would end the process.
//   - If the context ends, no more pieces are taken. The context's error is returned unless a piece has failed or
//     all were done. A piece that takes long polls the context itself, and returns its error.
//
// Only Interruptible may return before its work has ended.
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

// Chunks calls work(first, last) for the pieces first … last−1 of 0 … n−1. Pieces have size items, and the last may
// have fewer. size is positive.
func Chunks(ctx context.Context, n, size int, work func(first, last int) error) error {
	return Workers(ctx, n, size, func() func(first, last int) error { return work })
}

// Workers is Chunks for workers with private state, such as scratch memory that its pieces reuse. worker is called
// once in each goroutine, and returns the function that processes pieces.
func Workers(ctx context.Context, n, size int, worker func() func(first, last int) error) error {
	return run(ctx, runtime.GOMAXPROCS(0), n, size, func(int) func(first, last int) error { return worker() })
}

// Gather is Workers in which every worker has a T of its own to accumulate into. Each T starts as the zero value, and
// Gather returns all of them, including unused ones. The combined result must not depend on which worker took which
// piece.
func Gather[T any](ctx context.Context, n, size int, worker func(own *T) func(first, last int) error) ([]T, error) {
	all := make([]T, runtime.GOMAXPROCS(0))
	return all, run(ctx, len(all), n, size, func(w int) func(first, last int) error { return worker(&all[w]) })
}

// AtOnce calls work(i) for 0 ≤ i < n concurrently, regardless of the number of processors: for work that waits.
func AtOnce(ctx context.Context, n int, work func(i int) error) error {
	return run(ctx, n, n, 1, func(int) func(int, int) error { return func(i, _ int) error { return work(i) } })
}

// Interruptible runs f in its own goroutine and returns its result, or the context's error as soon as there is one. f
// may then still be inside a large factorization, which ends by itself. So nothing that f reads may be written to
// afterwards.
func Interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var value, none T
	done := make(chan error, 1)
	go func() {
		done <- Guard(func() (err error) {
			value, err = f()
			return err
		})
	}()
	select {
	case err := <-done:
		return value, err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// run does the work with at most the given number of workers, and tells each its index.
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

// pool is the state of one call of run.
type pool struct {
	items, size, pieces int
	next, done          atomic.Int64 // pieces
	failed              atomic.Bool

	mu  sync.Mutex
	err error // of the first piece that failed
	at  int   // its number
}

// work takes pieces as worker number w until none is left, a piece fails or the context ends.
func (p *pool) work(ctx context.Context, w int, worker func(w int) func(first, last int) error) {
	piece := -1 // a panic of worker itself counts as before all pieces
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

// Fault is a panic in a goroutine where no caller can recover it: a bug in the program, not in its input.
type Fault struct {
	Value any    // the argument of panic
	Stack []byte // the stack of the goroutine that panicked
}

// Error returns the argument of panic, without the stack.
func (f *Fault) Error() string { return fmt.Sprintf("internal error: %v", f.Value) }

// Unwrap returns the argument of panic if that is an error, such as a [runtime.Error].
func (f *Fault) Unwrap() error {
	err, _ := f.Value.(error)
	return err
}

// Guard returns the error of f, or a [*Fault] if f panics. If f panics with a Fault, it is returned unchanged, with
// its first stack.
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

// Progress receives progress reports: done steps of total (0 if unknown), and a description of the current step, or
// "". Each part of the work counts from 0 again. It may be called from several goroutines at once, and often, so it
// must return quickly.
type Progress func(done, total int64, what string)

type progressKey struct{}

// WithProgress returns a context in which work reports its progress to hear; with nil it is not reported. No function
// takes a Progress as an argument: long work finds it in its context.
func WithProgress(ctx context.Context, hear Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, hear)
}

func heard(ctx context.Context) Progress {
	hear, _ := ctx.Value(progressKey{}).(Progress)
	return hear
}

// Report sends a progress report to the context's Progress. If there is none, the description is not formatted.
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

type partialKey struct{}

// WithPartial returns a context in which ReportPartial can store an error.
func WithPartial(ctx context.Context) context.Context {
	return context.WithValue(ctx, partialKey{}, new(atomic.Pointer[error]))
}

// ReportPartial stores the error with which the work would end if it stopped now, in a context made by WithPartial; nil
// removes it.
func ReportPartial(ctx context.Context, err error) {
	if last, ok := ctx.Value(partialKey{}).(*atomic.Pointer[error]); ok {
		last.Store(&err)
	}
}

// Partial returns the error that ReportPartial stored last, for a caller that cannot wait until the work has stopped.
func Partial(ctx context.Context) error {
	if last, ok := ctx.Value(partialKey{}).(*atomic.Pointer[error]); ok && last.Load() != nil {
		return *last.Load()
	}
	return nil
}

// Count returns a function that counts steps done and reports their number, out of total, to the context's Progress.
// The reported number never falls. Several goroutines may call the function.
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
