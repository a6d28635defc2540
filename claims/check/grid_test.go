package check_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"dpworkbench/claims/check"
)

func ExampleGrid() {
	type triangle struct{ a, b, c int }
	right := check.Grid(func(t *triangle) []check.Axis {
		return []check.Axis{
			check.Span(&t.a, 1, 12),
			check.Span(&t.b, 1, 12),
			check.Span(&t.c, 1, 13),
			check.Where(func() bool { return t.a < t.b && t.a*t.a+t.b*t.b == t.c*t.c }),
		}
	})
	fmt.Println(slices.Collect(right))
	// Output: [{3 4 5} {5 12 13} {6 8 10}]
}

// The order is that of nested loops, what a family sets in common stands in every
// instance, and a sequence can be run twice and left early.
func TestGridOrder(t *testing.T) {
	type point struct {
		x    int64
		name string
		all  []int
	}
	grid := check.Grid(func(p *point) []check.Axis {
		var y int
		p.all = []int{7}
		return []check.Axis{
			check.Span(&p.x, -1, 0),
			check.Over(&p.name, "b", "a"),
			check.From(&y, slices.Values([]int{2, 1})),
			check.Let(func() { p.all = append(p.all, y) }),
		}
	})
	want := "[{-1 b [7 2]} {-1 b [7 1]} {-1 a [7 2]} {-1 a [7 1]} {0 b [7 2]} {0 b [7 1]} {0 a [7 2]} {0 a [7 1]}]"
	for range 2 {
		if got := fmt.Sprint(slices.Collect(grid)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for range grid {
		break
	}
}

func TestSequences(t *testing.T) {
	none := check.Grid(func(n *int) []check.Axis {
		return []check.Axis{check.Span(n, 1, 0), check.Where(func() bool { return true })}
	})
	digits := check.Grid(func(n *int) []check.Axis { return []check.Axis{check.Span(n, 1, 3)} })
	repeated := check.Each(digits, func(n int) iter.Seq[int] { return slices.Values(slices.Repeat([]int{n}, n)) })
	odd := check.Keep(check.Chain(none, digits, repeated), func(n int) bool { return n%2 == 1 })
	if got, want := fmt.Sprint(slices.Collect(odd)), "[1 3 1 3 3 3]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(slices.Collect(check.Words(2, 2))), "[[0 0] [1 0] [0 1] [1 1]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for range odd {
		break
	}
}
