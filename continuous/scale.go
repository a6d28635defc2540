package continuous

import (
	"cmp"
	"math/big"
)

// scale is the integer type of grid coordinates: int64 if the grid is coarse enough, big.Int otherwise.
type scale[T any] interface {
	plus(T) T
	minus(T) T
	cmp(T) int
	// circle returns turns and rest with turns·length + rest equal to the number and 0 ≤ rest < length.
	circle(length T) (turns int, rest T)
	whole() *big.Int
}

// gridInt64 is a grid number whose sums cannot overflow: see gridBits.
type gridInt64 int64

func (a gridInt64) plus(b gridInt64) gridInt64  { return a + b }
func (a gridInt64) minus(b gridInt64) gridInt64 { return a - b }
func (a gridInt64) whole() *big.Int             { return big.NewInt(int64(a)) }

func (a gridInt64) cmp(b gridInt64) int { return cmp.Compare(a, b) }

func (a gridInt64) circle(length gridInt64) (int, gridInt64) {
	turns, rest := a/length, a%length
	if rest < 0 {
		turns, rest = turns-1, rest+length
	}
	return int(turns), rest
}

// gridBig is a grid number of any size. Its big.Int is never changed.
type gridBig struct{ v *big.Int }

func (a gridBig) plus(b gridBig) gridBig  { return gridBig{new(big.Int).Add(a.v, b.v)} }
func (a gridBig) minus(b gridBig) gridBig { return gridBig{new(big.Int).Sub(a.v, b.v)} }
func (a gridBig) whole() *big.Int         { return a.v }
func (a gridBig) cmp(b gridBig) int       { return a.v.Cmp(b.v) }

func (a gridBig) circle(length gridBig) (int, gridBig) {
	turns, rest := new(big.Int).DivMod(a.v, length.v, new(big.Int))
	return int(turns.Int64()), gridBig{rest}
}

// gridBits bounds the bits of the numbers in a ring with the given circumference and initial radius: none exceeds
// 4·(circumference + radius).
func gridBits(circumference, radius *big.Int) int {
	return new(big.Int).Add(circumference, radius).BitLen() + 2
}
