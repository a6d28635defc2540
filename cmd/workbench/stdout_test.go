package main

import (
	"errors"
	"sync"
	"testing"
)

// After its first failure a stream writes nothing more, for any writer, and returns that error.
func TestStreamsFailOnce(t *testing.T) {
	gone := errors.New("gone")
	calls := 0
	s := &stream{name: "standard output", out: writerFunc(func(p []byte) (int, error) {
		if calls++; calls > 3 {
			return 0, gone
		}
		return len(p), nil
	})}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := s.Write([]byte("x")); err != nil && (!errors.Is(err, gone) || !errors.Is(s.err(), gone)) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n, err := s.Write([]byte("x")); n != 0 || calls != 4 || err == nil || err.Error() != "standard output: gone" || !errors.Is(s.err(), gone) {
		t.Errorf("%d bytes after %d calls, %v, %v", n, calls, err, s.err())
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
