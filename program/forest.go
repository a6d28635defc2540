package program

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dpworkbench/internal/parameter"
)

// forest sums a path's draws out: those of one component, whose comparisons form a tree. Draws that are
// part of the output are kept, one of each component.
//
// A draw's weight is its law, cut to where it lies, times what its children sum up to as functions of it;
// what it sums up to for its parent is the difference of two values of its running sum, at the
// two ends of where it lies beside the parent. All of these are sums of c·k^d·z^{ek} on pieces.
type forest struct {
	rates *rates
	state state
	spans []span    // of each draw alone
	pairs [][]*edge // of each draw
	keys  map[side]string
}

// side is a draw with all behind it as seen from a parent; nil sees all of its tree.
type side struct {
	draw   int
	parent *edge
}

// edge is what is known of two draws' difference a − b and of their sum.
type edge struct {
	a, b     int
	diff     span
	sum      span
	compared fmt.Stringer // where they were compared last
}

func (e *edge) other(i int) int { return e.a + e.b - i }

// newForest reads what a path knows of its draws. The error names a comparison that is no
// bound on a draw or on two with unit coefficients.
func newForest(r *rates, s state) (*forest, error) {
	f := &forest{r, s, make([]span, len(s.draws)), make([][]*edge, len(s.draws)), make(map[side]string)}
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
			return nil, fmt.Errorf("%s%w", prefix(k.where), tangled{parameter.Errorf("a comparison of %s, want one of one or two draws with unit coefficients", Unknown{of: k.form.of, add: zero})})
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

// component is a tree of draws, and the one that is part of the output, or −1.
type component struct {
	draws []int
	kept  int
}

// components returns the trees. The error names a comparison that closes a circle, or draws that are
// both part of the output and compared.
func (f *forest) components(kept []int) ([]component, error) {
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
					return nil, parameter.Errorf("the draws X%d and X%d are part of the output and were compared with each other: want outputs that are independent given the branches", c.kept+1, i+1)
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
			return nil, fmt.Errorf("%s%w", prefix(e.compared), tangled{parameter.Errorf("the comparison of X%d with X%d closes a circle of comparisons, want a forest", e.a+1, e.b+1)})
		}
		out = append(out, c)
	}
	return out, nil
}

// closing returns an edge of a component that closes a circle.
func (f *forest) closing(draws []int) *edge {
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

// everywhere is where a draw lies before anything is known of it.
func (f *forest) everywhere(i int) span {
	if f.state.draws[i].oneSided {
		return span{0, above}
	}
	return span{below, above}
}

// law returns the weights of a draw before anything is known of it: without its normaliser.
func (f *forest) law(i int) piecewise {
	d := f.state.draws[i]
	one := f.rates.field.one()
	up := piece{0, above, []term{{c: one, e: d.step}}}
	if d.oneSided {
		return piecewise{up}
	}
	return piecewise{{below, -1, []term{{c: one, e: d.step.times(-1)}}}, up}
}

// normaliser returns 1/Σ of a draw's weights: (1 − z)/(1 + z), and 1 − z of one side.
func (r *rates) normaliser(d draw) fraction {
	f := r.field
	top := fraction{num: oneMinus(d.step)}
	if d.oneSided {
		return top
	}
	return f.quo(top, f.add(f.one(), f.power(d.step)))
}

// weight returns the weights of draw i with all of its tree behind it summed out, but for the
// part behind parent.
func (f *forest) weight(i int, parent *edge) piecewise {
	field := f.rates.field
	w := field.timesOf(f.law(i), f.rates.normaliser(f.state.draws[i])).within(f.spans[i].lo, f.spans[i].hi)
	for _, e := range f.pairs[i] {
		if e != parent {
			w = field.product(w, f.message(e, i))
		}
	}
	return w
}

// total returns the sum of the weights of the tree of draw root.
func (f *forest) total(root int) fraction {
	return remembered(f.rates.field.sums, f.key(root, nil), func() fraction { return f.rates.field.reduced(f.rates.total(f.weight(root, nil))) })
}

// key names the weights of draw i with its tree behind it but for the part behind parent. Trees that
// differ only in the order of their draws have one name.
func (f *forest) key(i int, parent *edge) string {
	if key, ok := f.keys[side{i, parent}]; ok {
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
	f.keys[side{i, parent}] = key
	return key
}

// linkKey names the message over e to a draw.
func (f *forest) linkKey(e *edge, to int) string {
	return string(e.sum.key(e.seen(to).key(nil))) + f.key(e.other(to), e)
}

func (s span) key(b []byte) []byte { return binary.AppendVarint(binary.AppendVarint(b, s.lo), s.hi) }

// seen returns where y − k lies for draw to at k and the other one at y.
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

// message sums out everything behind e as seen from draw to: a function of it.
func (f *forest) message(e *edge, to int) piecewise {
	return remembered(f.rates.field.messages, f.linkKey(e, to), func() piecewise { return f.passed(e, to) })
}

func (f *forest) passed(e *edge, to int) piecewise {
	field := f.rates.field
	w := f.rates.summed(f.weight(e.other(to), e))
	// from draw to at k, the other one, y, has y − k in d and y + k in s
	d, s := e.seen(to), e.sum
	// upper end min(k + d.hi, s.hi − k), lower end max(k + d.lo, s.lo − k), less 1
	upper := f.joined(w, d.hi, s.hi, above)
	lower := f.joined(w, less(d.lo), less(s.lo), below)
	out := field.sumOf(upper, field.timesOf(lower, field.one().neg()))
	// where the ends are past each other there is nothing: 2k ≤ s.hi − d.lo, 2k ≥ s.lo − d.hi
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

// joined returns w at k + d where that is the nearer end, and at s − k where that is: the smaller for upper
// ends, of which none is above, and the larger for lower ones, of which none is below.
func (f *forest) joined(w piecewise, d, s, none int64) piecewise {
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
	at := floorDiv(s-d, 2) // k + d ≤ s − k up to here
	left, right := field.moved(w, 1, d), field.moved(w, -1, s)
	if none == below {
		left, right = right, left
	}
	return slices.Concat(left.within(below, at), right.within(at+1, above))
}

// limit returns the value of a running sum towards ∞.
func (f *forest) limit(w piecewise) fraction {
	last := w[len(w)-1]
	if last.hi != above { // weights that are 0 throughout, though they have pieces
		return fraction{}
	}
	for _, t := range last.terms {
		if t.d == 0 && t.e.isZero() {
			return t.c
		}
	}
	return fraction{}
}
