package interval

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Both functions enclose, to 50 digits of the result itself, what 150-digit sums of
// the series give, down to 2^-1060: big.Rat arithmetic and alternating series
// share no code with them.
func TestExpm1AndLog1p(t *testing.T) {
	digits := new(big.Int).Exp(big.NewInt(10), big.NewInt(150), nil)
	trim := func(q *big.Rat) *big.Rat { // to 150 digits of its own
		scale := new(big.Rat).SetInt(digits)
		if q.Sign() != 0 {
			shift := q.Denom().BitLen() - q.Num().BitLen()
			if shift > 0 {
				scale.Mul(scale, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(shift))))
			}
		}
		v := new(big.Rat).Mul(q, scale)
		return new(big.Rat).Quo(new(big.Rat).SetInt(new(big.Int).Quo(v.Num(), v.Denom())), scale)
	}
	series := func(x *big.Rat, term func(i int64, power *big.Rat) *big.Rat) *big.Rat {
		sum, power := new(big.Rat), big.NewRat(1, 1)
		least := new(big.Rat).Quo(new(big.Rat).Abs(x), new(big.Rat).SetInt(digits))
		for i := int64(1); i < 400; i++ {
			power = trim(new(big.Rat).Mul(power, x))
			v := term(i, power)
			sum.Add(sum, v)
			if new(big.Rat).Abs(v).Cmp(least) < 0 { // the terms at least halve
				break
			}
		}
		return sum
	}
	check := func(t *rapid.T, name string, got Interval, want *big.Rat) {
		lo, _ := got.lo.Rat(nil)
		hi, _ := got.hi.Rat(nil)
		slack := new(big.Rat).Abs(want)
		slack.Quo(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(90), nil)))
		if lo.Cmp(new(big.Rat).Add(want, slack)) > 0 || hi.Cmp(new(big.Rat).Sub(want, slack)) < 0 {
			t.Fatalf("%s: %v misses %v", name, got, new(big.Float).SetRat(want))
		}
		limit := new(big.Rat).Mul(slack, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)))
		if new(big.Rat).Sub(hi, lo).Cmp(limit) > 0 {
			t.Fatalf("%s: %v is wider than 1e-50 of itself", name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := math.Ldexp(rapid.Float64Range(0.5, 1).Draw(t, "mantissa"), rapid.OneOf(rapid.IntRange(-1060, 0), rapid.IntRange(-66, -60)).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "negative") {
			v = -v
		}
		x := new(big.Rat).SetFloat64(v)
		factorial := big.NewInt(1)
		want := series(x, func(i int64, power *big.Rat) *big.Rat {
			factorial = new(big.Int).Mul(factorial, big.NewInt(i))
			return trim(new(big.Rat).Quo(power, new(big.Rat).SetInt(factorial)))
		})
		check(t, "expm1", Float(v).Expm1(), want)
		if math.Abs(v) < 0.25 {
			want = series(x, func(i int64, power *big.Rat) *big.Rat {
				return trim(new(big.Rat).Mul(power, big.NewRat(1-2*((i+1)%2), i)))
			})
			check(t, "log1p", Float(v).Log1p(), want)
		}
	})
}

// The ends of wide intervals and of the range.
func TestExpm1AtTheEnds(t *testing.T) {
	if lo, hi := Between(-1, 1).Expm1().Bounds(); !(lo <= math.Expm1(-1) && hi >= math.Expm1(1) && hi-lo < 2.36) {
		t.Errorf("expm1 of [-1, 1] in [%v, %v]", lo, hi)
	}
	if lo, hi := Float(-1e308).Expm1().Bounds(); lo != -1 || !(hi < -1+1e-15) {
		t.Errorf("expm1(-1e308) in [%v, %v]", lo, hi)
	}
	if lo, hi := Int(0).Log1p().Bounds(); lo != 0 || hi != 0 {
		t.Errorf("ln 1 in [%v, %v]", lo, hi)
	}
}
