package continuous

import (
	"cmp"
	"math/big"
	"math/bits"
)

// scale is the arithmetic of a whole-number grid: int64 where the grid is
// coarse enough, 128 bits for most radii that are float64s, big.Int elsewhere.
type scale[T any] interface {
	plus(T) T
	minus(T) T
	cmp(T) int
	// circle writes the number as turns·length + rest, 0 ≤ rest < length.
	circle(length T) (turns int, rest T)
	whole() *big.Int
}

// narrow is a grid number whose sums cannot overflow: see fitsNarrow.
type narrow int64

func (a narrow) plus(b narrow) narrow  { return a + b }
func (a narrow) minus(b narrow) narrow { return a - b }
func (a narrow) whole() *big.Int       { return big.NewInt(int64(a)) }

func (a narrow) cmp(b narrow) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (a narrow) circle(length narrow) (int, narrow) {
	turns, rest := a/length, a%length
	if rest < 0 {
		turns, rest = turns-1, rest+length
	}
	return int(turns), rest
}

// double is a grid number of 128 bits in two's complement, whose sums cannot
// overflow either.
type double struct {
	hi int64
	lo uint64
}

func newDouble(v *big.Int) double {
	low := new(big.Int).And(v, new(big.Int).SetUint64(1<<64-1))
	return double{new(big.Int).Rsh(v, 64).Int64(), low.Uint64()}
}

func (a double) plus(b double) double {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return double{a.hi + b.hi + int64(carry), lo}
}

func (a double) minus(b double) double {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return double{a.hi - b.hi - int64(borrow), lo}
}

func (a double) cmp(b double) int {
	if a.hi != b.hi {
		return cmp.Compare(a.hi, b.hi)
	}
	return cmp.Compare(a.lo, b.lo)
}

func (a double) whole() *big.Int {
	v := big.NewInt(a.hi)
	return v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(a.lo))
}

func (a double) circle(length double) (turns int, rest double) {
	const near = 8 // turns: beyond the first layer numbers stay within a few
	for ; turns > -near && a.hi < 0; turns-- {
		a = a.plus(length)
	}
	for ; turns < near && a.cmp(length) >= 0; turns++ {
		a = a.minus(length)
	}
	if a.hi >= 0 && a.cmp(length) < 0 {
		return turns, a
	}
	quotient, remainder := new(big.Int).DivMod(a.whole(), length.whole(), new(big.Int))
	return turns + int(quotient.Int64()), newDouble(remainder)
}

// wide is a grid number of any size. Its big.Int is never changed.
type wide struct{ v *big.Int }

func (a wide) plus(b wide) wide  { return wide{new(big.Int).Add(a.v, b.v)} }
func (a wide) minus(b wide) wide { return wide{new(big.Int).Sub(a.v, b.v)} }
func (a wide) whole() *big.Int   { return a.v }
func (a wide) cmp(b wide) int    { return a.v.Cmp(b.v) }

func (a wide) circle(length wide) (int, wide) {
	turns, rest := new(big.Int).DivMod(a.v, length.v, new(big.Int))
	return int(turns.Int64()), wide{rest}
}

// gridBits returns the size of the numbers in a ring of the given circumference,
// started from the given radius: none exceeds 4·(circumference + radius).
func gridBits(circumference, radius *big.Int) int {
	return new(big.Int).Add(circumference, radius).BitLen() + 2
}
