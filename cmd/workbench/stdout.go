package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// stdout is the standard output. It remembers its first failure, which ends the
// process with status 1: a script that has printed to a full disk has not done
// what it was run for.
var stdout = &stream{name: "standard output", out: os.Stdout}

// stream is a stream that remembers its first failure, after which it writes
// nothing more: what comes out is a whole beginning.
type stream struct {
	name string
	out  io.Writer

	mu     sync.Mutex
	failed error
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return 0, s.failed
	}
	n, err := s.out.Write(p)
	if err != nil {
		s.failed = fmt.Errorf("%s: %w", s.name, err)
	}
	return n, s.failed
}

// err returns the first failure, if any.
func (s *stream) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}
