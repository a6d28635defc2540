package roots

import (
	"context"
	"math/big"
	"slices"
)

// Root is a root in (0, 1): rational if Lo = Hi, and otherwise the only root of a polynomial in the open interval
// (Lo, Hi), whose ends are not roots.
type Root struct{ Lo, Hi *big.Rat }

// IsPoint reports whether the root is known as a rational number.
func (r Root) IsPoint() bool { return r.Lo.Cmp(r.Hi) == 0 }

// Middle returns a number in the root's interval.
func (r Root) Middle() *big.Rat {
	m := new(big.Rat).Add(r.Lo, r.Hi)
	return m.Mul(m, big.NewRat(1, 2))
}

// cell is an open interval (k/2^n, (k+1)/2^n) with the polynomial transformed from it onto (0, 1).
type cell struct {
	k    *big.Int
	n    uint
	poly Polynomial
}

func (c cell) at(k *big.Int) *big.Rat {
	return new(big.Rat).SetFrac(k, new(big.Int).Lsh(big.NewInt(1), c.n))
}

func (c cell) root() Root { return Root{c.at(c.k), c.at(new(big.Int).Add(c.k, big.NewInt(1)))} }

// Roots returns the distinct roots of p in (0, 1), ascending, in disjoint intervals, or the context's error.
func (p Polynomial) Roots(ctx context.Context) ([]Root, error) {
	if p = p.inside(); len(p) == 0 {
		return nil, nil
	}
	out, ok, err := p.isolated(ctx, 48)
	if ok || err != nil {
		return out, err
	}
	out, _, err = p.once().isolated(ctx, -1)
	return out, err
}

// isolated returns the roots of p in (0, 1), bisecting until Descartes' rule counts at most one root in each cell. If a
// cell would need more than depth bisections, it returns false; a negative depth is no limit.
func (p Polynomial) isolated(ctx context.Context, depth int) ([]Root, bool, error) {
	var out []Root
	todo := []cell{{new(big.Int), 0, p}}
	for len(todo) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch changes := c.poly.changes(); {
		case changes == 0:
			continue
		case changes == 1:
			if c.poly.ends() {
				out = append(out, c.root())
				continue
			}
		}
		if depth >= 0 && int(c.n) > depth {
			return nil, false, nil
		}
		// The left half has p(z/2)·2^n. The right half has the same polynomial shifted by 1.
		n := len(c.poly) - 1
		left := make(Polynomial, n+1)
		for i, a := range c.poly {
			left[i] = new(big.Int).Lsh(a, uint(n-i))
		}
		right := left.moved()
		twice := new(big.Int).Lsh(c.k, 1)
		after := new(big.Int).Add(twice, big.NewInt(1))
		if right[0].Sign() == 0 {
			middle := cell{k: after, n: c.n + 1}.at(after)
			out = append(out, Root{middle, middle})
		}
		todo = append(todo, cell{twice, c.n + 1, left}, cell{after, c.n + 1, right})
	}
	slices.SortFunc(out, func(a, b Root) int { return a.Lo.Cmp(b.Lo) + a.Hi.Cmp(b.Hi) })
	return out, true, nil
}

// ends reports whether p is nonzero at 0 and at 1.
func (p Polynomial) ends() bool {
	if p[0].Sign() == 0 {
		return false
	}
	sum := new(big.Int)
	for _, c := range p {
		sum.Add(sum, c)
	}
	return sum.Sign() != 0
}

// moved returns p(z + 1).
func (p Polynomial) moved() Polynomial {
	out := make(Polynomial, len(p))
	for i, c := range p {
		out[i] = new(big.Int).Set(c)
	}
	for i := range out {
		for j := len(out) - 2; j >= i; j-- {
			out[j].Add(out[j], out[j+1])
		}
	}
	return out
}

// changes returns the number of sign changes of (1+z)^n p(1/(1+z)). It is at least the number of roots in (0, 1) and of
// the same parity, so 0 and 1 are exact.
func (p Polynomial) changes() int {
	if n, _ := signs(p); n == 0 {
		return 0 // without a sign change p has no positive root
	}
	turned := slices.Clone(p)
	slices.Reverse(turned)
	n, _ := signs(turned.moved())
	return n
}

func signs(p Polynomial) (changes, last int) {
	for _, c := range p {
		if s := c.Sign(); s != 0 {
			if last != 0 && s != last {
				changes++
			}
			last = s
		}
	}
	return changes, last
}

// Refine returns the root of p in r's interval, in an interval no wider than width.
func (p Polynomial) Refine(r Root, width *big.Rat) Root {
	if r.IsPoint() {
		return r
	}
	p = p.inside()
	lo := p.Sign(r.Lo)
	if lo == p.Sign(r.Hi) { // at a root of even order p keeps its sign: use the polynomial with simple roots
		p = p.once()
		lo = p.Sign(r.Lo)
	}
	for new(big.Rat).Sub(r.Hi, r.Lo).Cmp(width) > 0 {
		m := r.Middle()
		switch p.Sign(m) {
		case 0:
			return Root{m, m}
		case lo:
			r.Lo = m
		default:
			r.Hi = m
		}
	}
	return r
}

// Span is an open interval in which a polynomial is negative. Its ends are roots, or the ends of (0, 1).
type Span struct{ From, To Root }

// Middle returns a rational number inside the span.
func (s Span) Middle() *big.Rat {
	m := new(big.Rat).Add(s.From.Hi, s.To.Lo)
	return m.Mul(m, big.NewRat(1, 2))
}

// Negative returns the intervals of (0, 1) on which p is negative, in ascending order. Their ends are roots in disjoint
// intervals no wider than width. There are none if p ≥ 0 throughout. It returns the context's error.
func (p Polynomial) Negative(ctx context.Context, width *big.Rat) ([]Span, error) {
	p = p.inside()
	if n, last := signs(p); n == 0 && last >= 0 {
		return nil, nil
	}
	at, err := p.Roots(ctx)
	if err != nil {
		return nil, err
	}
	for i, r := range at {
		at[i] = p.Refine(r, width)
	}
	for i := 1; i < len(at); i++ { // separate the roots, so that a number lies between them
		for at[i-1].Hi.Cmp(at[i].Lo) >= 0 {
			width = new(big.Rat).Mul(width, big.NewRat(1, 16))
			at[i-1], at[i] = p.Refine(at[i-1], width), p.Refine(at[i], width)
		}
	}
	ends := slices.Concat([]Root{{new(big.Rat), new(big.Rat)}}, at, []Root{{big.NewRat(1, 1), big.NewRat(1, 1)}})
	for i := range ends { // a root's interval may begin at 0, or end at 1
		for i > 0 && i+1 < len(ends) && (ends[i].Lo.Sign() == 0 || ends[i].Hi.Cmp(big.NewRat(1, 1)) == 0) {
			width = new(big.Rat).Mul(width, big.NewRat(1, 16))
			ends[i] = p.Refine(ends[i], width)
		}
	}
	var out []Span
	for i := 1; i < len(ends); i++ {
		s := Span{ends[i-1], ends[i]}
		if p.Sign(s.Middle()) >= 0 {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}
