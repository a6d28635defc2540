package study

import (
	"iter"
	"maps"
	"slices"
)

func keys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// chunks yields ids in portions that a query can name.
func chunks(ids []int) iter.Seq[[]int] { return slices.Chunk(ids, chunk) }
