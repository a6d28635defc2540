package script

import (
	"fmt"
	"testing"
)

// A million comparisons of plain values, in loops that do next to nothing else.
func BenchmarkCompare(b *testing.B) {
	for _, c := range []struct{ name, start, step, condition string }{
		{"int<name", "i, n = 0, 1000000", "i += 1", "i < n"},
		{"int<literal", "i = 0", "i += 1", "i < 1000000"},
		{"float<name", "i, n = 0.0, 1e6", "i += 1.0", "i < n"},
		{"float<literal", "i = 0.0", "i += 1.0", "i < 1e6"},
		{"int!=name", "i, n = 0, 1000000", "i += 1", "i != n"},
		{"int<parameter", "i, n = 0, p", "i += 1", "i < n"},
		{"float<parameter", "i, n = 0.0, q", "i += 1.0", "i < n"},
		{"string<parameter", "i, n = 0, 1000000", "i += 1 if r < r else 1", "i < n"},
		{"string<name", "i, n, s, t = 0, 1000000, 'abc', 'abd'", "i += 1 if s < t else 0", "i < n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := New(Vocabulary{})
			source := fmt.Sprintf("def f(p, q, r):\n    %s\n    while %s: %s\n", c.start, c.condition, c.step)
			if _, err := s.ExecScript(b.Context(), "f", source); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.ExecScript(b.Context(), "b", "f(1000000, 1e6, 'abc')"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
