package sampling

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"sync"
)

// A Number is a real number x that can be computed to any precision. For every number of bits ≥ 0 it returns
//
//	lo·2^−bits ≤ x ≤ hi·2^−bits,  hi − lo ≤ 16.
//
// The results must not be changed. Numbers of a Real draw digits on demand, and are not safe for concurrent use;
// the others are.
type Number func(bits int) (lo, hi *big.Int)

// width is the largest difference of hi and lo.
const width = 16

// mostBits bounds the precision of comparisons. A random number agrees with another number in so many bits with
// probability 2^−mostBits.
const mostBits = 1 << 16

// ErrUndecided is wrapped by the error of an undecided comparison: the numbers are equal, or not known precisely
// enough.
var ErrUndecided = errors.New("no exact sampler: a comparison could not be decided")

// enclose returns the bounds of x, or an error if they are further apart than a Number allows.
func (x Number) enclose(bits int) (lo, hi *big.Int, err error) {
	lo, hi = x(bits)
	if d := new(big.Int).Sub(hi, lo); d.Sign() < 0 || d.Cmp(big.NewInt(width)) > 0 {
		return nil, nil, fmt.Errorf("%w: a number is known only within fixed bounds, want one that can be computed to any precision", ErrUndecided)
	}
	return lo, hi, nil
}

// Rat is the number q.
func Rat(q *big.Rat) Number {
	if q.IsInt() {
		return func(bits int) (lo, hi *big.Int) {
			v := new(big.Int).Lsh(q.Num(), uint(bits))
			return v, v
		}
	}
	return func(bits int) (lo, hi *big.Int) {
		lo = new(big.Int).Lsh(q.Num(), uint(bits))
		rest := new(big.Int)
		lo.DivMod(lo, q.Denom(), rest)
		if rest.Sign() == 0 {
			return lo, lo
		}
		return lo, new(big.Int).Add(lo, one)
	}
}

// Int is the integer n.
func Int(n int64) Number { return Rat(big.NewRat(n, 1)) }

var one = big.NewInt(1)

// shrunk divides the bounds by 2^by and rounds them outward.
func shrunk(lo, hi *big.Int, by int) (*big.Int, *big.Int) {
	if by <= 0 {
		return new(big.Int).Lsh(lo, uint(-by)), new(big.Int).Lsh(hi, uint(-by))
	}
	up := new(big.Int).Neg(hi)
	return new(big.Int).Rsh(lo, uint(by)), up.Neg(up.Rsh(up, uint(by)))
}

// Sum is x₀ + x₁ + ….
func Sum(xs ...Number) Number {
	guard := bits.Len(uint(len(xs))) + 1 // all errors together are at most half a width
	return func(bits int) (lo, hi *big.Int) {
		lo, hi = new(big.Int), new(big.Int)
		for _, x := range xs {
			a, b := x(bits + guard)
			lo.Add(lo, a)
			hi.Add(hi, b)
		}
		return shrunk(lo, hi, guard)
	}
}

// Neg is −x.
func (x Number) Neg() Number {
	return func(bits int) (lo, hi *big.Int) {
		lo, hi = x(bits)
		return new(big.Int).Neg(hi), new(big.Int).Neg(lo)
	}
}

// size returns n with |x| ≤ 2ⁿ.
func (x Number) size() int {
	lo, hi := x(0)
	return max(lo.BitLen(), hi.BitLen())
}

// Mul is xy.
func (x Number) Mul(y Number) Number {
	return func(bits int) (lo, hi *big.Int) {
		// |x'y' − xy| ≤ |y|·16·2^−p + |x|·16·2^−q + …, a width of less than 5 in all.
		p, q := bits+y.size()+3, bits+x.size()+3
		a, b := x(p)
		c, d := y(q)
		for _, u := range [2]*big.Int{a, b} {
			for _, v := range [2]*big.Int{c, d} {
				w := new(big.Int).Mul(u, v)
				if lo == nil || w.Cmp(lo) < 0 {
					lo = w
				}
				if hi == nil || w.Cmp(hi) > 0 {
					hi = w
				}
			}
		}
		return shrunk(lo, hi, p+q-bits)
	}
}

// Inverse is 1/x for a positive x.
func (x Number) Inverse() Number {
	least := sync.OnceValue(func() int { // x > 2^−least
		for bits := 4; bits <= mostBits; bits *= 2 {
			if lo, _ := x(bits); lo.Sign() > 0 {
				return bits - lo.BitLen() + 1
			}
		}
		return mostBits
	})
	return func(bits int) (lo, hi *big.Int) {
		// 1/x changes by less than 2^(2·least + 1) times the change of x, which is at most a quarter of x.
		p := max(bits+2*least()+5, least()+6, 0)
		a, b := x(p)
		if a.Sign() <= 0 { // not shown to be positive
			return new(big.Int), new(big.Int).Lsh(one, uint(mostBits))
		}
		top := new(big.Int).Lsh(one, uint(bits+p))
		hi = new(big.Int).Quo(top, a)
		return new(big.Int).Quo(top, b), hi.Add(hi, one)
	}
}

