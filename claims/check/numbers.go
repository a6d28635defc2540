package check

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Epsilon64 is the distance of 1 to the next float64.
const Epsilon64 = 0x1p-52

// Ratio returns a/b.
func Ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }

// BudgetOf returns ε of a claim's own instance; it panics where that is out of
// range.
func BudgetOf(eps float64) evidence.Epsilon { return Must(evidence.NewEpsilon("eps", eps)) }

// Must returns what is built of a claim's own instance; it panics where that was refused.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func Abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Power returns qᵏ for any whole k.
func Power(q *big.Rat, k int) *big.Rat { return interval.RationalPower(q, big.NewInt(int64(k))) }

// Digits returns the n lowest digits of a number, lowest first.
func Digits(number, base, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i], number = number%base, number/base
	}
	return out
}

var One = big.NewRat(1, 1)
