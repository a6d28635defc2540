package program

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"slices"
)

// most is the number of ε that a program may use, counting those that are rational multiples of each other once.
const most = 4

// exponent is the vector of exponents of a product of powers of the units z_1, …, z_most. Sums over largestDraws draws,
// with steps below largestCut and cuts up to largestCut, are below 2⁵⁸.
type exponent [most]int64

func (e exponent) add(f exponent) exponent {
	for i := range e {
		e[i] += f[i]
	}
	return e
}

// times returns k·e.
func (e exponent) times(k int64) exponent {
	for i := range e {
		e[i] *= k
	}
	return e
}

func (e exponent) isZero() bool { return e == exponent{} }

func (e exponent) compare(f exponent) int {
	for i := range e {
		if c := cmp.Compare(e[i], f[i]); c != 0 {
			return c
		}
	}
	return 0
}

// laurent is a Laurent polynomial in the units with integer coefficients: its nonzero terms by ascending exponent. It
// is immutable.
type laurent []monomial

type monomial struct {
	e exponent
	c *big.Int
}

func whole(c *big.Int) laurent {
	if c.Sign() == 0 {
		return nil
	}
	return laurent{{c: c}}
}

// power returns z^e.
func power(e exponent) laurent { return laurent{{e, big.NewInt(1)}} }

// oneMinus returns 1 − z^e.
func oneMinus(e exponent) laurent { return whole(big.NewInt(1)).sub(power(e)) }

func (p laurent) add(q laurent) laurent { return p.plus(q, exponent{}, big.NewInt(1)) }

// plus returns p + c·z^e·q in one pass.
func (p laurent) plus(q laurent, e exponent, c *big.Int) laurent {
	plain := c.IsInt64() && c.Int64() == 1
	minus := c.IsInt64() && c.Int64() == -1
	times := func(b *big.Int) *big.Int {
		switch {
		case plain:
			return b
		case minus:
			return new(big.Int).Neg(b)
		}
		return new(big.Int).Mul(b, c)
	}
	out := make(laurent, 0, len(p)+len(q))
	for len(q) > 0 {
		at := q[0].e.add(e)
		for len(p) > 0 && p[0].e.compare(at) < 0 {
			out, p = append(out, p[0]), p[1:]
		}
		if len(p) == 0 || p[0].e != at {
			out = append(out, monomial{at, times(q[0].c)})
		} else {
			sum := new(big.Int)
			if minus {
				sum.Sub(p[0].c, q[0].c)
			} else {
				sum.Add(p[0].c, times(q[0].c))
			}
			if sum.Sign() != 0 {
				out = append(out, monomial{at, sum})
			}
			p = p[1:]
		}
		q = q[1:]
	}
	return append(out, p...)
}

func (p laurent) neg() laurent { return p.scale(big.NewInt(-1)) }

func (p laurent) sub(q laurent) laurent { return p.plus(q, exponent{}, big.NewInt(-1)) }

func (p laurent) scale(c *big.Int) laurent {
	if c.Sign() == 0 {
		return nil
	}
	if c.IsInt64() && c.Int64() == 1 {
		return p
	}
	out := make(laurent, len(p))
	for i, m := range p {
		out[i] = monomial{m.e, new(big.Int).Mul(m.c, c)}
	}
	return out
}

// shift returns p·z^e.
func (p laurent) shift(e exponent) laurent {
	if e.isZero() {
		return p
	}
	out := make(laurent, len(p))
	for i, m := range p {
		out[i] = monomial{m.e.add(e), m.c}
	}
	return out
}

func (p laurent) mul(q laurent) laurent {
	if len(p) > len(q) {
		p, q = q, p
	}
	if len(p) == 1 {
		return q.shift(p[0].e).scale(p[0].c)
	}
	if len(p) <= 2 { // most are: z^e and 1 − z^e
		var out laurent
		for _, m := range p {
			out = out.plus(q, m.e, m.c)
		}
		return out
	}
	sums := make(map[exponent]*big.Int, len(p)+len(q))
	product := new(big.Int)
	for _, a := range p {
		for _, b := range q {
			e := a.e.add(b.e)
			sum := sums[e]
			if sum == nil {
				sum = new(big.Int)
				sums[e] = sum
			}
			sum.Add(sum, product.Mul(a.c, b.c))
		}
	}
	out := make(laurent, 0, len(sums))
	for e, c := range sums {
		if c.Sign() != 0 {
			out = append(out, monomial{e, c})
		}
	}
	slices.SortFunc(out, func(a, b monomial) int { return a.e.compare(b.e) })
	return out
}

// degree returns the difference between the largest and the least power of the first unit.
func (p laurent) degree() int64 {
	if len(p) == 0 {
		return 0
	}
	return p[len(p)-1].e[0] - p[0].e[0]
}

// content returns the greatest common divisor of the coefficients, positive.
func (p laurent) content() *big.Int {
	g := new(big.Int)
	for _, m := range p {
		if g.GCD(nil, nil, g, new(big.Int).Abs(m.c)); g.IsInt64() && g.Int64() == 1 {
			break
		}
	}
	return g
}

// divide returns p/c for a divisor c of all coefficients.
func (p laurent) divide(c *big.Int) laurent {
	out := make(laurent, len(p))
	for i, m := range p {
		out[i] = monomial{m.e, new(big.Int).Quo(m.c, c)}
	}
	return out
}

// quotient returns p/(1 − z^e) if that is a Laurent polynomial. Exponents that differ by multiples of e form chains,
// and the coefficients of each chain must have sum 0. ok is also false if the quotient would have far more terms than
// p.
func (p laurent) quotient(e exponent) (laurent, bool) {
	if len(p) < 2 {
		return nil, len(p) == 0
	}
	rest := make(map[exponent]*big.Int, len(p))
	for _, m := range p {
		rest[m.e] = m.c
	}
	ascending := p
	if e.compare(exponent{}) < 0 {
		ascending = slices.Clone(p)
		slices.Reverse(ascending)
	}
	last := ascending[len(ascending)-1].e
	var out laurent
	for _, m := range ascending {
		for at := m.e; ; at = at.add(e) {
			c := rest[at]
			if c == nil || c.Sign() == 0 {
				break
			}
			next := at.add(e)
			if c2 := next.compare(last); e.compare(exponent{}) > 0 && c2 > 0 || e.compare(exponent{}) < 0 && c2 < 0 {
				return nil, false
			}
			if out = append(out, monomial{at, c}); len(out) > 1000+4*len(p) {
				return nil, false
			}
			delete(rest, at)
			if b := rest[next]; b != nil {
				c = new(big.Int).Add(b, c)
			}
			rest[next] = c
		}
	}
	slices.SortFunc(out, func(a, b monomial) int { return a.e.compare(b.e) })
	return out, true
}

// key returns a map key for p.
func (p laurent) key() string {
	b := make([]byte, 0, 8*len(p))
	for _, m := range p {
		if m.c.IsInt64() {
			b = binary.AppendVarint(append(b, 0), m.c.Int64())
		} else {
			size := m.c.Bytes()
			b = binary.AppendUvarint(append(b, byte(2+m.c.Sign())), uint64(len(size)))
			b = append(b, size...)
		}
		for _, k := range m.e {
			b = binary.AppendVarint(b, k)
		}
	}
	return string(b)
}
