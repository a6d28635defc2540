package audit

import (
	"math/big"
	"strconv"
	"strings"

	"dpworkbench/internal/decimal"
	"dpworkbench/internal/parameter"
)

// exactDigits is the largest number of significant digits for which a decimal counts as exact. A float64 has 15 to 17
// digits. So 0.7310585786300049, a program's output, counts as rounded, and 0.75 as exact.
const exactDigits = 12

// ParseNumber parses a probability: a fraction of integers or a decimal. rounded reports a decimal of more than 12
// significant digits, which is treated as rounded. It returns an error wrapping ErrParameter for anything else,
// such as NaN.
func ParseNumber(text string) (p *big.Rat, rounded bool, err error) {
	text = strings.TrimSpace(text)
	bad := func() (*big.Rat, bool, error) {
		return nil, false, parameter.Errorf("probability = %s, want a number in [0, 1] or a fraction like 1/3", clip(text))
	}
	p, ok := decimal.Rational(text)
	if !ok {
		return bad()
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	if !strings.Contains(text, "/") {
		significant := strings.TrimLeft(strings.ReplaceAll(mantissa, ".", ""), "+-0")
		rounded = len(strings.TrimRight(significant, "0")) > exactDigits
	}
	return p, rounded, nil
}

// clip quotes a piece of input for a message.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return strconv.Quote(text)
}
