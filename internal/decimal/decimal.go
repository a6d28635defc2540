// Package decimal parses decimal numbers and fractions without rounding.
package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// Rational takes at most maxDigits characters and powers of ten up to maxExponent, since big.Rat stores every digit.
const (
	maxDigits   = 1 << 16
	maxExponent = 10000
)

// Rational parses a decimal such as "-0.25" or "1e-6", or a fraction of integers such as "7/2"; leading zeros do
// not mean octal. It returns false for anything else, and for numbers of more than 65536 characters or beyond
// 10^±10000.
func Rational(text string) (*big.Rat, bool) {
	if len(text) > maxDigits {
		return nil, false
	}
	if num, den, ok := strings.Cut(text, "/"); ok {
		a, okA := new(big.Int).SetString(num, 10)
		b, okB := new(big.Int).SetString(den, 10)
		if !okA || !okB || b.Sign() == 0 {
			return nil, false
		}
		return new(big.Rat).SetFrac(a, b), true
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n < -maxExponent || n > maxExponent {
			return nil, false
		}
		mantissa, exponent = text[:i], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10) // SetString rejects a sign inside
	if !ok || strings.HasPrefix(fraction, "-") || strings.HasPrefix(fraction, "+") {
		return nil, false
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(exponent-len(fraction)))), nil)
	if exponent >= len(fraction) {
		return new(big.Rat).SetInt(digits.Mul(digits, power)), true
	}
	return new(big.Rat).SetFrac(digits, power), true
}

func abs(n int) int { return max(n, -n) }
