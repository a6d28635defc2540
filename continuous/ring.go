package continuous

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/parallel"
)

// A ring stores the layers of a linear query. Let Δ be the largest number in V, and r = ρ + jΔ with 0 ≤ ρ < Δ and an
// integer j. Since V contains −Δ, 0 and Δ, r enters A_{i+1} = A_i + V at the latest one layer after a neighbor r ± Δ.
// The part N_{i+1} of A_{i+1} outside A_i + {−Δ, 0, Δ} comes from N_i alone:
//
//	N_{i+1} = (N_i + V) − (A_i + {−Δ, 0, Δ}),
//
// because the rest of A_i + V is inherited from N_k + V ⊆ A_{k+1}, k < i, by shifts of Δ. The N_i therefore determine
// the layers. Above a residue ρ,
//
//	L(ρ + jΔ) = min over sites of level + distance(j, [from, to]),
//
// where a site is a run of positions j that entered together. When N_{i+1} is empty, A_{i+1} = A_i + {−Δ, 0, Δ}. The
// same then holds for all later layers, and the ring describes every layer.

// ringSite is a run of positions from ≤ j ≤ to that entered at the layer level.
type ringSite struct{ level, from, to int }

// ringSpan is a run of positions.
type ringSpan struct{ from, to int }

// ringNode is a residue and the open gap up to the next residue.
type ringNode[T any] struct {
	at         T
	point, gap []ringSite // by level; never changed in place
}

// gapEnd returns the end of the gap after node i.
func gapEnd(nodes []ringNode[*big.Int], i int, length *big.Int) *big.Int {
	if i+1 < len(nodes) {
		return nodes[i+1].at
	}
	return length
}

// ringPiece is a closed arc [lo, hi] of the ring, 0 ≤ lo ≤ hi ≤ length, at the positions of a span. An end is old if
// sites of earlier layers reach it at all of these positions by this layer.
type ringPiece[T any] struct {
	lo, hi       T
	span         ringSpan
	oldLo, oldHi bool
}

// ringStep is a component of V: an interval of the given length that begins at the residue lo at position turns.
type ringStep[T any] struct {
	lo, length T
	turns      int
}

// ringBuilder grows the ring layer by layer.
type ringBuilder[T scale[T]] struct {
	zero, length T
	steps        []ringStep[T]
	nodes        nodeList[T]
	front        []ringPiece[T]
	level        int            // layers up to this one are complete
	work         int            // pieces visited
	found        []ringFresh[T] // scratch space of arc
}

// ringFresh is a point, or a part of one gap, with the positions that newly entered.
type ringFresh[T any] struct {
	ringPiece[T]
	point      bool
	atLo, atHi []ringSite // sites above lo and hi if these are nodes
	turn       int        // 1 if hi is Δ, which is the residue 0 of the next position
	spans      []ringSpan
}

func newRingBuilder[T scale[T]](length, radius T, components [][2]T) *ringBuilder[T] {
	b := &ringBuilder[T]{length: length}
	b.zero = length.minus(length)
	for _, c := range components {
		if c[0].cmp(b.zero) == 0 && c[1].cmp(b.zero) == 0 {
			continue // a shift by 0
		}
		turns, rest := c[0].circle(length)
		b.steps = append(b.steps, ringStep[T]{rest, c[1].minus(c[0]), turns})
	}
	b.nodes.insert(0, 0, ringNode[T]{at: b.zero})
	b.place(b.zero.minus(radius), radius, ringSpan{0, 0}, 0)
	b.coalesce()
	return b
}

// grow adds layers until nothing new enters, and reports whether that happened within the budget. If not, the ring
// contains all layers up to b.level and parts of later ones.
func (b *ringBuilder[T]) grow(ctx context.Context, budget ringBudget) (closed bool, err error) {
	steps, looked := 0, 0 // looked is the work at the last check of the context
	for len(b.front) > 0 {
		parallel.Report(ctx, int64(b.level), 0, "layers")
		front := b.front
		b.front = nil
		for _, p := range front {
			if budget.spent(b.nodes.count, b.work, b.level) {
				return false, nil
			}
			for _, v := range b.steps {
				b.advance(p, v)
				if steps++; steps%1024 != 0 && b.work-looked < 1<<12 {
					continue
				}
				if looked = b.work; ctx.Err() != nil {
					return false, ctx.Err()
				}
			}
		}
		b.coalesce()
		b.level++
	}
	return true, ctx.Err()
}

