package continuous

import (
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/lists"
)

// Segment is an interval of the real line with finite rational ends, each included or excluded. A point has equal
// ends, both included.
type Segment struct {
	Lo, Hi         *big.Rat
	OpenLo, OpenHi bool
}

// Closed returns the segment [lo, hi].
func Closed(lo, hi *big.Rat) Segment { return Segment{Lo: lo, Hi: hi} }

// IsPoint reports whether s is a single number.
func (s Segment) IsPoint() bool { return s.Lo.Cmp(s.Hi) == 0 }

// String returns "[0, 1/2)".
func (s Segment) String() string {
	open, shut := "[", "]"
	if s.OpenLo {
		open = "("
	}
	if s.OpenHi {
		shut = ")"
	}
	return open + s.Lo.RatString() + ", " + s.Hi.RatString() + shut
}

// cut is a position just before or just after a number. Every segment, open or closed, lies between two cuts, so sums,
// unions and differences need no cases for open and closed ends.
type cut struct {
	at    *big.Rat
	after bool
}

func (c cut) cmp(d cut) int {
	if k := c.at.Cmp(d.at); k != 0 || c.after == d.after {
		return k
	}
	if c.after {
		return 1
	}
	return -1
}

// stretch is the set of numbers between two cuts, from < to.
type stretch struct{ from, to cut }

func (s Segment) stretch() stretch { return stretch{cut{s.Lo, s.OpenLo}, cut{s.Hi, !s.OpenHi}} }

func (s stretch) segment() Segment {
	return Segment{Lo: s.from.at, Hi: s.to.at, OpenLo: s.from.after, OpenHi: !s.to.after}
}

func (s stretch) empty() bool { return s.from.cmp(s.to) >= 0 }

// Set is a finite union of segments of the real line, stored as its connected components from left to right. Its
// arithmetic is rational. A Set is immutable; the zero value is the empty set.
type Set struct{ parts []stretch }

// NewSet returns the union of the given segments, in any order. It drops empty segments.
func NewSet(segments ...Segment) Set {
	parts := make([]stretch, 0, len(segments))
	for _, s := range segments {
		parts = append(parts, s.stretch())
	}
	return joined(parts)
}

// joined sorts stretches and joins those that touch, in place.
func joined(parts []stretch) Set {
	parts = slices.DeleteFunc(parts, stretch.empty)
	slices.SortFunc(parts, func(a, b stretch) int { return a.from.cmp(b.from) })
	out := parts[:0]
	for _, p := range parts {
		if n := len(out); n > 0 && p.from.cmp(out[n-1].to) <= 0 {
			if p.to.cmp(out[n-1].to) > 0 {
				out[n-1].to = p.to
			}
			continue
		}
		out = append(out, p)
	}
	return Set{out}
}

// Segments returns the connected components of s, from left to right.
func (s Set) Segments() []Segment {
	return lists.Of(len(s.parts), func(i int) Segment { return s.parts[i].segment() })
}

// IsEmpty reports whether s is empty.
func (s Set) IsEmpty() bool { return len(s.parts) == 0 }

// Union returns the numbers in s or t.
func (s Set) Union(t Set) Set { return joined(slices.Concat(s.parts, t.parts)) }

// Difference returns the numbers in s and not in t.
func (s Set) Difference(t Set) Set {
	var out []stretch
	k := 0
	for _, p := range s.parts {
		for k < len(t.parts) && t.parts[k].to.cmp(p.from) <= 0 {
			k++
		}
		for i := k; i < len(t.parts) && t.parts[i].from.cmp(p.to) < 0; i++ {
			if before := (stretch{p.from, t.parts[i].from}); !before.empty() {
				out = append(out, before)
			}
			p.from = t.parts[i].to
		}
		if !p.empty() {
			out = append(out, p)
		}
	}
	return Set{out}
}

// Sum returns the Minkowski sum {a + b : a in s, b in t}.
func (s Set) Sum(t Set) Set {
	out := make([]stretch, 0, len(s.parts)*len(t.parts))
	for _, p := range s.parts {
		for _, q := range t.parts {
			out = append(out, stretch{
				cut{new(big.Rat).Add(p.from.at, q.from.at), p.from.after || q.from.after},
				cut{new(big.Rat).Add(p.to.at, q.to.at), p.to.after && q.to.after},
			})
		}
	}
	return joined(out)
}

// Shift returns {a + v : a in s}.
func (s Set) Shift(v *big.Rat) Set { return s.Sum(NewSet(Closed(v, v))) }

// Negate returns {−a : a in s}.
func (s Set) Negate() Set {
	out := make([]stretch, 0, len(s.parts))
	for _, p := range slices.Backward(s.parts) {
		out = append(out, stretch{
			cut{new(big.Rat).Neg(p.to.at), !p.to.after},
			cut{new(big.Rat).Neg(p.from.at), !p.from.after},
		})
	}
	return Set{out}
}

// Closure returns the closure of s.
func (s Set) Closure() Set {
	out := lists.Of(len(s.parts), func(i int) stretch { return stretch{cut{s.parts[i].from.at, false}, cut{s.parts[i].to.at, true}} })
	return joined(out)
}

// Contains reports whether r lies in s.
func (s Set) Contains(r *big.Rat) bool {
	i, _ := slices.BinarySearchFunc(s.parts, cut{r, true}, func(p stretch, c cut) int { return p.to.cmp(c) })
	return i < len(s.parts) && s.parts[i].from.cmp(cut{r, false}) <= 0
}

// Equal reports whether s and t are equal.
func (s Set) Equal(t Set) bool {
	return slices.EqualFunc(s.parts, t.parts, func(a, b stretch) bool { return a.from.cmp(b.from) == 0 && a.to.cmp(b.to) == 0 })
}

// Length returns the Lebesgue measure of s.
func (s Set) Length() *big.Rat {
	sum, part := new(big.Rat), new(big.Rat)
	for _, p := range s.parts {
		sum.Add(sum, part.Sub(p.to.at, p.from.at))
	}
	return sum
}

// Points returns the number of isolated points among the components of s.
func (s Set) Points() int {
	n := 0
	for _, p := range s.parts {
		if p.from.at.Cmp(p.to.at) == 0 {
			n++
		}
	}
	return n
}

// String returns the components joined by "∪", or "∅".
func (s Set) String() string {
	if s.IsEmpty() {
		return "∅"
	}
	var b strings.Builder
	for i, seg := range s.Segments() {
		if i > 0 {
			b.WriteString(" ∪ ")
		}
		b.WriteString(seg.String())
	}
	return b.String()
}
