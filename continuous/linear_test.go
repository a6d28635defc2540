package continuous_test

import (
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

func ExampleNewLinear() {
	v := interval.Decimal(0.1)
	q, _ := continuous.NewLinear([][2]*big.Rat{{v, big.NewRat(1, 3)}, {big.NewRat(1, 4), big.NewRat(1, 2)}, {big.NewRat(2, 1), big.NewRat(2, 1)}})
	fmt.Println(q.NeighboringSet())
	fmt.Println(q.Sensitivity(), q.Volume())
	// Output:
	// [-2, -2] ∪ [-1/2, -1/10] ∪ [0, 0] ∪ [1/10, 1/2] ∪ [2, 2]
	// 2.0 (exact: 2) 0.4 (exact: 2/5)
}

func ExampleLinear_Lattice() {
	q, _ := continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {big.NewRat(-4, 3), big.NewRat(-4, 3)}})
	g, ok := q.Lattice()
	fmt.Println(g, ok)
	// Output: 1/6 true
}

// flags is the reference for set arithmetic: it tells for each multiple of 1/2 in −40 … 40 whether a set contains it.
// This covers every integer end and every open unit interval between.
const flagReach = 80

type flags [2*flagReach + 1]bool

func flagsOf(s continuous.Set) (f flags) {
	for i := range f {
		f[i] = s.Contains(big.NewRat(int64(i-flagReach), 2))
	}
	return f
}

func drawSet(t *rapid.T, name string, reach int) continuous.Set {
	var segments []continuous.Segment
	for range rapid.IntRange(0, 4).Draw(t, name) {
		lo := rapid.IntRange(-reach, reach).Draw(t, "lo")
		s := continuous.Closed(big.NewRat(int64(lo), 1), big.NewRat(int64(min(reach, lo+rapid.IntRange(0, 6).Draw(t, "length"))), 1))
		s.OpenLo, s.OpenHi = rapid.Bool().Draw(t, "open lo"), rapid.Bool().Draw(t, "open hi")
		segments = append(segments, s)
	}
	return continuous.NewSet(segments...)
}

func TestSetAgainstFlags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSet(t, "a", 20), drawSet(t, "b", 20)
		fa, fb := flagsOf(a), flagsOf(b)
		union, difference, negated := flagsOf(a.Union(b)), flagsOf(a.Difference(b)), flagsOf(a.Negate())
		length := 0
		for i := range fa {
			if union[i] != (fa[i] || fb[i]) || difference[i] != (fa[i] && !fb[i]) || negated[i] != fa[len(fa)-1-i] {
				t.Fatalf("a = %v, b = %v: a ∪ b = %v, a − b = %v, −a = %v", a, b, a.Union(b), a.Difference(b), a.Negate())
			}
			if fa[i] && i%2 == 1 {
				length++
			}
		}
		if a.Length().Cmp(big.NewRat(int64(length), 1)) != 0 {
			t.Fatalf("length of %v is %v, want %d", a, a.Length(), length)
		}
		// A point plus a point is their sum. An open unit interval plus a point is an open unit interval. The sum of
		// two open unit intervals is an open interval of length two.
		var want flags
		for i := range fa {
			for j := range fb {
				if !fa[i] || !fb[j] {
					continue
				}
				k := i + j - flagReach
				want[k] = true
				if i%2 == 1 && j%2 == 1 {
					want[k-1], want[k+1] = true, true
				}
			}
		}
		if got := flagsOf(a.Sum(b)); got != want {
			t.Fatalf("%v + %v = %v", a, b, a.Sum(b))
		}
		if !a.Union(b).Equal(b.Union(a)) || !a.Difference(b).Union(b).Equal(a.Union(b)) {
			t.Fatalf("a = %v, b = %v: Equal is wrong", a, b)
		}
	})
}
