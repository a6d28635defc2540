package parallel_test

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

	"dpworkbench/internal/parallel"
)

// onProcessors runs a test with one processor and with several.
func onProcessors(t *testing.T, test func(t *testing.T)) {
	for _, n := range []int{1, 2, 7} {
		t.Run(fmt.Sprintf("processors=%d", n), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			test(t)
		})
	}
}

// Every item is processed exactly once, in pieces of the requested size.
func TestChunks(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 10, 1000} {
			for _, size := range []int{1, 2, 3, 7, 1000, 1 << 62} {
				times := make([]int, n)
				err := parallel.Chunks(t.Context(), n, size, func(first, last int) error {
					if first%size != 0 || last != n && last-first != size || last > n || first >= last {
						return fmt.Errorf("the piece %d … %d", first, last-1)
					}
					for i := first; i < last; i++ {
						times[i]++
					}
					return nil
				})
				if err != nil {
					t.Fatalf("%d items by %d: %v", n, size, err)
				}
				if slices.ContainsFunc(times, func(k int) bool { return k != 1 }) {
					t.Fatalf("%d items in blocks of %d were processed %v times", n, size, times)
				}
			}
		}
	})
}

// If several pieces fail, the error of the first piece is returned, however late it occurs.
func TestFirstError(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		for range 200 {
			later := make(chan struct{})
			var once sync.Once
			err := parallel.Each(t.Context(), 100, func(i int) error {
				switch {
				case i == 40 && runtime.GOMAXPROCS(0) > 1:
					<-later // wait until a later piece fails
				case i > 40:
					once.Do(func() { close(later) })
				case i < 40:
					return nil
				}
				return fmt.Errorf("piece %d", i)
			})
			if err == nil || err.Error() != "piece 40" {
				t.Fatalf("the error is %v, want that of piece 40", err)
			}
		}
	})
}

// A panic becomes an error with its message and the stack of its goroutine.
func TestFault(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		var fault *parallel.Fault
		err := parallel.Each(t.Context(), 100, func(i int) error { return explode(i) })
		if !errors.As(err, &fault) || err.Error() != "internal error: piece 3" || !strings.Contains(string(fault.Stack), "explode") {
			t.Errorf("the error is %v, want the fault of piece 3 with its stack", err)
		}
		again := parallel.Guard(func() error { panic(fault) })
		if again != error(fault) {
			t.Errorf("panicking with a fault again gives %v", again)
		}
		err = parallel.Workers(t.Context(), 5, 1, func() func(int, int) error { panic("no worker") })
		if !errors.As(err, &fault) {
			t.Errorf("a panic while making a worker gives %v", err)
		}
		err = parallel.Each(t.Context(), 3, func(i int) error { _ = make([]int, 1)[i]; return nil })
		var bug runtime.Error
		if !errors.As(err, &bug) {
			t.Errorf("an index out of range gives %v", err)
		}
	})
}

func explode(i int) error {
	if i >= 3 {
		panic(fmt.Sprintf("piece %d", i))
	}
	return nil
}

// Cancellation stops the work. The context's error is returned only if some work is left.
func TestCancelled(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var done atomic.Int64
		err := parallel.Each(ctx, 1000, func(i int) error {
			if done.Add(1); i == 10 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || done.Load() > 11+int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("%d pieces are done, and the error is %v", done.Load(), err)
		}
		if err := parallel.Each(ctx, 1, func(int) error { t.Error("begun"); return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("work after cancellation gives %v", err)
		}
		last, end := context.WithCancel(t.Context())
		if err := parallel.Each(last, 1, func(int) error { end(); return nil }); err != nil {
			t.Errorf("finished work gives %v", err)
		}
	})
}

// Interruptible returns at cancellation, even if the function does not poll. A panic becomes an error.
func TestInterruptible(t *testing.T) {
	if v, err := parallel.Interruptible(t.Context(), func() (int, error) { return 3, nil }); v != 3 || err != nil {
		t.Errorf("%d, %v, want 3", v, err)
	}
	var fault *parallel.Fault
	if _, err := parallel.Interruptible(t.Context(), func() (int, error) { panic("x") }); !errors.As(err, &fault) {
		t.Errorf("a panic gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	deaf := make(chan struct{})
	_, err := parallel.Interruptible(ctx, func() (int, error) {
		cancel()
		<-deaf
		return 1, nil
	})
	close(deaf)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestWorkers(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		var made atomic.Int64
		counts := make([]int, 500)
		err := parallel.Workers(t.Context(), len(counts), 3, func() func(int, int) error {
			made.Add(1)
			own := 0 // races if two workers share it
			return func(first, last int) error {
				own += last - first
				counts[first] = own
				return nil
			}
		})
		if err != nil || made.Load() > int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("%d workers on %d processors, and the error %v", made.Load(), runtime.GOMAXPROCS(0), err)
		}
	})
}

// AtOnce runs all pieces concurrently: each waits for the others.
func TestAtOnce(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		var all sync.WaitGroup
		all.Add(20)
		err := parallel.AtOnce(t.Context(), 20, func(i int) error {
			all.Done()
			all.Wait()
			if i >= 5 {
				return fmt.Errorf("worker %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "worker 5" {
			t.Errorf("the error is %v, want that of worker 5", err)
		}
	})
}

// Gather returns all results of the workers, for few pieces, many and none.
func TestGather(t *testing.T) {
	onProcessors(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 1000} {
			all, err := parallel.Gather(t.Context(), n, 2, func(own *[]int) func(first, last int) error {
				return func(first, last int) error {
					for i := first; i < last; i++ {
						*own = append(*own, i)
					}
					return nil
				}
			})
			got := slices.Concat(all...)
			slices.Sort(got)
			if err != nil || len(all) != runtime.GOMAXPROCS(0) || len(got) != n || n > 0 && (got[0] != 0 || got[n-1] != n-1 || len(slices.Compact(got)) != n) {
				t.Errorf("%d items: gathered %d from %d workers, %v", n, len(got), len(all), err)
			}
		}
		if _, err := parallel.Gather(t.Context(), 9, 2, func(*int) func(int, int) error { return func(first, _ int) error { return explode(first) } }); err == nil {
			t.Error("the error of a failed piece is lost")
		}
	})
}