// Root is the n-th root of x ≥ 0, n > 0.
func (x Number) Root(n int) Number {
	return func(bits int) (lo, hi *big.Int) {
		// y^{1/n} changes by at most the n-th root of the change of y.
		p := n * (bits + 4)
		a, b := x(p)
		if a.Sign() < 0 {
			a = new(big.Int)
		}
		hi = root(b, n)
		return shrunk(root(a, n), hi.Add(hi, one), 4)
	}
}

// root returns ⌊v^{1/n}⌋ for v ≥ 0, by Newton's method from above.
func root(v *big.Int, n int) *big.Int {
	if v.Sign() <= 0 || n == 1 {
		return new(big.Int).Set(v)
	}
	if n == 2 {
		return new(big.Int).Sqrt(v)
	}
	x := new(big.Int).Lsh(one, uint((v.BitLen()+n-1)/n)) // ≥ the root
	for {
		// The next iterate is ((n − 1)x + v/x^{n−1})/n.
		y := new(big.Int).Exp(x, big.NewInt(int64(n-1)), nil)
		y.Quo(v, y)
		y.Add(y, new(big.Int).Mul(x, big.NewInt(int64(n-1))))
		y.Quo(y, big.NewInt(int64(n)))
		if y.Cmp(x) >= 0 {
			return x
		}
		x = y
	}
}

// Known returns x with a cache of the most precise bounds computed so far.
func (x Number) Known() Number {
	var guard sync.Mutex
	best, low, high := -1, (*big.Int)(nil), (*big.Int)(nil)
	return func(bits int) (lo, hi *big.Int) {
		guard.Lock()
		defer guard.Unlock()
		if bits > best {
			low, high = x(bits)
			best = bits
		}
		return shrunk(low, high, best-bits)
	}
}

// steps calls decided with 64, 128, … up to mostBits bits until it returns true or an error.
func steps(decided func(bits int) (bool, error)) error {
	for bits := 64; bits <= mostBits; bits *= 2 {
		if done, err := decided(bits); done || err != nil {
			return err
		}
	}
	return fmt.Errorf("%w to 2^−%d", ErrUndecided, mostBits)
}

// Floor returns the largest integer that is at most x. It returns an error wrapping ErrUndecided if x is not known
// precisely enough.
func Floor(x Number) (n *big.Int, err error) {
	err = steps(func(bits int) (bool, error) {
		lo, hi, err := x.enclose(bits)
		if err != nil {
			return false, err
		}
		n = new(big.Int).Rsh(lo, uint(bits))
		return n.Cmp(new(big.Int).Rsh(hi, uint(bits))) == 0, nil
	})
	return n, err
}

// Less reports whether x < y, which must differ. Errors are those of Floor.
func Less(x, y Number) (less bool, err error) {
	err = steps(func(bits int) (bool, error) {
		a, b, err := x.enclose(bits)
		if err != nil {
			return false, err
		}
		c, d, err := y.enclose(bits)
		less = err == nil && b.Cmp(c) < 0
		return less || err == nil && d.Cmp(a) < 0, err
	})
	return less, err
}

// Round returns the k for which k·grid is nearest to x. Errors are those of Floor.
func Round(x Number, grid *big.Rat) (*big.Int, error) {
	if e, ok := exponent(grid); ok {
		x = x.shifted(-e)
	} else {
		x = x.Mul(Rat(new(big.Rat).Inv(grid)))
	}
	half := new(big.Int)
	return Floor(func(bits int) (lo, hi *big.Int) { // bits may be 0, for which Floor needs more
		lo, hi = x(bits)
		half.Lsh(one, uint(bits-1))
		return new(big.Int).Add(lo, half), new(big.Int).Add(hi, half)
	})
}

// RoundRat returns the integer nearest to q/grid. It rounds ties up. Round cannot decide ties of rationals.
func RoundRat(q, grid *big.Rat) *big.Int {
	k := new(big.Rat).Quo(q, grid)
	k.Add(k, big.NewRat(1, 2))
	return new(big.Int).Div(k.Num(), k.Denom())
}

// exponent returns e if q = 2^e, and otherwise false.
func exponent(q *big.Rat) (e int, ok bool) {
	num, den := q.Num().BitLen()-1, q.Denom().BitLen()-1
	if q.Sign() <= 0 || q.Num().TrailingZeroBits() != uint(num) || q.Denom().TrailingZeroBits() != uint(den) {
		return 0, false
	}
	return num - den, true
}

// shifted is x·2^e.
func (x Number) shifted(e int) Number {
	return func(bits int) (lo, hi *big.Int) {
		if bits+e >= 0 {
			return x(bits + e)
		}
		lo, hi = x(0)
		return shrunk(lo, hi, -bits-e)
	}
}
