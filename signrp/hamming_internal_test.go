package signrp

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// nearest returns the vectors nearest to a query, ties by index. The codes have part of a word, one word, and
// the eight words with a loop of their own.
func TestNearestByHammingDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, k := range []int{1, 5, 64, 65, 200, 449, 512, 513} {
		signs := func(n int) (out [][]int8) {
			for range n {
				s := make([]int8, k)
				for j := range s {
					s[j] = int8(1 - 2*rng.IntN(2))
				}
				if len(out) > 0 && rng.IntN(3) == 0 {
					s = slices.Clone(out[0]) // a tie
				}
				out = append(out, s)
			}
			return out
		}
		data, queries := signs(37), signs(9)
		base, codes := packed(data), packed(queries)
		if base.Len() != 37 || codes.Len() != 9 {
			t.Errorf("%d vectors and %d queries, want 37 and 9", base.Len(), codes.Len())
		}
		for _, count := range []int{1, 2, 10, 36, 37, 100} {
			found := must.Be(base.nearest(context.Background(), codes, count))
			for q, query := range queries {
				far := make([]int, len(data))
				for v, s := range data {
					for j := range s {
						if s[j] != query[j] {
							far[v]++
						}
					}
				}
				want := make([]int, len(data))
				for v := range want {
					want[v] = v
				}
				slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
				if want = want[:min(count, len(want))]; !slices.Equal(found[q], want) {
					t.Errorf("%d signs, %d nearest: %v, want %v", k, count, found[q], want)
				}
			}
		}
	}
}
