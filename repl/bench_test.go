package repl_test

import (
	"io"
	"testing"

	"dpworkbench/internal/must"
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
		"toplevel":  "i = 0\nwhile i < 100000: i += 1",
		"function":  "def f():\n  i = 0\n  while i < 100000: i += 1\nf()",
		"equality":  "def f():\n  for i in range(100000): i == 5\nf()",
		"globals":   "y = 1\ndef f():\n  for i in range(100000): y\nf()",
		"known":     "def f():\n  s = 0.0\n  for i in range(100000): s += i * 0.5 - i / 3\nf()",
		"product":   "def f(a, b):\n  for i in range(100000): a * b\nf(1.5, 2.5)",
		"ints":      "def f(a, b):\n  for i in range(100000): a * b\nf(123, 456)",
		"sum":       "def f(a, b):\n  for i in range(100000): a + b\nf(1.5, 2.5)",
		"remainder": "def f(a, b):\n  for i in range(100000): a % b\nf(17, 5)",
		"pairs":     "def f(a, b):\n  for i in range(100000): (a, b)\nf(1, 2)",
		"dict":      "def f(a, b):\n  d = {}\n  for i in range(100000): d[(a, i)] = b\nf(1, 2)",
		"dot":       "def f(x, y):\n  n = 0.0\n  for i in range(1000):\n    for j in range(100): n += x[j] * y[j]\nf([0.5] * 100, [0.25] * 100)",
		"text":      "def f(a, b):\n  for i in range(100000): '%s and %s' % (a, b)\nf(1, 'x')",
		"join":      "def f(a, b):\n  for i in range(100000): ', '.join([a, b])\nf('1', 'x')",
		"matrix":    "def f(a, b, n):\n  return [[sum([a[i][k] * b[k][j] for k in range(n)]) for j in range(n)] for i in range(n)]\nx = [[1.0 + i * j for j in range(46)] for i in range(46)]\nf(x, x, 46)",
		"sieve":     "def f(n):\n  p = [True] * (n + 1)\n  out = []\n  for i in range(2, n + 1):\n    if p[i]:\n      out.append(i)\n      for j in range(i * i, n + 1, i): p[j] = False\n  return out\nf(40000)",
		"fib":       "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(20)",
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

// BenchmarkScriptPaths visits the paths of 14 tosses at two datasets with a function of a script: 2¹⁵ an operation.
func BenchmarkScriptPaths(b *testing.B) {
	s := repl.NewSession()
	defer s.Close()
	for b.Loop() {
		must.For(s.ExecScript(b.Context(), "tosses.star", `
def tosses(x, noise):
    total = 0
    for i in range(14):
        if noise.flip(0.5):
            total += 1
    return total % 2
program([0, 1], tosses)
`))(b)
	}
	b.ReportMetric(float64(b.N)*(1<<15)/b.Elapsed().Seconds(), "paths/s")
}
