package program

import (
	"math"
	"math/big"
)

// The ends of unbounded pieces.
const (
	below = math.MinInt64
	above = math.MaxInt64
)

// piecewise is a function on the integers: Σ c·k^d·z^{ek} on each piece, and 0 outside. Pieces ascend and do not
// overlap.
type piecewise []piece

type piece struct {
	lo, hi int64 // both inclusive; below and above mean infinity
	terms  []term
}

// term is c·k^d·z^{ek}.
type term struct {
	c fraction
	d int
	e exponent
}

// plus adds a term to terms with distinct powers and bases.
func (f *field) plus(terms []term, t term) []term {
	if t.c.isZero() {
		return terms
	}
	for i, u := range terms {
		if u.d == t.d && u.e == t.e {
			out := append([]term(nil), terms...)
			if out[i].c = f.add(u.c, t.c); out[i].c.isZero() {
				out = append(out[:i], out[i+1:]...)
			}
			return out
		}
	}
	return append(terms[:len(terms):len(terms)], t)
}

// at returns the sum of the terms at k.
func (f *field) at(terms []term, k int64) fraction { return f.total(f.parts(nil, terms, k)) }

// parts appends the value of each term at k.
func (f *field) parts(out []fraction, terms []term, k int64) []fraction {
	for _, t := range terms {
		c := t.c.shift(t.e.times(k))
		if t.d > 0 {
			c = f.mul(c, fraction{num: whole(new(big.Int).Exp(big.NewInt(k), big.NewInt(int64(t.d)), nil))})
		}
		out = append(out, c)
	}
	return out
}

// value returns g(k).
func (f *field) value(g piecewise, k int64) fraction {
	for _, p := range g {
		if p.lo <= k && k <= p.hi {
			return f.at(p.terms, k)
		}
	}
	return fraction{}
}

// combine returns the function whose terms are rule(terms of a, terms of b) at every integer. Where a function is 0,
// its terms are nil.
func combine(a, b piecewise, rule func(x, y []term) []term) piecewise {
	var out piecewise
	put := func(lo, hi int64, terms []term) {
		if len(terms) > 0 {
			out = append(out, piece{lo, hi, terms})
		}
	}
	i, j, lo := 0, 0, int64(below)
	for i < len(a) || j < len(b) {
		// x and y are the terms of both functions at lo, and hi is the last integer up to which they stay the same.
		hi := int64(above)
		var x, y []term
		if i < len(a) {
			if a[i].lo <= lo {
				x, hi = a[i].terms, min(hi, a[i].hi)
			} else {
				hi = min(hi, a[i].lo-1)
			}
		}
		if j < len(b) {
			if b[j].lo <= lo {
				y, hi = b[j].terms, min(hi, b[j].hi)
			} else {
				hi = min(hi, b[j].lo-1)
			}
		}
		if x != nil || y != nil {
			put(lo, hi, rule(x, y))
		}
		if hi == above {
			break
		}
		lo = hi + 1
		if i < len(a) && a[i].hi < lo {
			i++
		}
		if j < len(b) && b[j].hi < lo {
			j++
		}
	}
	return out
}

func (f *field) sumOf(a, b piecewise) piecewise {
	return combine(a, b, func(x, y []term) []term {
		for _, t := range y {
			x = f.plus(x, t)
		}
		return x
	})
}

func (f *field) product(a, b piecewise) piecewise {
	return combine(a, b, func(x, y []term) []term {
		var out []term
		for _, t := range x {
			for _, u := range y {
				out = f.plus(out, term{f.mul(t.c, u.c), t.d + u.d, t.e.add(u.e)})
			}
		}
		return out
	})
}

// timesOf returns c·g.
func (f *field) timesOf(g piecewise, c fraction) piecewise {
	out := make(piecewise, len(g))
	for i, p := range g {
		terms := make([]term, len(p.terms))
		for j, t := range p.terms {
			terms[j] = term{f.mul(t.c, c), t.d, t.e}
		}
		out[i] = piece{p.lo, p.hi, terms}
	}
	return out
}

// within returns g on lo … hi alone.
func (g piecewise) within(lo, hi int64) piecewise {
	var out piecewise
	for _, p := range g {
		if p.lo, p.hi = max(p.lo, lo), min(p.hi, hi); p.lo <= p.hi {
			out = append(out, p)
		}
	}
	return out
}

