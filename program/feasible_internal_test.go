package program

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// spansUpTo yields all spans with ends in −n … n or infinite ends.
func spansUpTo(n int64, yield func(s span)) {
	for lo := -n - 1; lo <= n; lo++ {
		for hi := -n; hi <= n+1; hi++ {
			s := span{lo, hi}
			if lo < -n {
				s.lo = below
			}
			if hi > n {
				s.hi = above
			}
			yield(s)
		}
	}
}

func (s span) has(n int64) bool { return s.lo <= n && n <= s.hi }

// Sums, multiples and quotients of spans contain exactly the right numbers.
func TestSpansByEnumeration(t *testing.T) {
	spansUpTo(4, func(s span) {
		for k := int64(-4); k <= 4; k++ {
			if k == 0 {
				continue
			}
			over, times := s.over(k), s.scaled(k)
			for n := int64(-40); n <= 40; n++ {
				if over.has(n) != s.has(k*n) {
					t.Fatalf("%v over %d is %v", s, k, over)
				}
				if s.has(n) && !times.has(k*n) {
					t.Fatalf("%d times %v is %v, without %d", k, s, times, k*n)
				}
			}
			if s.isEmpty() {
				continue
			}
			want := span{s.lo * k, s.hi * k}
			if k < 0 {
				want = span{s.hi * k, s.lo * k}
			}
			if s.lo == below && k > 0 || s.hi == above && k < 0 {
				want.lo = below
			}
			if s.hi == above && k > 0 || s.lo == below && k < 0 {
				want.hi = above
			}
			if times != want {
				t.Fatalf("%d times %v is %v, want %v", k, s, times, want)
			}
		}
		spansUpTo(2, func(o span) {
			want := span{s.lo + o.lo, s.hi + o.hi}
			if s.lo == below || o.lo == below {
				want.lo = below
			}
			if s.hi == above || o.hi == above {
				want.hi = above
			}
			if got := s.plus(o); got != want {
				t.Fatalf("%v and %v add up to %v, want %v", s, o, got, want)
			}
		})
		if s.isEmpty() != (s.lo > s.hi) {
			t.Fatalf("isEmpty is wrong for %v", s)
		}
	})
}

// allows reports whether draws may have the values x.
func (s state) allows(x []int64) bool {
	for i, d := range s.draws {
		if d.oneSided && x[i] < 0 {
			return false
		}
	}
	for _, k := range s.spans {
		sum := int64(0)
		for _, p := range k.form.of {
			sum += int64(p.times) * x[p.draw]
		}
		if !k.span.has(sum) {
			return false
		}
	}
	return true
}

// For forests with unit coefficients and one form per pair, bounds are exact, by enumeration of all values within ±6,
// where all draws lie.
func TestBoundsByEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 1))
	impossible := 0
	for range 300 {
		s := state{draws: make([]draw, 4)}
		for i := range s.draws {
			s.draws[i].oneSided = src.IntN(4) == 0
			s.spans = append(s.spans, known{form: form{fmt.Sprint(i), []part{{i, 1}}}, span: span{-2 - src.Int64N(5), src.Int64N(7)}})
			if j := src.IntN(4); j < i { // a tree, or several
				lo := src.Int64N(13) - 8
				in := span{lo, lo + src.Int64N(4)}
				switch src.IntN(4) {
				case 0:
					in.lo = below
				case 1:
					in.hi = above
				}
				s.spans = append(s.spans, known{form: form{fmt.Sprint(i, j), []part{{j, 1}, {i, 1 - 2*src.IntN(2)}}}, span: in})
			}
		}
		src.Shuffle(len(s.spans), func(i, j int) { s.spans[i], s.spans[j] = s.spans[j], s.spans[i] })
		var want [4]span
		found := false
		var x [4]int64
		var visit func(i int)
		visit = func(i int) {
			if i < 4 {
				for x[i] = -6; x[i] <= 6; x[i]++ {
					visit(i + 1)
				}
				return
			}
			if !s.allows(x[:]) {
				return
			}
			for j := range x {
				if !found {
					want[j] = span{x[j], x[j]}
				}
				want[j] = span{min(want[j].lo, x[j]), max(want[j].hi, x[j])}
			}
			found = true
		}
		visit(0)
		got, ok := s.bounds()
		if ok != found || s.possible() != found {
			t.Fatalf("%+v: possible is %v, want %v", s.spans, ok, found)
		}
		if !found {
			impossible++
			continue
		}
		for j := range x {
			if got[j] != want[j] {
				t.Fatalf("%+v: draw %d lies in %v, want %v", s.spans, j, got[j], want[j])
			}
		}
	}
	if impossible < 10 || impossible > 200 {
		t.Errorf("%d of 300 are impossible", impossible)
	}
}
