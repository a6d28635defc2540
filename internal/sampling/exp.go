package sampling

import (
	"math"
	"math/big"
	"math/bits"
)

// Exp returns eˣ.
func Exp(x Number) Number {
	return func(bits int) (lo, hi *big.Int) {
		_, top := x(0)
		if top.Sign() < 0 && top.CmpAbs(big.NewInt(int64(bits))) >= 0 { // below 2^−bits·1.44
			return new(big.Int), one
		}
		size := 0 // eˣ < 2^size
		if top.Sign() > 0 {
			size = int(top.Int64())*3/2 + 1
		}
		// If x changes by at most 16·2^−p, eˣ changes by less than half of 2^−bits.
		p := bits + size + 6
		a, _ := x(p)
		v := exp(a, p, bits, size)
		return new(big.Int).Sub(v, big.NewInt(2)), new(big.Int).Add(v, big.NewInt(3))
	}
}

// exp returns e^{x·2^−p} < 2^size in units of 2^−bits, with an error below two units.
//
// With r = x·2^−(p+s) below 2⁻⁸, the series of e^r has an error of two units of 2^−w per term. Each of s squarings
// doubles the error and adds one unit, relatively if the power is above 1 and absolutely otherwise. With w = bits +
// size + s + 16 and fewer than 2¹² terms, the total is below one unit of 2^−bits. For high precision more squarings
// reduce the number of terms; the two are balanced.
func exp(x *big.Int, p, bits, size int) *big.Int {
	s := max(x.BitLen()-p+8, 0) + int(math.Sqrt(float64(bits)))/2
	w := bits + size + s + 16
	r, _ := shrunk(x, x, p+s-w)
	sum, term := new(big.Int).Lsh(one, uint(w)), new(big.Int).Lsh(one, uint(w))
	for n := int64(1); term.Sign() != 0 && term.Cmp(minusOne) != 0; n++ {
		term.Mul(term, r).Rsh(term, uint(w))
		term.Div(term, big.NewInt(n))
		sum.Add(sum, term)
	}
	for range s {
		sum.Mul(sum, sum).Rsh(sum, uint(w))
	}
	return sum.Rsh(sum, uint(w-bits))
}

var minusOne = big.NewInt(-1)

// Log returns ln q for a positive q.
func Log(q *big.Rat) Number {
	// q = m·2^e with m between 1/2 and 2, so that |z| ≤ 1/3 for z = (m−1)/(m+1).
	e := q.Num().BitLen() - q.Denom().BitLen()
	m := new(big.Rat).Mul(q, TwoTo(-e))
	z := new(big.Rat).Quo(new(big.Rat).Sub(m, big.NewRat(1, 1)), new(big.Rat).Add(m, big.NewRat(1, 1)))
	return Sum(arctanh(z), Int(int64(e)).Mul(arctanh(big.NewRat(1, 3)))).Known()
}

// arctanh returns 2 artanh z = 2(z + z³/3 + z⁵/5 + …) for |z| ≤ 1/3.
func arctanh(z *big.Rat) Number {
	square := new(big.Rat).Mul(z, z)
	return func(p int) (lo, hi *big.Int) {
		w := p + bits.Len(uint(p)) + 4 // each of fewer than p/3 + 2 terms loses two units, the remainder less than one
		first, _ := Rat(z)(w)
		ratio, _ := Rat(square)(w)
		power, sum := new(big.Int).Set(first), new(big.Int)
		for n := int64(1); power.Sign() != 0 && power.Cmp(minusOne) != 0; n += 2 {
			sum.Add(sum, new(big.Int).Div(power, big.NewInt(n)))
			power.Mul(power, ratio).Rsh(power, uint(w))
		}
		sum.Rsh(sum, uint(w-p-1))
		return new(big.Int).Sub(sum, big.NewInt(3)), new(big.Int).Add(sum, big.NewInt(3))
	}
}

// Loss is an ε with the methods of evidence.Epsilon: a rational number, or s times the logarithm of c.
type Loss interface {
	Rational() (*big.Rat, bool)
	Root() (c, s *big.Rat, ok bool)
	RationalDecayAt(t *big.Rat, bits int) (*big.Rat, bool)
}

// Epsilon returns ε as a Number.
func Epsilon(eps Loss) Number {
	if q, ok := eps.Rational(); ok {
		return Rat(q)
	}
	c, s, _ := eps.Root()
	return Rat(s).Mul(Log(c)).Known()
}

// Decay returns e^{−tε} for t ≥ 0.
func Decay(eps Loss, t *big.Rat) Number {
	const short = 4096 // bits
	if q, ok := eps.RationalDecayAt(t, short); ok {
		return Rat(q)
	}
	return Exp(Rat(t).Mul(Epsilon(eps)).Neg()).Known()
}
