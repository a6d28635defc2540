package interval

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Decimal returns the shortest decimal that rounds to v, as a rational: 1/10 for 0.1. It returns nil if v is not
// finite.
func Decimal(v float64) *big.Rat {
	text := strconv.FormatFloat(v, 'e', -1, 64) // ±d.ddde±dd
	digits, exponent, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	k, err2 := strconv.Atoi(exponent)
	if k = len(fraction) - k; err == nil && err2 == nil && k >= 0 && k <= 18 {
		return big.NewRat(n, int64(math.Pow10(k)))
	}
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return q
}

// mostPowerBits is the largest number of bits that RationalPower lets a power have.
const mostPowerBits = 1 << 27

// RationalPower returns qᵏ for any integer k. It returns nil for 0 to a negative power, and if the result could take
// more than 2²⁷ bits.
func RationalPower(q *big.Rat, k *big.Int) *big.Rat {
	n := new(big.Int).Abs(k)
	long := max(q.Num().BitLen(), q.Denom().BitLen())
	switch {
	case q.Sign() == 0 && k.Sign() < 0:
		return nil
	case long > 1 && (!n.IsInt64() || n.Int64() > mostPowerBits/int64(long)):
		return nil
	case long <= 1: // 0, 1 and −1
		n.And(n, big.NewInt(1)).Add(n, new(big.Int).Lsh(big.NewInt(int64(k.CmpAbs(new(big.Int)))), 1))
	}
	v := new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), n, nil), new(big.Int).Exp(q.Denom(), n, nil))
	if k.Sign() < 0 {
		v.Inv(v)
	}
	return v
}

// RationalLog encloses ln q for a rational q > 0. It stays narrow relative to its size near q = 1.
func RationalLog(q *big.Rat) Interval {
	if v, _ := q.Float64(); v > 0.5 && v < 2 {
		return Rat(new(big.Rat).Sub(q, big.NewRat(1, 1))).Log1p()
	}
	return Rat(q).Log()
}

// RationalFloor returns the largest integer that is at most q.
func RationalFloor(q *big.Rat) *big.Int { return new(big.Int).Div(q.Num(), q.Denom()) }

// Bernoulli returns the Bernoulli numbers B_0 … B_n, with B_1 = −1/2. They satisfy Σ_{i ≤ m} C(m + 1, i) B_i = 0 for m
// > 0. It returns nil if n is negative or above 1000.
func Bernoulli(n int) []*big.Rat {
	var out []*big.Rat
	for m := 0; m <= n && n <= 1000; m++ {
		sum := new(big.Rat)
		if m == 0 {
			sum.SetInt64(1)
		}
		for i, b := range out {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(m+1), int64(i)))
			sum.Sub(sum, c.Mul(c, b))
		}
		out = append(out, sum.Quo(sum, big.NewRat(int64(m+1), 1)))
	}
	return out
}

// Readings returns the hull of the two numbers that v may stand for: v itself and its shortest decimal. It returns all
// numbers if v is not finite.
func Readings(v float64) Interval {
	q := Decimal(v)
	if q == nil {
		return Whole()
	}
	return Hull(Float(v), Rat(q))
}
