package program

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dpworkbench/internal/parameter"
)

// treeSums sums out a path's draws by message passing on the trees of their comparisons. Of each component it keeps
// the draw that is part of the output, if any.
//
// A draw's weight is its law, restricted to its interval, times the messages of its children. Its message to its
// parent is the difference of its running sum at the two ends of its interval given the parent. All of these are
// sums of c·k^d·z^{ek} on pieces.
type treeSums struct {
	rates *rates
	state state
	spans []span    // interval of each draw from the comparisons of it alone
	pairs [][]*edge // edges of each draw
	keys  map[subtree]string
}

// subtree is a draw with its descendants as seen from a parent. A nil parent means the whole tree.
type subtree struct {
	draw   int
	parent *edge
}

// edge holds the bounds on two draws' difference a − b and on their sum.
type edge struct {
	a, b     int
	diff     span
	sum      span
	compared fmt.Stringer // last comparison of the two draws
}

func (e *edge) other(i int) int { return e.a + e.b - i }

// newTreeSums reads the comparisons of a path. The error names a comparison that is not a bound on one draw or on two
// with unit coefficients.
func newTreeSums(r *rates, s state) (*treeSums, error) {
	f := &treeSums{r, s, make([]span, len(s.draws)), make([][]*edge, len(s.draws)), make(map[subtree]string)}
	for i := range s.draws {
		f.spans[i] = f.everywhere(i)
	}
	edges := make(map[[2]int]*edge)
	for _, k := range s.spans {
		of := k.form.of
		switch {
		case len(of) == 1:
			f.spans[of[0].draw] = span{max(f.spans[of[0].draw].lo, k.span.lo), min(f.spans[of[0].draw].hi, k.span.hi)}
		case len(of) == 2 && of[0].times == 1 && max(of[1].times, -of[1].times) == 1:
			at := [2]int{of[0].draw, of[1].draw}
			e := edges[at]
			if e == nil {
				e = &edge{at[0], at[1], span{below, above}, span{below, above}, k.where}
				edges[at] = e
				f.pairs[at[0]], f.pairs[at[1]] = append(f.pairs[at[0]], e), append(f.pairs[at[1]], e)
			}
			e.compared = k.where
			if of[1].times < 0 {
				e.diff = k.span
			} else {
				e.sum = k.span
			}
		default:
			return nil, fmt.Errorf("%s%w", prefix(k.where), cyclicError{parameter.Errorf("a comparison of %s, want a comparison of one or two draws with coefficients 1 or -1", SymbolicDraw{of: k.form.of, add: zero})})
		}
	}
	return f, nil
}

func prefix(where fmt.Stringer) string {
	if where == nil {
		return ""
	}
	return where.String() + ": "
}

// component is a tree of draws. kept is the draw that is part of the output, or −1.
type component struct {
	draws []int
	kept  int
}

// components returns the trees of draws. The error names a comparison that closes a cycle, or two draws of the output
// in one tree.
func (f *treeSums) components(kept []int) ([]component, error) {
	seen := make([]bool, len(f.spans))
	var out []component
	for root := range f.spans {
		if seen[root] {
			continue
		}
		c := component{kept: -1}
		seen[root] = true
		todo := []int{root}
		edges := 0
		for len(todo) > 0 {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			c.draws = append(c.draws, i)
			if slices.Contains(kept, i) {
				if c.kept >= 0 {
					return nil, parameter.Errorf("the draws X%d and X%d are both in the output and depend on each other through comparisons: want outputs that are independent given the branches", c.kept+1, i+1)
				}
				c.kept = i
			}
			for _, e := range f.pairs[i] {
				if e.a == i {
					edges++
				}
				if j := e.other(i); !seen[j] {
					seen[j] = true
					todo = append(todo, j)
				}
			}
		}
		if edges >= len(c.draws) {
			e := f.closing(c.draws)
			return nil, fmt.Errorf("%s%w", prefix(e.compared), cyclicError{parameter.Errorf("the comparison of X%d with X%d makes the graph of comparisons cyclic, want a forest", e.a+1, e.b+1)})
		}
		out = append(out, c)
	}
	return out, nil
}

// closing returns an edge of a component that closes a cycle.
func (f *treeSums) closing(draws []int) *edge {
	root := make(map[int]int)
	var find func(i int) int
	find = func(i int) int {
		if r, ok := root[i]; ok && r != i {
			return find(r)
		}
		return i
	}
	for _, i := range draws {
		for _, e := range f.pairs[i] {
			if e.a != i {
				continue
			}
			a, b := find(e.a), find(e.b)
			if a == b {
				return e
			}
			root[a] = b
		}
	}
	return nil
}

// everywhere returns the interval of a draw before any comparison.
func (f *treeSums) everywhere(i int) span {
	if f.state.draws[i].oneSided {
		return span{0, above}
	}
	return span{below, above}
}

// law returns the weights of a draw before any comparison, without its normaliser.
func (f *treeSums) law(i int) piecewise {
	d := f.state.draws[i]
	one := f.rates.field.one()
	up := piece{0, above, []term{{c: one, e: d.step}}}
	if d.oneSided {
		return piecewise{up}
	}
	return piecewise{{below, -1, []term{{c: one, e: d.step.times(-1)}}}, up}
}

