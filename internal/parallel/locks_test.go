package parallel

import (
	"errors"
	"sync"
	"testing"

	"dpworkbench/internal/locks"
)

// Workers record their errors under a lock, and Count reports steps one at a time.
func TestSharedStateIsLocked(t *testing.T) {
	p := &pool{items: 2, size: 1, pieces: 2}
	locks.Awaited(t, "a failure", &p.mu, func() {
		p.work(t.Context(), 0, func(int) func(int, int) error { return func(int, int) error { return errors.New("no luck") } })
	})
	if p.err == nil || p.at != 0 {
		t.Errorf("%v of piece %d", p.err, p.at)
	}
	told := &locks.Alone{TB: t, Caller: "parallel.Count.func"}
	all := int64(0)
	ctx := WithProgress(t.Context(), func(done, _ int64, _ string) { defer told.Enter()(); all = done })
	step := Count(ctx, 8, "steps")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { step(2) })
	}
	if wait.Wait(); all != 8 {
		t.Errorf("%d steps are reported, want 8", all)
	}
}
