package program

import (
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/interval"
)

// comparison is a linear form of draws with the intervals that it may lie in, one for each outcome.
type comparison struct {
	form  form
	spans []span
	u, v  SymbolicDraw
	op    string
}

func (c comparison) String() string { return c.u.String() + " " + c.op + " " + c.v.String() }

// Order compares two numbers of the run: −1 if u < v, 0 if they are equal, 1 if u > v. Less and Equal have fewer
// branches.
func (n *Noise) Order(u, v SymbolicDraw) int {
	if n.Less(u, v) {
		return -1
	}
	if n.Less(v, u) {
		return 1
	}
	return 0
}

// Less reports whether u < v.
func (n *Noise) Less(u, v SymbolicDraw) bool {
	d := v.Sub(u) // > 0
	if q, ok := d.Constant(); ok {
		return q.Sign() > 0
	}
	f, k := formOf(d.of)
	t := new(big.Rat).Quo(new(big.Rat).Neg(d.add), big.NewRat(int64(k), 1)) // d > 0: form > t, or < t if k < 0
	if k > 0 {
		cut, err := whole64(new(big.Int).Add(interval.RationalFloor(t), big.NewInt(1)))
		return n.compared(comparison{f, []span{{cut, above}, {below, cut - 1}}, u, v, "<"}, err) == 0
	}
	cut, err := whole64(new(big.Int).Sub(ceil(t), big.NewInt(1)))
	return n.compared(comparison{f, []span{{below, cut}, {cut + 1, above}}, u, v, "<"}, err) == 0
}

// Equal reports whether u = v.
func (n *Noise) Equal(u, v SymbolicDraw) bool {
	d := v.Sub(u)
	if q, ok := d.Constant(); ok {
		return q.Sign() == 0
	}
	f, k := formOf(d.of)
	t := new(big.Rat).Quo(new(big.Rat).Neg(d.add), big.NewRat(int64(k), 1))
	if !t.IsInt() {
		return false
	}
	at, err := whole64(t.Num())
	return n.compared(comparison{f, []span{{at, at}, {below, at - 1}, {at + 1, above}}, u, v, "=="}, err) == 0
}

func ceil(q *big.Rat) *big.Int { return new(big.Int).Neg(interval.RationalFloor(new(big.Rat).Neg(q))) }

// compared returns the index of the outcome that the run takes. A replayed run repeats its outcome, and a new
// comparison takes the first possible outcome.
func (n *Noise) compared(c comparison, err error) int {
	if n.err != nil {
		return 0
	}
	if err != nil {
		n.Fail(fmt.Errorf("%v: %w", c, err))
		return 0
	}
	where := n.place()
	if n.at < len(n.stack) {
		d := &n.stack[n.at]
		if d.weights != nil || d.cut.form.key != c.form.key || !slices.Equal(d.cut.spans, c.spans) {
			n.strays(c.String(), d.String())
			return 0
		}
		n.at++
		way := d.ways[d.taken]
		n.state = n.state.with(c, way, where)
		n.state.prob = d.prefix
		return way
	}
	if n.crowded() {
		return 0
	}
	d := decision{prefix: n.state.prob, cut: c}
	for way := range c.spans {
		if n.state.with(c, way, where).possible() {
			d.ways = append(d.ways, way)
		}
	}
	if len(d.ways) == 0 { // the path was impossible before, which possible does not always detect
		n.Fail(errImpossible)
		return 0
	}
	n.stack = append(n.stack, d)
	n.at++
	n.state = n.state.with(c, d.ways[0], where)
	return d.ways[0]
}

func (n *Noise) place() fmt.Stringer {
	if n.Place == nil {
		return nil
	}
	return n.Place()
}

// with returns the state in which c's form lies in the interval of the outcome way.
func (s state) with(c comparison, way int, where fmt.Stringer) state {
	for i, k := range s.spans {
		if k.form.key == c.form.key {
			spans := slices.Clone(s.spans)
			spans[i] = known{k.form, span{max(k.span.lo, c.spans[way].lo), min(k.span.hi, c.spans[way].hi)}, where}
			s.spans = spans
			return s
		}
	}
	s.spans = append(s.spans[:len(s.spans):len(s.spans)], known{c.form, c.spans[way], where})
	return s
}
