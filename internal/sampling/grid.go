package sampling

import (
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Finer is by how many powers of two the grid of a release is finer than its noise, where
// none is given.
const Finer = 32

// GridFor returns that grid for noise of a scale, a positive number: 2^(⌊log₂ scale⌋ − 32).
func GridFor(scale *big.Rat) *big.Rat { return TwoTo(FloorLog2(scale) - Finer) }

// TwoTo returns 2^exp.
func TwoTo(exp int) *big.Rat {
	power := new(big.Int).Lsh(one, uint(max(exp, -exp)))
	if exp < 0 {
		return new(big.Rat).SetFrac(one, power)
	}
	return new(big.Rat).SetInt(power)
}

// FloorLog2 returns ⌊log₂ q⌋ of a positive q.
func FloorLog2(q *big.Rat) int {
	e := q.Num().BitLen() - q.Denom().BitLen()
	if q.Cmp(TwoTo(e)) < 0 {
		e--
	}
	return e
}

// CheckGrid returns an error wrapping evidence.ErrParameter unless a grid, where one is
// given, is positive.
func CheckGrid(grid *big.Rat) error {
	if grid != nil && grid.Sign() <= 0 {
		return parameter.Bad("grid", grid, "a positive number")
	}
	return nil
}

// Float returns the float64 nearest to q, among the finite ones.
func Float(q *big.Rat) float64 {
	v, _ := q.Float64()
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

// Multiple returns k·grid, as Float has it.
func Multiple(k *big.Int, grid *big.Rat) float64 {
	v := new(big.Rat).SetInt(k)
	return Float(v.Mul(v, grid))
}
