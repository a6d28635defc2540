package check_test

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"

	"pgregory.net/rapid"
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

// The order is that of nested loops. Every instance has the family's common fields. A sequence can be repeated and
// stopped early.
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

// A grid has exactly one instance for every combination of its axes. A condition removes exactly the instances that
// violate it.
func TestGridSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(-1, 4)
		a, b, c, m := width.Draw(t, "a"), width.Draw(t, "b"), width.Draw(t, "c"), rapid.IntRange(1, 3).Draw(t, "m")
		letters := rapid.SliceOfNDistinct(rapid.IntRange(-9, 9), 0, 4, rapid.ID[int]).Draw(t, "letters")
		type point struct{ x, y, z, letter int }
		grid := func(cut bool) []point {
			return slices.Collect(check.Grid(func(p *point) []check.Axis {
				return []check.Axis{
					check.Span(&p.x, 1, a), check.Over(&p.letter, letters...),
					check.Where(func() bool { return !cut || p.x%m == 0 }),
					check.Span(&p.y, 1, b), check.Span(&p.z, 1, c),
				}
			}))
		}
		seen := make(map[point]bool)
		for _, p := range grid(false) {
			seen[p] = true
		}
		rest := max(b, 0) * max(c, 0) * len(letters)
		if got, want := len(grid(false)), max(a, 0)*rest; got != want || len(seen) != want {
			t.Fatalf("%d instances, %d of them distinct, want %d", got, len(seen), want)
		}
		if got, want := len(grid(true)), max(a, 0)/m*rest; got != want {
			t.Fatalf("%d instances satisfy the condition, want %d", got, want)
		}
	})
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

func TestWithout(t *testing.T) {
	if got, want := fmt.Sprint(slices.Collect(check.Without([]int{1, 2, 3})), slices.Collect(check.Without([]int{1}))), "[[2 3] [1 3] [1 2]] []"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestScript(t *testing.T) {
	vars := check.Vars{"law": check.Code("xor(2)"), "eps": 0.1, "names": []string{"a"}, "pairs": [][2]int{{0, 1}}, "third": big.NewRat(1, 3), "yes": true}
	got := check.Script(vars, "b = {law}; d = {1: {eps}}", "print({names}, {pairs}, {third}, {yes})")
	if want := `b = xor(2); d = {1: 0.1}; print(["a"], [(0, 1)], 1/3, True)`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
