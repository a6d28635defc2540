// Package lists builds lists from functions of elements or indices.
package lists

import "slices"

// Each returns the list of f(v) for the elements v of list, and nil for a nil list.
func Each[A, B any](list []A, f func(v A) B) []B {
	if list == nil {
		return nil
	}
	return Of(len(list), func(i int) B { return f(list[i]) })
}

// Of returns f(0), …, f(n − 1).
func Of[B any](n int, f func(i int) B) []B {
	out := make([]B, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// Order returns 0, …, n − 1 sorted by compare, stably.
func Order(n int, compare func(a, b int) int) []int {
	out := Of(n, func(i int) int { return i })
	slices.SortStableFunc(out, compare)
	return out
}
