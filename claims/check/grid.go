package check

import (
	"iter"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// Axis is one dimension of a [Grid].
type Axis struct {
	size int
	take func(k int) bool // sets the k-th value; false if no instance has it
}

// Over is the axis of the given values of *at.
func Over[T any](at *T, values ...T) Axis {
	return Axis{len(values), func(k int) bool {
		*at = values[k]
		return true
	}}
}

// From is the axis of the values of a sequence that does not depend on other axes.
func From[T any](at *T, values iter.Seq[T]) Axis { return Over(at, slices.Collect(values)...) }

// Span is the axis of the integers lo … hi of *at, empty if hi < lo.
func Span[T ~int | ~int64 | ~uint64](at *T, lo, hi T) Axis {
	if hi < lo {
		return Axis{}
	}
	return Axis{int(hi-lo) + 1, func(k int) bool {
		*at = lo + T(k)
		return true
	}}
}

// Where drops the combinations of the preceding values that do not meet a condition.
func Where(holds func() bool) Axis { return Axis{1, func(int) bool { return holds() }} }

// Let computes a field of an instance from the preceding values.
func Let(complete func()) Axis {
	return Where(func() bool {
		complete()
		return true
	})
}

// Grid yields an instance for every combination of a value of each axis, the last axis varying fastest. family
// receives the instance that the axes fill, and may set common fields; an axis can be a variable of the family that
// [Let] reads. Instances share what the family itself allocates.
//
//go:noinline
func Grid[I any](family func(i *I) []Axis) iter.Seq[I] {
	return func(yield func(I) bool) {
		var i I
		axes := family(&i)
		common := i
		combinations(axes, func() { i = common }, func() bool { return yield(i) })
	}
}

// combinations visits each combination of the axes' values: it calls reset, sets the values and calls yield,
// until yield returns false.
func combinations(axes []Axis, reset func(), yield func() bool) {
	sizes := make([]int, len(axes))
	for k, axis := range axes {
		sizes[k] = axis.size
	}
	at := make([]int, len(axes))
each:
	for all := combin.NewCartesianGenerator(sizes); all.Next(); {
		reset()
		for k, value := range all.Product(at) {
			if !axes[k].take(value) {
				continue each
			}
		}
		if !yield() {
			return
		}
	}
}

// Words yields all words of length n over the letters 0 … letters − 1. The first letter varies fastest.
func Words(letters, n int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		total := 1
		for range n {
			total *= letters
		}
		for number := range total {
			if !yield(Digits(number, letters, n)) {
				return
			}
		}
	}
}

// Each yields the instances that the function returns for each value in turn.
func Each[A, I any](values iter.Seq[A], instances func(A) iter.Seq[I]) iter.Seq[I] {
	return func(yield func(I) bool) {
		for a := range values {
			for i := range instances(a) {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// Chain yields the instances of each family in turn.
func Chain[I any](families ...iter.Seq[I]) iter.Seq[I] {
	return Each(slices.Values(families), func(family iter.Seq[I]) iter.Seq[I] { return family })
}

// Keep yields the instances that satisfy a condition.
func Keep[I any](family iter.Seq[I], meets func(I) bool) iter.Seq[I] {
	return func(yield func(I) bool) {
		for i := range family {
			if meets(i) && !yield(i) {
				return
			}
		}
	}
}

// Map yields the image of each value.
//
//go:noinline
func Map[A, I any](values iter.Seq[A], become func(A) I) iter.Seq[I] {
	return func(yield func(I) bool) {
		values(func(a A) bool { return yield(become(a)) })
	}
}

// Untyped yields the same instances as values of type any.
func Untyped[I any](family iter.Seq[I]) iter.Seq[any] {
	return Map(family, func(i I) any { return i })
}

// Without yields copies of a slice, each without one of its elements. It yields nothing for fewer than two elements.
func Without[T any](xs []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for k := range xs {
			if len(xs) > 1 && !yield(slices.Delete(slices.Clone(xs), k, k+1)) {
				return
			}
		}
	}
}
