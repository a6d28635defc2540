package query

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// chunkSize divides size items into chunks that balance well over processors
// and are small enough to stop promptly.
func chunkSize(size int) int {
	return min(max(size/(16*runtime.GOMAXPROCS(0)), 1), 512)
}

// inChunks divides 0 … size−1 into chunks and hands them, in any order, to
// functions made by worker, one for each processor. It returns early, with the
// context's error, where that is done. A panic of a worker, which in its own
// goroutine would end the process, is an error too.
func inChunks(ctx context.Context, size, chunk int, worker func() func(from, to int)) error {
	var next atomic.Int64
	var wait sync.WaitGroup
	var crash atomic.Pointer[error]
	for range min(runtime.GOMAXPROCS(0), (size+chunk-1)/chunk) {
		wait.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					err := fmt.Errorf("query: fault of a worker: %v\n%s", r, debug.Stack())
					crash.CompareAndSwap(nil, &err)
					next.Store(int64(size)) // the others stop
				}
			}()
			work := worker()
			for ctx.Err() == nil {
				to := int(next.Add(int64(chunk)))
				if to-chunk >= size {
					return
				}
				work(to-chunk, min(to, size))
			}
		})
	}
	wait.Wait()
	if err := crash.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}