// normaliser returns 1/Σ of a draw's weights: (1 − z)/(1 + z), or 1 − z for a one-sided draw.
func (r *rates) normaliser(d draw) fraction {
	f := r.field
	top := fraction{num: oneMinus(d.step)}
	if d.oneSided {
		return top
	}
	return f.quo(top, f.add(f.one(), f.power(d.step)))
}

// weight returns the weights of draw i after the rest of its tree is summed out, except for the part beyond the edge
// parent.
func (f *treeSums) weight(i int, parent *edge) piecewise {
	field := f.rates.field
	w := field.timesOf(f.law(i), f.rates.normaliser(f.state.draws[i])).within(f.spans[i].lo, f.spans[i].hi)
	for _, e := range f.pairs[i] {
		if e != parent {
			w = field.product(w, f.message(e, i))
		}
	}
	return w
}

// total returns the sum of the weights of the tree that contains the draw root.
func (f *treeSums) total(root int) fraction {
	return remembered(f.rates.field.sums, f.key(root, nil), func() fraction { return f.rates.field.reduced(f.rates.total(f.weight(root, nil))) })
}

// key returns a map key for weight(i, parent). Trees that differ only in the order of their draws have the same key.
func (f *treeSums) key(i int, parent *edge) string {
	if key, ok := f.keys[subtree{i, parent}]; ok {
		return key
	}
	var behind []string
	for _, e := range f.pairs[i] {
		if e != parent {
			behind = append(behind, f.linkKey(e, i))
		}
	}
	slices.Sort(behind)
	d := f.state.draws[i]
	b := []byte{0, byte(len(behind))}
	if d.oneSided {
		b[0] = 1
	}
	for _, k := range d.step {
		b = binary.AppendVarint(b, k)
	}
	b = f.spans[i].key(b)
	for _, k := range behind {
		b = append(binary.AppendUvarint(b, uint64(len(k))), k...)
	}
	key := string(b)
	f.keys[subtree{i, parent}] = key
	return key
}

// linkKey returns a map key for the message over e to a draw.
func (f *treeSums) linkKey(e *edge, to int) string {
	return string(e.sum.key(e.seen(to).key(nil))) + f.key(e.other(to), e)
}

func (s span) key(b []byte) []byte { return binary.AppendVarint(binary.AppendVarint(b, s.lo), s.hi) }

// seen returns the interval of y − k, where k is the value of draw to and y is the value of the edge's other draw.
func (e *edge) seen(to int) span {
	if to != e.a {
		return e.diff
	}
	d := span{-e.diff.hi, -e.diff.lo} // diff is k − y
	if e.diff.lo == below {
		d.hi = above
	}
	if e.diff.hi == above {
		d.lo = below
	}
	return d
}

// message sums out all draws beyond e as seen from draw to. The result is a function of the value of draw to.
func (f *treeSums) message(e *edge, to int) piecewise {
	return remembered(f.rates.field.messages, f.linkKey(e, to), func() piecewise { return f.passed(e, to) })
}

func (f *treeSums) passed(e *edge, to int) piecewise {
	field := f.rates.field
	w := f.rates.summed(f.weight(e.other(to), e))
	// with draw to at k, the other draw y has y − k in d and y + k in s
	d, s := e.seen(to), e.sum
	// upper end min(k + d.hi, s.hi − k), lower end max(k + d.lo, s.lo − k), less 1
	upper := f.joined(w, d.hi, s.hi, above)
	lower := f.joined(w, less(d.lo), less(s.lo), below)
	out := field.sumOf(upper, field.timesOf(lower, field.one().neg()))
	// empty where the ends cross: 2k ≤ s.hi − d.lo, 2k ≥ s.lo − d.hi
	in := span{below, above}
	if s.hi != above && d.lo != below {
		in.hi = floorDiv(s.hi-d.lo, 2)
	}
	if s.lo != below && d.hi != above {
		in.lo = -floorDiv(d.hi-s.lo, 2)
	}
	return out.within(in.lo, in.hi)
}

func less(n int64) int64 {
	if n == below {
		return n
	}
	return n - 1
}

// joined returns w at the tighter of the ends k + d and s − k. The tighter of two upper ends is the smaller, and none
// is then above. The tighter of two lower ends is the larger, and none is then below. An end that equals none is no
// bound.
func (f *treeSums) joined(w piecewise, d, s, none int64) piecewise {
	field := f.rates.field
	switch {
	case d == none && s == none:
		if none == below {
			return nil
		}
		var total fraction
		if len(w) > 0 {
			total = f.limit(w)
		}
		if total.isZero() {
			return nil
		}
		return piecewise{{below, above, []term{{c: total}}}}
	case s == none:
		return field.moved(w, 1, d)
	case d == none:
		return field.moved(w, -1, s)
	}
	at := floorDiv(s-d, 2) // the last k with k + d ≤ s − k
	left, right := field.moved(w, 1, d), field.moved(w, -1, s)
	if none == below {
		left, right = right, left
	}
	return slices.Concat(left.within(below, at), right.within(at+1, above))
}

// limit returns the limit of the running sum w towards +∞.
func (f *treeSums) limit(w piecewise) fraction {
	last := w[len(w)-1]
	if last.hi != above { // the weights sum to 0
		return fraction{}
	}
	for _, t := range last.terms {
		if t.d == 0 && t.e.isZero() {
			return t.c
		}
	}
	return fraction{}
}
