package query

import (
	"strings"
	"testing"

	"dpworkbench/internal/must"
)

// On up to eight nodes, no two classes share a hash. The number of labelled graphs in a class is n! divided by the
// number of automorphisms.
func TestNextLevel(t *testing.T) {
	for n := 1; n <= 8; n++ {
		counts := graphCounts(n)
		level, size := emptyGraph(n), n*(n-1)/2
		ways := uint64(1) // number of labelled graphs with m edges
		for m, count := range counts {
			labelled := uint64(0)
			for x, k := range level.labelled {
				labelled += uint64(k)
				if n <= 5 {
					if _, attained := minCodeByAllLabellings(n, level.codes[x]); uint64(k)*attained != factorial(n) {
						t.Errorf("n = %d: class %b has %d labelled graphs, but %d of %d labellings attain its code", n, level.codes[x], k, attained, factorial(n))
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
				t.Errorf("n = %d: %d hashes of graphs with %d edges are shared", n, level.shared, m+1)
			}
			level, ways = next, ways*uint64(size-m)/uint64(m+1)
		}
		if size > 0 {
			if _, err := emptyGraph(n).next(t.Context(), 2, &splitMixHash, func(int64) {}); err == nil || !strings.Contains(err.Error(), "1 isomorphism classes of graphs on") {
				t.Errorf("n = %d: one class instead of two gives the error %v", n, err)
			}
		}
	}
}
