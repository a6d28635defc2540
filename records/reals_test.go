package records_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// digits is how many bits reals have. They are made of rationals and the series of e^x, and share no code with intervals.
const digits = 700

var ctx = context.Background()

func fresh() *big.Float { return new(big.Float).SetPrec(digits) }

func realOf(q *big.Rat) *big.Float { return fresh().SetRat(q) }

func plus(a ...*big.Float) *big.Float {
	sum := fresh()
	for _, v := range a {
		sum.Add(sum, v)
	}
	return sum
}

func minus(a, b *big.Float) *big.Float { return fresh().Sub(a, b) }

func times(a ...*big.Float) *big.Float {
	v := fresh().SetInt64(1)
	for _, b := range a {
		v.Mul(v, b)
	}
	return v
}

func over(a, b *big.Float) *big.Float { return fresh().Quo(a, b) }

// expOf is e^x, by its series at x/2⁶⁴ and 64 squarings, which lose as many bits.
func expOf(x *big.Float) *big.Float {
	const prec = digits + 200
	r := new(big.Float).SetPrec(prec).Set(x)
	r.SetMantExp(r, -64)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for k := int64(1); k < 40; k++ { // (2⁻⁵⁰)⁴⁰ and less
		term.Mul(term, r).Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range 64 {
		sum.Mul(sum, sum)
	}
	return fresh().Set(sum)
}

// lnOf is ln q for q > 1: Newton's method on e^y = q.
func lnOf(q *big.Rat) *big.Float {
	v, _ := q.Float64()
	y := fresh().SetFloat64(math.Log(v))
	for range 5 { // 53 bits, twice as many each time
		y = plus(y, over(realOf(q), expOf(y)), fresh().SetInt64(-1))
	}
	return y
}

// value is ε as a real: a float64, a fraction, or a multiple of the logarithm of one.
func value(eps evidence.Epsilon) *big.Float {
	if q, ok := eps.Rational(); ok {
		return realOf(q)
	}
	base, many := eps.Logarithm()
	return times(lnOf(base), realOf(many))
}

// bounds are the ends of an interval.
func bounds(v interval.Interval) (lo, hi *big.Float) {
	hi = v.Neg().Lower().MidFloat(interval.Prec)
	return v.Lower().MidFloat(interval.Prec), hi.Neg(hi)
}

// atMost reports whether a ≤ b but for 2^−bits of b.
func atMost(a, b *big.Float, bits int) bool {
	slack := fresh().SetMantExp(fresh().Abs(b), -bits)
	return a.Cmp(slack.Add(slack, b)) <= 0
}

// encloses fails unless an interval holds a number, and is narrower than 2^−bits of it, or of 1.
func encloses(t *testing.T, what string, v interval.Interval, want *big.Float, bits int) {
	t.Helper()
	lo, hi := bounds(v)
	wide := fresh().SetInt64(1)
	if size := fresh().Abs(want); size.Cmp(wide) > 0 {
		wide = size
	}
	if !atMost(lo, want, 400) || !atMost(want, hi, 400) || minus(hi, lo).Cmp(wide.SetMantExp(wide, -bits)) > 0 {
		t.Errorf("%s: from %.60g by %.5g, want %.60g, known to %d bits", what, lo, minus(hi, lo), want, bits)
	}
}

// tells fails unless evidence holds a number between float64s of a distance of 2⁻⁵⁰ of a size, or next to each other.
func tells(t *testing.T, what string, n evidence.Number, want *big.Float, size float64) {
	t.Helper()
	lo, hi := n.Bounds()
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || !atMost(fresh().SetFloat64(lo), want, 400) || !atMost(want, fresh().SetFloat64(hi), 400) ||
		hi > math.Nextafter(lo, math.Inf(1)) && hi-lo > 0x1p-50*size {
		t.Errorf("%s: [%v, %v], want %.30g", what, lo, hi, want)
	}
}
