package main

import (
	"io"
	"testing"

	"dpworkbench/internal/locks"
)

// Workers that print share the stream's lock.
func TestStreamIsLocked(t *testing.T) {
	s := &stream{name: "out", out: io.Discard}
	locks.Awaited(t, "writing", &s.mu, func() { _, _ = s.Write([]byte("a")) })
	locks.Awaited(t, "asking how it went", &s.mu, func() { _ = s.err() })
}
