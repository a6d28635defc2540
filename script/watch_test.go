package script

import (
	"errors"
	"testing"

	"dpworkbench/internal/memory"
)

// limitMemory limits the memory during a test.
func limitMemory(t *testing.T, bytes int64) {
	t.Helper()
	previous := memory.SetLimit(bytes)
	t.Cleanup(func() { memory.SetLimit(previous) })
}

// A chunk may use its whole allowance, and a little more if more was in use before it began. Without a limit nothing
// is watched.
func TestWatchAllows(t *testing.T) {
	s := &Session{}
	for _, limit := range []int64{0, memory.Unlimited} {
		limitMemory(t, limit)
		s.watchMemory(nil)()
		if w := s.watching.Load(); w != nil {
			t.Errorf("limit %d: watched", limit)
		}
	}
	for _, limit := range []int64{1, 1 << 50} {
		limitMemory(t, limit)
		before := memory.InUse()
		end := s.watchMemory(func(error) {})
		w := s.watching.Load()
		if limit == 1<<50 && w.allowed != limit || limit == 1 && w.allowed < min(before, memory.InUse())/4 || w.limit != limit {
			t.Errorf("limit %d: %d bytes are allowed, and %d are in use", limit, w.allowed, before)
		}
		if end(); s.watching.Load() != nil {
			t.Error("still watched")
		}
	}
}

// A computation that exceeds its memory is stopped once, under a lock, and abandoned if it reaches twice the limit.
func TestWatchStopsOnce(t *testing.T) {
	for _, c := range []struct {
		allowed int64
		stopped int
		ended   int
	}{{1, 1, 2}, {memory.Unlimited / 4, 0, 0}} {
		stopped, ended := 0, 0
		w := &watch{limit: 7, allowed: c.allowed}
		held := func(count *int) func(error) {
			return func(err error) {
				if *count++; w.mu.TryLock() {
					t.Error("the lock is not held")
				}
				var room *memory.Error
				if !errors.As(err, &room) || room.Limit != 7 || room.What != "the computation" {
					t.Errorf("error %v", err)
				}
			}
		}
		w.stop, w.exhausted = held(&stopped), held(&ended)
		for range 3 {
			w.check()
		}
		if stopped != c.stopped || ended != c.ended {
			t.Errorf("%d bytes: stopped %d times and ended %d times, want %d and %d", c.allowed, stopped, ended, c.stopped, c.ended)
		}
	}
	silent := &watch{allowed: 1, stop: func(error) {}}
	for range 3 {
		silent.check()
	}
}
