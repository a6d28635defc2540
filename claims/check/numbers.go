package check

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Epsilon64 is the gap between 1 and the next larger float64.
const Epsilon64 = 0x1p-52

// Ratio returns a/b.
func Ratio(a, b int) *big.Rat { return big.NewRat(int64(a), int64(b)) }

// BudgetOf returns eps as an [evidence.Epsilon]. It ends the check with an error if eps is invalid.
func BudgetOf(eps float64) evidence.Epsilon { return Must(evidence.NewEpsilon("eps", eps)) }

// DeltaOf returns delta as an [evidence.Delta]. It ends the check with an error if delta is invalid.
func DeltaOf(delta float64) evidence.Delta { return Must(evidence.NewDelta("delta", delta)) }

// refusal is the panic value that ends a check with an error.
type refusal struct{ error }

// Refuse ends the check with the given error. Functions call it if their computation cannot decide the
// statement.
func Refuse(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }

// AtMost reports whether a number is at most the bound most. The number is known only to lie in [lo, hi].
// AtMost calls Refuse if both answers are possible.
func AtMost(lo, hi, most float64) bool {
	if lo <= most && hi > most {
		Refuse("the number is in [%g, %g], which does not decide whether it is at most %g", lo, hi, most)
	}
	return hi <= most
}

// Must returns v. If err is not nil, it ends the check with that error, which [Claim.Check] returns.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(refusal{err})
	}
	return v
}

// Try calls run. It returns the error with which [Must] or [Refuse] ended run, or nil.
func Try(run func()) (err error) {
	defer refused(&err)
	run()
	return nil
}

// refused sets *err if [Must] or [Refuse] ended the function that defers it. It passes other panics on.
func refused(err *error) {
	switch r := recover().(type) {
	case nil:
	case refusal:
		*err = r.error
	default:
		panic(r)
	}
}

func Abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// Power returns qᵏ for any integer k. Like [interval.RationalPower] it returns nil for 0 to a negative power,
// and for powers of more than 2²⁷ bits.
func Power(q *big.Rat, k int) *big.Rat { return interval.RationalPower(q, big.NewInt(int64(k))) }

// Digits returns the n lowest digits of a number in the given base, lowest digit first.
func Digits(number, base, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i], number = number%base, number/base
	}
	return out
}

var One = big.NewRat(1, 1)

// Least and Most return the lower and the upper end of the interval that encloses a number.

func Least(n evidence.Number) float64 {
	lo, _ := n.Bounds()
	return lo
}

func Most(n evidence.Number) float64 {
	_, hi := n.Bounds()
	return hi
}
