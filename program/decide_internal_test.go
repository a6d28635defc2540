package program

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/roots"
	"dpworkbench/interval"
)

// The simplest rational number in an interval has the smallest denominator, and then the smallest numerator.
func TestSimplestByEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(9, 1))
	for range 500 {
		a, b := big.NewRat(src.Int64N(60), 1+src.Int64N(40)), big.NewRat(src.Int64N(60), 1+src.Int64N(40))
		if src.IntN(8) == 0 {
			a.SetInt64(src.Int64N(3))
		}
		if a.Cmp(b) == 0 {
			continue
		}
		if a.Cmp(b) > 0 {
			a, b = b, a
		}
		want := (*big.Rat)(nil)
		for d := int64(1); want == nil; d++ {
			for n := interval.RationalFloor(new(big.Rat).Mul(a, big.NewRat(d, 1))).Int64(); ; n++ {
				q := big.NewRat(n, d)
				if q.Cmp(b) >= 0 {
					break
				}
				if q.Cmp(a) > 0 {
					want = q
					break
				}
			}
		}
		if got := simplest(a, b); got.Cmp(want) != 0 {
			t.Fatalf("the simplest in (%v, %v) is %v, want %v", a, b, got, want)
		}
	}
}

// union returns the union of the intervals, and a cover of each of its spans. Both are compared with the intervals at
// all points. The ends are roots of (z − a)(z − b).
func TestUnionMatchesPoints(t *testing.T) {
	src := rand.New(rand.NewPCG(9, 2))
	for range 60 {
		var failing []failure
		var ends [][2]int64
		of := make(map[int][2]int64)
		for i := range 1 + src.IntN(5) {
			a, b := 1+src.Int64N(23), 1+src.Int64N(23)
			if a == b {
				continue
			}
			a, b = min(a, b), max(a, b)
			ends = append(ends, [2]int64{a, b})
			of[i] = [2]int64{a, b}
			p := roots.New(a*b, -24*(a+b), 576)
			spans := must.For(p.Negative(t.Context(), width))(t)
			if len(spans) != 1 {
				t.Fatalf("%v is negative on %v", p, spans)
			}
			failing = append(failing, failure{inequality{x: i, y: i + 1, cells: []int{i}}, roots.Known{Of: p, Root: spans[0].From}, roots.Known{Of: p, Root: spans[0].To}})
		}
		got := must.For(union(t.Context(), failing))(t)
		// Even indices of 1/48 are ends, and odd ones lie between them.
		in := make([]bool, 49)
		for _, e := range ends {
			for k := 2*e[0] + 1; k < 2*e[1]; k++ {
				in[k] = true
			}
		}
		var want [][2]int
		for k := 1; k < 49; k++ {
			if in[k] && !in[k-1] {
				want = append(want, [2]int{k - 1, 0})
			}
			if !in[k] && in[k-1] {
				want[len(want)-1][1] = k
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%v have the union %v, want %v/48", ends, got, want)
		}
		at := func(k int) *big.Rat { return big.NewRat(int64(k), 48) }
		for i, s := range got {
			if s.From.Lo.Cmp(at(want[i][0])) > 0 || s.From.Hi.Cmp(at(want[i][0])) < 0 || s.To.Lo.Cmp(at(want[i][1])) > 0 || s.To.Hi.Cmp(at(want[i][1])) < 0 {
				t.Fatalf("%v have the union %v, want %v/48", ends, got, want)
			}
			on := s.From.Hi
			if s.Cover[len(s.Cover)-1].To.Cmp(s.To.Lo) != 0 {
				t.Fatalf("%v: the cover ends at %v, want %v", ends, s.Cover[len(s.Cover)-1].To, s.To.Lo)
			}
			for j, c := range s.Cover {
				if own := of[c.X]; c.From.Cmp(big.NewRat(own[0], 24)) < 0 || c.To.Cmp(big.NewRat(own[1], 24)) > 0 {
					t.Fatalf("%v … %v is covered by an inequality that fails on %v/24", c.From, c.To, own)
				}
				if c.Y != c.X+1 || !slices.Equal(c.Cells, []int{c.X}) {
					t.Fatalf("cover %+v, want the inequality's own output", c)
				}
				if j == 0 && c.From.Cmp(on) != 0 || c.From.Cmp(on) > 0 || c.To.Cmp(on) <= 0 {
					t.Fatalf("%v: covered up to %v, next from %v to %v", ends, on, c.From, c.To)
				}
				on = c.To
			}
		}
	}
}