// advance adds p + v to the next layer. If an end x of p is old, the next layer inherits x + V, so only the part of p +
// v beyond x + v can be new.
func (b *ringBuilder[T]) advance(p ringPiece[T], v ringStep[T]) {
	lo, hi := p.lo.plus(v.lo), p.hi.plus(v.lo)
	if p.oldLo {
		lo = lo.plus(v.length)
	}
	if !p.oldHi {
		hi = hi.plus(v.length)
	}
	if p.oldLo && p.oldHi && lo.cmp(hi) >= 0 {
		return
	}
	b.place(lo, hi, ringSpan{p.span.from + v.turns, p.span.to + v.turns}, b.level+1)
}

// place adds the real interval [lo, hi], shifted by every position of the span, at the given level.
func (b *ringBuilder[T]) place(lo, hi T, s ringSpan, level int) {
	wind(lo, hi, b.zero, b.length, s, func(p ringPiece[T]) { b.arc(p.lo, p.hi, p.span, level) })
}

// wind splits the real interval [lo, hi], shifted by every position of a span, into arcs of the ring.
func wind[T scale[T]](lo, hi, zero, length T, s ringSpan, arc func(ringPiece[T])) {
	first, x := lo.circle(length)
	last, y := hi.circle(length)
	turns := last - first
	first, last = first+s.from, last+s.to
	if x.cmp(y) <= 0 {
		if turns > 0 {
			arc(ringPiece[T]{lo: zero, hi: x, span: ringSpan{first + 1, last}})
			arc(ringPiece[T]{lo: y, hi: length, span: ringSpan{first, last - 1}})
		}
		arc(ringPiece[T]{lo: x, hi: y, span: ringSpan{first, last}})
		return
	}
	arc(ringPiece[T]{lo: zero, hi: y, span: ringSpan{first + 1, last}}) // x > y, so turns ≥ 1
	arc(ringPiece[T]{lo: x, hi: length, span: ringSpan{first, last - 1}})
	if turns > 1 {
		arc(ringPiece[T]{lo: y, hi: x, span: ringSpan{first + 1, last - 1}})
	}
}

// arc adds the arc [lo, hi] at those positions of s that are neither in A_{level−1} + {−Δ, 0, Δ} nor in this layer yet.
// It also adds the new pieces to the front.
func (b *ringBuilder[T]) arc(lo, hi T, s ringSpan, level int) {
	b.found = b.found[:0]
	note := func(sites []ringSite, f ringFresh[T]) {
		b.work++
		if f.spans = uncovered(sites, s, level); len(f.spans) > 0 {
			b.found = append(b.found, f)
		}
	}
	zero := b.nodes.at(cursor{0, 0})
	for c := b.nodes.last(lo); c.ok() && b.nodes.at(c).at.cmp(hi) <= 0; {
		n := b.nodes.at(c)
		f := ringFresh[T]{ringPiece: ringPiece[T]{lo: n.at, hi: n.at}, point: true}
		if n.at.cmp(lo) >= 0 {
			note(n.point, f)
			f.atLo = n.point
		} else {
			f.lo = lo
		}
		f.hi, f.atHi, f.turn = b.length, zero.point, 1
		if c = b.nodes.next(c); c.ok() {
			f.hi, f.atHi, f.turn = b.nodes.at(c).at, b.nodes.at(c).point, 0
		}
		if hi.cmp(f.hi) < 0 {
			f.hi, f.atHi, f.turn = hi, nil, 0
		}
		f.point = f.lo.cmp(f.hi) == 0
		if !f.point || n.at.cmp(lo) < 0 {
			note(n.gap, f)
		}
	}
	if hi.cmp(b.length) == 0 { // Δ is the residue 0 at the next position
		s = ringSpan{s.from + 1, s.to + 1}
		note(zero.point, ringFresh[T]{ringPiece: ringPiece[T]{lo: b.zero, hi: b.zero}, point: true})
	}
	for _, f := range b.found {
		b.enter(f.lo, f.hi, f.point, f.spans, level)
		for _, span := range f.spans {
			p := f.ringPiece
			p.span = span
			p.oldLo = inherited(f.atLo, span, level)
			p.oldHi = inherited(f.atHi, ringSpan{span.from + f.turn, span.to + f.turn}, level)
			b.emit(p)
		}
	}
}

// inherited reports whether sites of earlier layers reach all positions of s by the given level.
func inherited(sites []ringSite, s ringSpan, level int) bool {
	for s.from <= s.to {
		next := s.from
		for _, site := range sites {
			from, to := site.from-(level-site.level), site.to+(level-site.level)
			if site.level < level && from <= s.from {
				next = max(next, to+1)
			}
		}
		if next == s.from {
			return false
		}
		s.from = next
	}
	return true
}

