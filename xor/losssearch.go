package xor

import (
	"context"
	"math"
	"slices"
)

// found is the best flip of a search: value as computed, most a bound on what
// was not looked at (value where everything was).
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
	sizes  float64 // the greatest Σ_k |2Π_jk| + |Π_jj| met, for rounding bounds
	terms  int     // the greatest number of terms in one sum
}

// slack bounds the rounding of a value: a flip of t bits sums at most t·terms
// couplings, or one for each bit, of t times the greatest size. Values are
// compared with one another, so that twice the error of one is allowed.
func (s *lossSearch) slack(nb Neighbors) float64 {
	t := nb.bits
	switch nb.kind {
	case oneRow:
		t = s.law.p
	case oneEdge:
		t = 2
	case listed:
		t = 0
		for _, m := range nb.patterns {
			t = max(t, m.Ones())
		}
	}
	t = min(t, s.law.Dim())
	return 2 * gamma(min(t*s.terms, s.law.Dim())+4*t+16) * float64(t) * s.sizes
}

// solve dispatches on the kind of neighbors.
func (s *lossSearch) solve(nb Neighbors) (found, error) {
	parts, err := s.law.components(s.ctx)
	if err != nil {
		return found{}, err
	}
	switch nb.kind {
	case anyBits:
		return s.anywhere(parts, nb.bits)
	case oneRow:
		return s.rows(parts)
	case oneEdge:
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

// join adds independent flips.
func (f *found) join(g found) {
	f.value += g.value
	f.most += g.most
	f.flip.On = append(slices.Clip(f.flip.On), g.flip.On...)
	f.flip.Bits = append(slices.Clip(f.flip.Bits), g.flip.Bits...)
}

// moved returns f with its bits shifted, for copies of a component.
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

// stride returns the distance between the bits of one copy and of the next.
func (s *lossSearch) stride() int {
	if s.law.theta == nil {
		return 1 // columns
	}
	return s.law.p // rows
}

// anywhere spends at most t bits on the independent parts, the best way.
func (s *lossSearch) anywhere(parts []component, t int) (found, error) {
	t = min(t, s.law.Dim())
	total := make([]found, t+1)
	for _, part := range parts {
		width := min(t, len(part.bits))
		c, err := s.coupling(part.bits)
		if err != nil {
			return found{}, err
		}
		best, err := c.upTo(part.bits, width)
		if err != nil {
			return found{}, err
		}
		for copy := range min(part.copies, t) {
			next := slices.Clone(total)
			for have := range total {
				for k := 1; k <= width && have+k <= t; k++ {
					sum, to := total[have], &next[have+k]
					if sum.value+best[k].value > to.value {
						sum.join(best[k].moved(copy * s.stride()))
						to.take(sum)
					}
					to.most = math.Max(to.most, total[have].most+best[k].most)
				}
			}
			total = next
			if err := s.ctx.Err(); err != nil {
				return found{}, err
			}
		}
	}
	var best found
	for _, f := range total {
		best.take(f)
	}
	return best, nil
}

// rows maximises over the bits of one row, part by part.
func (s *lossSearch) rows(parts []component) (found, error) {
	p := s.law.p
	if s.law.theta == nil {
		return s.anywhereInRow(parts)
	}
	objects := s.law.n
	if len(parts) > 0 && parts[0].copies > 1 {
		objects = 1 // all rows are alike
	}
	perRow := make([]found, objects)
	for _, part := range parts {
		c, err := s.coupling(part.bits)
		if err != nil {
			return found{}, err
		}
		byRow := map[int][]int{}
		for _, k := range part.bits {
			byRow[k/p] = append(byRow[k/p], k)
		}
		for i := range objects {
			if len(byRow[i]) == 0 {
				continue
			}
			best, err := c.upTo(byRow[i], len(byRow[i]))
			if err != nil {
				return found{}, err
			}
			perRow[i].join(best[len(best)-1])
		}
	}
	var best found
	for _, f := range perRow {
		best.take(f)
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
	one, err := c.upTo(part.bits[:1], 1)
	if err != nil {
		return found{}, err
	}
	var best found
	for j := range s.law.p {
		best.join(one[1].moved(j))
	}
	return best, nil
}

// edges maximises over mirrored pairs of bits.
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

// sets maximises over the given sets, each flipped whole.
func (s *lossSearch) sets(parts []component, sets [][]int) (found, error) {
	total := make([]found, len(sets))
	for _, part := range parts {
		for copy := range part.copies {
			at := map[int]bool{}
			for _, k := range part.bits {
				at[k+copy*s.stride()] = true
			}
			var c *coupling
			for i, set := range sets {
				if err := s.ctx.Err(); err != nil {
					return found{}, err
				}
				var mine []int
				for _, k := range set {
					if at[k] {
						mine = append(mine, k)
					}
				}
				if len(mine) == 0 {
					continue
				}
				if c == nil {
					bits := make([]int, len(part.bits))
					for q, k := range part.bits {
						bits[q] = k + copy*s.stride()
					}
					var err error
					if c, err = s.coupling(bits); err != nil {
						return found{}, err
					}
				}
				f, err := c.whole(mine)
				if err != nil {
					return found{}, err
				}
				total[i].join(f)
			}
		}
	}
	var best found
	for _, f := range total {
		best.take(f)
	}
	return best, nil
}
