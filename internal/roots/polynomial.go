// Package roots isolates the roots of polynomials with integer coefficients in the interval (0, 1) by rational numbers,
// and finds where the polynomials are negative. Everything is exact.
//
// Roots are isolated by Descartes' rule of signs and bisection (Collins and Akritas 1976).
package roots

import (
	"math/big"
	"slices"
)

// Polynomial is Σ p[i]·z^i. Its last coefficient is not 0; the zero polynomial has no coefficients. It is immutable.
type Polynomial []*big.Int

// New returns the polynomial with the given coefficients, in order of ascending powers.
func New(coefficients ...int64) Polynomial {
	p := make(Polynomial, len(coefficients))
	for i, c := range coefficients {
		p[i] = big.NewInt(c)
	}
	return p.Trimmed()
}

// Trimmed returns p without leading coefficients that are 0.
func (p Polynomial) Trimmed() Polynomial {
	for len(p) > 0 && p[len(p)-1].Sign() == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// Degree returns the degree of p, or −1 for the zero polynomial.
func (p Polynomial) Degree() int { return len(p) - 1 }

// Mul returns p·q.
func (p Polynomial) Mul(q Polynomial) Polynomial {
	if len(p) == 0 || len(q) == 0 {
		return nil
	}
	out := make(Polynomial, len(p)+len(q)-1)
	for i := range out {
		out[i] = new(big.Int)
	}
	t := new(big.Int)
	for i, a := range p {
		for j, b := range q {
			out[i+j].Add(out[i+j], t.Mul(a, b))
		}
	}
	return out
}

// Sign returns the sign of p at q.
func (p Polynomial) Sign(q *big.Rat) int {
	sum, under := new(big.Int), big.NewInt(1) // Σ p_i num^i den^{n−i}, from the highest power down
	for _, c := range slices.Backward(p) {
		sum.Mul(sum, q.Num())
		sum.Add(sum, new(big.Int).Mul(c, under))
		under.Mul(under, q.Denom())
	}
	return sum.Sign()
}

// primitive returns p divided by the greatest common divisor of its coefficients.
func (p Polynomial) primitive() Polynomial {
	g := new(big.Int)
	for _, c := range p {
		g.GCD(nil, nil, g, new(big.Int).Abs(c))
	}
	if g.Cmp(big.NewInt(1)) <= 0 {
		return p
	}
	out := make(Polynomial, len(p))
	for i, c := range p {
		out[i] = new(big.Int).Quo(c, g)
	}
	return out
}

func (p Polynomial) derivative() Polynomial {
	if len(p) < 2 {
		return nil
	}
	out := make(Polynomial, len(p)-1)
	for i := range out {
		out[i] = new(big.Int).Mul(p[i+1], big.NewInt(int64(i+1)))
	}
	return out
}

// divided returns the quotient and the remainder of c·p by q for some positive integer c.
func (p Polynomial) divided(q Polynomial) (quo, rest Polynomial) {
	lead := q[len(q)-1]
	rest = p
	if len(p) < len(q) {
		return nil, p
	}
	quo = make(Polynomial, len(p)-len(q)+1)
	for i := range quo {
		quo[i] = new(big.Int)
	}
	size := new(big.Int).Abs(lead)
	for len(rest) >= len(q) {
		at := len(rest) - len(q)
		c := new(big.Int).Set(rest[len(rest)-1])
		if lead.Sign() < 0 {
			c.Neg(c)
		}
		next := make(Polynomial, len(rest)-1)
		for i := range next { // |lead|·rest − c·z^at·q
			next[i] = new(big.Int).Mul(rest[i], size)
			if i >= at {
				next[i].Sub(next[i], new(big.Int).Mul(c, q[i-at]))
			}
		}
		for i := range quo {
			quo[i].Mul(quo[i], size)
		}
		quo[at].Add(quo[at], c)
		rest = next.Trimmed()
	}
	return quo.Trimmed(), rest
}

// GCD returns a greatest common divisor of p and q, divided by the common divisor of its coefficients.
func GCD(p, q Polynomial) Polynomial {
	p, q = p.primitive(), q.primitive()
	if len(p) < len(q) {
		p, q = q, p
	}
	for len(q) > 0 {
		_, rest := p.divided(q)
		p, q = q, rest.primitive()
	}
	return p
}

// inside returns p divided by its powers of z and of 1 − z, which are positive on (0, 1). So 0 and 1 are not roots.
func (p Polynomial) inside() Polynomial {
	for len(p) > 0 && p[0].Sign() == 0 {
		p = p[1:]
	}
	for len(p) > 1 {
		quo := make(Polynomial, len(p)-1) // the coefficients of p/(1 − z) are the sums of p's
		sum := new(big.Int)
		for i := range quo {
			sum = new(big.Int).Add(sum, p[i])
			quo[i] = sum
		}
		if sum.CmpAbs(p[len(p)-1]) != 0 || sum.Sign() == p[len(p)-1].Sign() {
			break
		}
		p = quo
	}
	return p
}

// once returns a polynomial with the same roots as p, all simple.
func (p Polynomial) once() Polynomial {
	if g := GCD(p, p.derivative()); len(g) > 1 {
		return exactly(p, g)
	}
	return p
}

// exactly returns p/q for a primitive divisor q. By Gauss's lemma the coefficients are integers.
func exactly(p, q Polynomial) Polynomial {
	quo, _ := p.divided(q)
	if len(quo) == 0 {
		return nil
	}
	scale := new(big.Int) // quo is scale·p/q: the leading coefficients give scale
	scale.Mul(quo[len(quo)-1], q[len(q)-1])
	scale.Quo(scale, p[len(p)-1])
	for i := range quo {
		quo[i].Quo(quo[i], scale)
	}
	return quo
}

// Quotient returns p/q if that is a polynomial with integer coefficients; q must be primitive.
func (p Polynomial) Quotient(q Polynomial) (Polynomial, bool) {
	if len(q) == 0 || len(p) < len(q) {
		return nil, false
	}
	if _, rest := p.divided(q); len(rest) > 0 {
		return nil, false
	}
	return exactly(p, q), true
}
