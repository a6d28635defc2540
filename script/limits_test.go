package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"dpworkbench/internal/memory"
)

// tight bounds the memory by so many bytes for the time of a test.
func tight(t *testing.T, bytes int64) {
	t.Helper()
	previous := memory.SetLimit(bytes)
	t.Cleanup(func() { memory.SetLimit(previous) })
}

// Faults of many workers are all kept.
func TestCaughtTogether(t *testing.T) {
	s := &Session{}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if err := s.Caught("here", "broken"); err == nil {
				t.Error("a fault is no error")
			}
		})
	}
	wait.Wait()
	if len(s.Crashed) != 20 || !strings.HasPrefix(s.Crashed[7], "here: broken\n") {
		t.Errorf("%d faults are kept of 20", len(s.Crashed))
	}
}

// Text that is laid out asks for as much room as it takes, twice over while a buffer
// grows, and for little more.
func TestRoomForIndentedJSON(t *testing.T) {
	value := "[" + strings.Repeat(`{"a":[1,2],"b":{}},`, 60_000) + "0]"
	for _, c := range [][2]string{{"", ""}, {"", "    "}, {"//", "\t"}, {"a long prefix", ""}} {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(value), c[0], c[1]); err != nil {
			t.Fatal(err)
		}
		tight(t, 1)
		text, err := indentJSON([]byte(value), c[0], c[1])
		var room *memory.Error
		if !errors.As(err, &room) || text != "" {
			t.Fatalf("%q, %q: %v", c[0], c[1], err)
		}
		if n := float64(out.Len()); room.Bytes < 2*n || room.Bytes > 3*n+1e6 {
			t.Errorf("%q, %q: room for %v bytes is asked, of which %v are twice the text", c[0], c[1], room.Bytes, 2*n)
		}
		tight(t, memory.Unlimited)
		if text, err = indentJSON([]byte(value), c[0], c[1]); err != nil || text != out.String() {
			t.Errorf("%q, %q: %d bytes, %v, want %d", c[0], c[1], len(text), err, out.Len())
		}
	}
}

// A chunk may use what it is allowed in all, and where more is in use before it begins, a little more than that; none is
// watched where there is no bound.
func TestWatchAllows(t *testing.T) {
	s := &Session{}
	for _, limit := range []int64{0, memory.Unlimited} {
		tight(t, limit)
		s.watchMemory(nil)()
		if w := s.watching.Load(); w != nil {
			t.Errorf("bound %d: watched", limit)
		}
	}
	for _, limit := range []int64{1, 1 << 50} {
		tight(t, limit)
		before := memory.InUse()
		end := s.watchMemory(func(error) {})
		w := s.watching.Load()
		if limit == 1<<50 && w.allowed != limit || limit == 1 && w.allowed < min(before, memory.InUse())/4 || w.limit != limit {
			t.Errorf("bound %d: %d bytes are allowed, of which %d are in use", limit, w.allowed, before)
		}
		if end(); s.watching.Load() != nil {
			t.Error("still watched")
		}
	}
}

// What goes on beyond its memory is stopped once, under a lock, and given up where it goes on
// to twice as much.
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
					t.Error("two may be told at once")
				}
				var room *memory.Error
				if !errors.As(err, &room) || room.Limit != 7 || room.What != "the computation" {
					t.Errorf("told %v", err)
				}
			}
		}
		w.stop, w.exhausted = held(&stopped), held(&ended)
		for range 3 {
			w.look()
		}
		if stopped != c.stopped || ended != c.ended {
			t.Errorf("%d bytes: stopped %d times and ended %d times, want %d and %d", c.allowed, stopped, ended, c.stopped, c.ended)
		}
	}
	silent := &watch{allowed: 1, stop: func(error) {}}
	for range 3 {
		silent.look()
	}
}