// moved returns k ↦ g(s·k + c) for s = ±1.
func (f *field) moved(g piecewise, s, c int64) piecewise {
	out := make(piecewise, 0, len(g))
	to := func(n int64) int64 { // the k with s·k + c = n
		switch {
		case n == below || n == above:
			if s < 0 {
				return below + above - n // the other end
			}
			return n
		}
		return s * (n - c)
	}
	for _, p := range g {
		lo, hi := to(p.lo), to(p.hi)
		if s < 0 {
			lo, hi = hi, lo
		}
		var terms []term
		for _, t := range p.terms {
			shifted := t.c.shift(t.e.times(c))
			for j := range t.d + 1 { // (s·k + c)^d = Σ_j C(d, j) (s·k)^j c^{d−j}
				b := new(big.Int).Binomial(int64(t.d), int64(j))
				b.Mul(b, new(big.Int).Exp(big.NewInt(c), big.NewInt(int64(t.d-j)), nil))
				if s < 0 && j%2 == 1 {
					b.Neg(b)
				}
				terms = f.plus(terms, term{f.mul(shifted, fraction{num: whole(b)}), j, t.e.times(s)})
			}
		}
		out = append(out, piece{lo, hi, terms})
	}
	if s < 0 {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out
}

// summed returns the function n ↦ Σ_{k ≤ n} g(k), with pieces up to +∞. The sums must converge towards −∞ and ∞.
func (r *rates) summed(g piecewise) piecewise {
	f := r.field
	var out piecewise
	var total fraction
	end := int64(below)
	flat := func(lo, hi int64) {
		if !total.isZero() && lo <= hi {
			out = append(out, piece{lo, hi, []term{{c: total}}})
		}
	}
	for _, p := range g {
		if p.lo > end {
			flat(end, p.lo-1)
		}
		up := r.antidifference(p.terms)
		start := total
		if p.lo != below {
			start = f.sub(start, f.at(up, p.lo-1))
		}
		terms := f.plus(up, term{c: start})
		if len(terms) > 0 {
			out = append(out, piece{p.lo, p.hi, terms})
		}
		if p.hi == above {
			return out // the limit of up is 0: the total is start
		}
		total = f.at(terms, p.hi)
		end = p.hi + 1
	}
	flat(end, above)
	return out
}

// total returns Σ_k g(k).
func (r *rates) total(g piecewise) fraction {
	f := r.field
	var parts []fraction
	for _, p := range g {
		up := r.antidifference(p.terms)
		if p.hi != above {
			parts = f.parts(parts, up, p.hi)
		}
		if p.lo != below {
			from := len(parts)
			parts = f.parts(parts, up, p.lo-1)
			for i := range parts[from:] {
				parts[from+i] = parts[from+i].neg()
			}
		}
	}
	return f.total(parts)
}

// antidifference returns G with G(k) − G(k−1) = Σ terms, without a constant.
//
// For k^d b^k with b ≠ 1, G = q(k) b^k and q(k) − q(k−1)/b = k^d, from the highest power down: q_j (1 − 1/b) = [j =
// d] + Σ_{i > j} q_i C(i, j) (−1)^{i−j}/b. For b = 1, q has one power more: Σ_{i > j} q_i C(i, j) (−1)^{i−j} = −[j
// = d] gives q_{j+1} for j = d, d−1, … 0.
func (r *rates) antidifference(terms []term) []term {
	f := r.field
	var out []term
	for _, t := range terms {
		signed := func(i, j int) fraction { // C(i, j) (−1)^{i−j}
			b := new(big.Int).Binomial(int64(i), int64(j))
			if (i-j)%2 == 1 {
				b.Neg(b)
			}
			return fraction{num: whole(b)}
		}
		if t.e.isZero() {
			q := make([]fraction, t.d+2)
			for j := t.d; j >= 0; j-- {
				var rest fraction
				if j == t.d {
					rest = t.c.neg()
				}
				for i := j + 2; i < len(q); i++ {
					rest = f.sub(rest, f.mul(q[i], signed(i, j)))
				}
				q[j+1] = f.scale(rest, big.NewRat(-1, int64(j+1))) // C(j+1, j)·(−1) q_{j+1} = rest
			}
			for j, c := range q {
				out = f.plus(out, term{c, j, t.e})
			}
			continue
		}
		back := t.e.times(-1)
		q := make([]fraction, t.d+1)
		for j := t.d; j >= 0; j-- {
			var sum fraction
			if j == t.d {
				sum = t.c
			}
			for i := j + 1; i <= t.d; i++ {
				sum = f.add(sum, f.mul(q[i], signed(i, j)).shift(back))
			}
			q[j] = f.overOneMinus(sum, back, r.grows(back))
		}
		for j, c := range q {
			out = f.plus(out, term{c, j, t.e})
		}
	}
	return out
}
