package continuous

import (
	"cmp"
	"math/big"
)

// scale is the arithmetic of a whole-number grid: int64 where the grid is
// coarse enough, big.Int elsewhere.
type scale[T any] interface {
	plus(T) T
	minus(T) T
	cmp(T) int
	// circle writes the number as turns·length + rest, 0 ≤ rest < length.
	circle(length T) (turns int, rest T)
	whole() *big.Int
}

// narrow is a grid number whose sums cannot overflow: see gridBits.
type narrow int64

func (a narrow) plus(b narrow) narrow  { return a + b }
func (a narrow) minus(b narrow) narrow { return a - b }
func (a narrow) whole() *big.Int       { return big.NewInt(int64(a)) }

func (a narrow) cmp(b narrow) int { return cmp.Compare(a, b) }

func (a narrow) circle(length narrow) (int, narrow) {
	turns, rest := a/length, a%length
	if rest < 0 {
		turns, rest = turns-1, rest+length
	}
	return int(turns), rest
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
