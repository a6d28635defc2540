package xor

import (
	"context"
	"maps"
	"math"
	"slices"
)

// found is the best flip of a search, and its loss value. most is an upper bound on the loss of all flips, including
// those not searched; it equals value if all were.
type found struct {
	value, most float64
	flip        Flip
}

// lossSearch maximises the log ratio over difference patterns.
type lossSearch struct {
	law    *Bernoulli
	ctx    context.Context
	work   float64 // multiplications left
	gaveUp bool
	sizes  float64 // the largest Σ_k |2Π_jk| + |Π_jj| so far, for rounding bounds
	off    float64 // the largest effect of the parameters' reading on such a sum
	terms  int     // the greatest number of terms in one sum
}

// slack bounds the rounding of a value. A flip of t bits sums at most t·terms couplings, or one for each bit, and at
// most t times the largest size. Values are compared with each other, so the bound is twice the error of one value. It
// includes the effect of the parameters' reading.
func (s *lossSearch) slack(nb Neighbors) float64 {
	t := nb.times
	switch nb.kind {
	case wholeRows:
		t = s.law.p
	case edges:
		t = 2
	case listed:
		t = 0
		for _, m := range nb.patterns {
			t = max(t, m.Ones())
		}
	}
	t = min(t, s.law.Dim())
	n := float64(min(t*s.terms, s.law.Dim())+4*t+16) * unit
	return (2*n/(1-n)*s.sizes + s.off) * float64(t) * (1 + 8*unit)
}

// solve returns the best flip for the neighbors, by the search for their kind.
func (s *lossSearch) solve(nb Neighbors) (found, error) {
	parts, err := s.law.components(s.ctx)
	if err != nil {
		return found{}, err
	}
	switch nb.kind {
	case anyBits:
		return s.overComponents(parts, nb.times)
	case wholeRows:
		return s.rows(parts)
	case edges:
		return s.edges(parts)
	}
	var best found
	for _, m := range nb.patterns {
		var set []int
		for k, on := range m.Flat() {
			if on {
				set = append(set, k)
			}
		}
		f, err := s.sets(parts, [][]int{set})
		if err != nil {
			return found{}, err
		}
		best.take(f)
	}
	return best, nil
}

// take keeps the better flip and the greater bound.
func (f *found) take(g found) {
	if g.value > f.value || f.flip.Bits == nil {
		f.value, f.flip = g.value, g.flip
	}
	f.most = math.Max(f.most, g.most)
}

// join adds the flip g of independent bits.
func (f *found) join(g found) {
	f.value += g.value
	f.most += g.most
	f.flip.On = append(slices.Clip(f.flip.On), g.flip.On...)
	f.flip.Bits = append(slices.Clip(f.flip.Bits), g.flip.Bits...)
}

// absorb is join for an f that shares its slices with no other value, so they can be extended in place.
func (f *found) absorb(g found) {
	f.value += g.value
	f.most += g.most
	f.flip.On = append(f.flip.On, g.flip.On...)
	f.flip.Bits = append(f.flip.Bits, g.flip.Bits...)
}

// moved returns f with its bits shifted to another copy of a component.
func (f found) moved(by int) found {
	shift := func(v []int) []int {
		out := slices.Clone(v)
		for i := range out {
			out[i] += by
		}
		return out
	}
	f.flip = Flip{shift(f.flip.On), shift(f.flip.Bits)}
	return f
}

// rows returns the best flip of bits of one row. Each part contributes its bits of the row.
func (s *lossSearch) rows(parts []component) (found, error) {
	p := s.law.p
	if s.law.theta == nil {
		return s.anywhereInRow(parts)
	}
	perRow := make(map[int]*found) // for each row; of free objects, only the first
	for _, part := range parts {
		c, err := s.coupling(part.bits)
		if err != nil {
			return found{}, err
		}
		for first := 0; first < len(part.bits); { // bits ascend
			row, end := part.bits[first]/p, first
			for end < len(part.bits) && part.bits[end]/p == row {
				end++
			}
			best, err := c.upTo(part.bits[first:end], end-first)
			if err != nil {
				return found{}, err
			}
			if perRow[row] == nil {
				perRow[row] = &found{}
			}
			perRow[row].join(best[end-first])
			first = end
		}
	}
	var best found
	for _, row := range slices.Sorted(maps.Keys(perRow)) {
		best.take(*perRow[row])
	}
	return best, nil
}

// anywhereInRow is rows for a uniform law, whose parts are columns or bits.
func (s *lossSearch) anywhereInRow(parts []component) (found, error) {
	part := parts[0]
	c, err := s.coupling(part.bits)
	if err != nil {
		return found{}, err
	}
	one := c.alone(0)
	var best found
	for j := range s.law.p {
		best.join(one.moved(j))
	}
	return best, nil
}

// edges returns the best flip of a mirrored pair of bits (i, j) and (j, i).
func (s *lossSearch) edges(parts []component) (found, error) {
	var sets [][]int
	n := s.law.n
	for i := range n {
		for j := range i {
			sets = append(sets, []int{j*n + i, i*n + j})
		}
	}
	return s.sets(parts, sets)
}

// sets returns the best of the flips that complement one of the given sets as a whole.
func (s *lossSearch) sets(parts []component, sets [][]int) (found, error) {
	type share struct {
		set, copy int
		bits      []int // shifted to the first copy of the part
	}
	shares, part := make([][]share, len(parts)), index(parts)
	for i, set := range sets {
		if err := s.ctx.Err(); err != nil {
			return found{}, err
		}
		mine := make(map[[2]int]int) // index in shares[part], by part and copy
		for _, k := range set {
			at, copy := s.law.copyOf(k, part)
			n, ok := mine[[2]int{at, copy}]
			if !ok {
				n = len(shares[at])
				mine[[2]int{at, copy}] = n
				shares[at] = append(shares[at], share{set: i, copy: copy})
			}
			shares[at][n].bits = append(shares[at][n].bits, k-s.law.shift(parts[at], copy))
		}
	}
	total := make([]found, len(sets))
	for at, list := range shares {
		if len(list) == 0 {
			continue
		}
		c, err := s.coupling(parts[at].bits)
		if err != nil {
			return found{}, err
		}
		for n, share := range list {
			if n%64 == 0 && s.ctx.Err() != nil {
				return found{}, s.ctx.Err()
			}
			f, err := c.whole(share.bits)
			if err != nil {
				return found{}, err
			}
			total[share.set].join(f.moved(s.law.shift(parts[at], share.copy)))
		}
	}
	var best found
	for _, f := range total {
		best.take(f)
	}
	return best, nil
}
