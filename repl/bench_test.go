package repl_test

import (
	"io"
	"testing"

	"dpworkbench/repl"
)

// A session is made at every start of the command.
func BenchmarkNewSession(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		repl.NewSession()
	}
}

// Names at top level live in a table; names in a function do not.
func BenchmarkLoop(b *testing.B) {
	const n = 100000
	for name, source := range map[string]string{
		"toplevel": "i = 0\nwhile i < 100000: i += 1",
		"function": "def f():\n  i = 0\n  while i < 100000: i += 1\nf()",
		"equality": "def f():\n  for i in range(100000): i == 5\nf()",
		"globals":  "y = 1\ndef f():\n  for i in range(100000): y\nf()",
	} {
		b.Run(name, func(b *testing.B) {
			s := repl.NewSession()
			s.Stdout = io.Discard
			for b.Loop() {
				if _, err := s.Exec(b.Context(), "a", source); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/round")
		})
	}
}
