package query

import (
	"dpworkbench/internal/must"
	"strings"
	"testing"
)

// On up to eight nodes no two classes share a hash, and each class has n! divided by its automorphisms labelled
// graphs.
func TestNextLevel(t *testing.T) {
	for n := 1; n <= 8; n++ {
		counts := graphCounts(n)
		level, size := emptyGraph(n), n*(n-1)/2
		ways := uint64(1) // to choose so many edges
		for m, count := range counts {
			labelled := uint64(0)
			for x, k := range level.labelled {
				labelled += uint64(k)
				if n <= 5 {
					if _, attained := minCodeByAllLabellings(n, level.codes[x]); uint64(k)*attained != factorial(n) {
						t.Errorf("n = %d: class %b has %d labelled graphs, and %d of %d labellings give one of them", n, level.codes[x], k, attained, factorial(n))
					}
				}
			}
			if len(level.codes) != count || labelled != ways {
				t.Errorf("n = %d, %d edges: %d classes with %d labelled graphs, want %d with %d", n, m, len(level.codes), labelled, count, ways)
			}
			if m == size {
				break
			}
			next := must.For(level.next(t.Context(), counts[m+1], &splitMixHash, func(int64) {}))(t)
			if level.shared != 0 {
				t.Errorf("n = %d: %d keys of %d edges are shared", n, level.shared, m+1)
			}
			level, ways = next, ways*uint64(size-m)/uint64(m+1)
		}
		if size > 0 {
			if _, err := emptyGraph(n).next(t.Context(), 2, &splitMixHash, func(int64) {}); err == nil || !strings.Contains(err.Error(), "1 classes on") {
				t.Errorf("n = %d: one class where two are wanted gives the error %v", n, err)
			}
		}
	}
}
