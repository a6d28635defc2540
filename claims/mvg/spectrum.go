package mvg

import (
	"math/big"
	"slices"
)

// polynomial holds rational coefficients, the constant first. The last coefficient is not zero, and the zero polynomial
// is empty.
type polynomial []*big.Rat

func (p polynomial) trim() polynomial {
	for len(p) > 0 && p[len(p)-1].Sign() == 0 {
		p = p[:len(p)-1]
	}
	return p
}

// characteristic returns det(xI − a) by the Faddeev-LeVerrier recursion.
func characteristic(a intMatrix) polynomial {
	n, exact := len(a), a.rationals()
	p := make(polynomial, n+1)
	p[n] = big.NewRat(1, 1)
	m := exact // a·M_k
	for k := 1; k <= n; k++ {
		c := m.trace()
		p[n-k] = c.Mul(c, big.NewRat(-1, int64(k)))
		if k == n {
			break
		}
		next := make(ratMatrix, n) // M_{k+1} = a·M_k + c I
		for i, row := range m {
			for j, v := range row {
				w := new(big.Rat).Set(v)
				if i == j {
					w.Add(w, p[n-k])
				}
				next[i] = append(next[i], w)
			}
		}
		m = exact.times(next)
	}
	return p
}

// divide returns the quotient and the remainder of p by q.
func (p polynomial) divide(q polynomial) (quotient, rest polynomial) {
	for _, c := range p {
		rest = append(rest, new(big.Rat).Set(c))
	}
	for len(rest) >= len(q) {
		shift, f := len(rest)-len(q), new(big.Rat).Quo(rest[len(rest)-1], q[len(q)-1])
		for len(quotient) <= shift {
			quotient = append(quotient, new(big.Rat))
		}
		quotient[shift] = f
		for i, c := range q {
			rest[i+shift].Sub(rest[i+shift], new(big.Rat).Mul(f, c))
		}
		rest = rest.trim()
	}
	return quotient, rest
}

func (p polynomial) derivative() polynomial {
	var d polynomial
	for k := 1; k < len(p); k++ {
		d = append(d, new(big.Rat).Mul(p[k], big.NewRat(int64(k), 1)))
	}
	return d
}

// simple returns the polynomial with the same roots as p, each of multiplicity 1.
func (p polynomial) simple() polynomial {
	a, b := p, p.derivative()
	for len(b) > 0 {
		_, r := a.divide(b)
		a, b = b, r
	}
	q, _ := p.divide(a)
	return q
}

// signChanges counts the sign changes of a list, ignoring zeros.
func signChanges(signs []int) int {
	changes, last := 0, 0
	for _, s := range signs {
		if s != 0 {
			if s == -last {
				changes++
			}
			last = s
		}
	}
	return changes
}

// notNegative returns the number of distinct real roots of p in [0, ∞), by Sturm's theorem; p has no multiple root.
func (p polynomial) notNegative() int {
	count := 0
	if p[0].Sign() == 0 {
		count++
		p = p[1:]
	}
	if len(p) == 1 {
		return count
	}
	var atZero, atInfinity []int
	for a, b := p, p.derivative(); len(a) > 0; {
		atZero, atInfinity = append(atZero, a[0].Sign()), append(atInfinity, a[len(a)-1].Sign())
		if len(b) == 0 {
			break
		}
		_, r := a.divide(b)
		for _, c := range r {
			c.Neg(c)
		}
		a, b = b, r
	}
	return count + signChanges(atZero) - signChanges(atInfinity)
}

// shift returns p(x + t).
func (p polynomial) shift(t *big.Rat) polynomial {
	q := make(polynomial, len(p))
	for i, c := range p {
		q[i] = new(big.Rat).Set(c)
	}
	for i := range q {
		for j := len(q) - 2; j >= i; j-- {
			q[j].Add(q[j], new(big.Rat).Mul(t, q[j+1]))
		}
	}
	return q
}

// above returns the number of roots of p above t, with multiplicity, by Descartes's rule, which is exact if all roots
// are real.
func (p polynomial) above(t *big.Rat) int {
	var signs []int
	for _, c := range p.shift(t) {
		signs = append(signs, c.Sign())
	}
	return signChanges(signs)
}

// below returns the number of roots of p below t, by the same rule as above.
func (p polynomial) below(t *big.Rat) int {
	var signs []int
	for i, c := range p.shift(t) {
		s := c.Sign()
		if i%2 == 1 {
			s = -s
		}
		signs = append(signs, s)
	}
	return signChanges(signs)
}

// at returns p(a) for a square matrix.
func (p polynomial) at(a intMatrix) ratMatrix {
	sum, exact := zeroMatrix(len(a), len(a)).rationals(), a.rationals()
	for _, c := range slices.Backward(p) {
		sum = sum.times(exact)
		for i := range sum {
			sum[i][i].Add(sum[i][i], c)
		}
	}
	return sum
}