// uncovered returns the positions of s that no site reaches up to the given level.
func uncovered(sites []ringSite, s ringSpan, level int) []ringSpan {
	for _, site := range sites { // one site usually covers all positions
		if d := level - site.level; site.from-d <= s.from && s.to <= site.to+d {
			return nil
		}
	}
	left := []ringSpan{s}
	for _, site := range sites {
		from, to := site.from-(level-site.level), site.to+(level-site.level)
		for i := 0; i < len(left); i++ {
			l := left[i]
			if to < l.from || l.to < from {
				continue
			}
			left = slices.Delete(left, i, i+1)
			if l.from < from {
				left = slices.Insert(left, i, ringSpan{l.from, from - 1})
				i++
			}
			if to < l.to {
				left = slices.Insert(left, i, ringSpan{to + 1, l.to})
				i++
			}
			i--
		}
	}
	return left
}

// enter records new positions above a point, or above a part of one gap, and makes its ends nodes.
func (b *ringBuilder[T]) enter(lo, hi T, point bool, spans []ringSpan, level int) {
	for _, end := range []T{lo, hi} {
		if end.cmp(b.length) == 0 {
			continue
		}
		c := b.nodes.last(end)
		n := b.nodes.at(c)
		isNew := n.at.cmp(end) != 0
		if isNew {
			c = b.nodes.insert(c.block, c.index+1, ringNode[T]{end, n.gap, n.gap})
			n = b.nodes.at(c)
		}
		if isNew || point {
			n.point = withSites(n.point, spans, level)
		}
		if point {
			return
		}
	}
	n := b.nodes.at(b.nodes.last(lo))
	n.gap = withSites(n.gap, spans, level)
}

// withSites returns a copy of sites with the spans added as sites of a level.
func withSites(sites []ringSite, spans []ringSpan, level int) []ringSite {
	out := slices.Clone(sites)
	for _, s := range spans {
		site := ringSite{level, s.from, s.to}
		out = slices.DeleteFunc(out, func(o ringSite) bool {
			if o.level != level || o.to+1 < site.from || site.to+1 < o.from {
				return false
			}
			site.from, site.to = min(site.from, o.from), max(site.to, o.to)
			return true
		})
		out = append(out, site)
	}
	return out
}

// emit adds a piece to the front, and joins it to the previous piece if they touch.
func (b *ringBuilder[T]) emit(p ringPiece[T]) {
	if n := len(b.front); n > 0 {
		if last := &b.front[n-1]; last.span == p.span && last.hi.cmp(p.lo) == 0 {
			last.hi, last.oldHi = p.hi, p.oldHi
			return
		}
	}
	b.front = append(b.front, p)
}

// coalesce joins pieces of the front that touch and have equal positions. Then it joins the positions of pieces with
// equal arcs.
func (b *ringBuilder[T]) coalesce() {
	slices.SortFunc(b.front, func(p, q ringPiece[T]) int {
		return cmp.Or(cmp.Compare(p.span.from, q.span.from), cmp.Compare(p.span.to, q.span.to), p.lo.cmp(q.lo), p.hi.cmp(q.hi))
	})
	out := b.front[:0]
	for _, p := range b.front {
		if n := len(out); n > 0 && out[n-1].span == p.span && p.lo.cmp(out[n-1].hi) <= 0 {
			if p.hi.cmp(out[n-1].hi) > 0 {
				out[n-1].hi, out[n-1].oldHi = p.hi, p.oldHi
			}
			continue
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(p, q ringPiece[T]) int {
		return cmp.Or(p.lo.cmp(q.lo), p.hi.cmp(q.hi), cmp.Compare(p.span.from, q.span.from))
	})
	joined := out[:0]
	for _, p := range out {
		if n := len(joined); n > 0 && joined[n-1].lo.cmp(p.lo) == 0 && joined[n-1].hi.cmp(p.hi) == 0 && p.span.from <= joined[n-1].span.to+1 {
			j := &joined[n-1]
			j.span.to = max(j.span.to, p.span.to)
			j.oldLo, j.oldHi = j.oldLo && p.oldLo, j.oldHi && p.oldHi
			continue
		}
		joined = append(joined, p)
	}
	b.front = joined
}

// cells returns the nodes of the ring in integer grid units.
func (b *ringBuilder[T]) cells() []ringNode[*big.Int] {
	out := make([]ringNode[*big.Int], 0, b.nodes.count)
	for _, block := range b.nodes.blocks {
		for _, n := range block {
			out = append(out, ringNode[*big.Int]{n.at.whole(), n.point, n.gap})
		}
	}
	return out
}
