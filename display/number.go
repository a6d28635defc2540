package display

import (
	"math"
	"strconv"
	"strings"
)

// Number formats v with the given number of significant digits, or with as few
// as determine v where digits < 1. It drops trailing zeros, writes "inf",
// "-inf" and "nan", and turns to scientific notation ("1.5e-7") below 1e-4 and
// from the larger of 1e6 and 10^digits (1e15 for digits < 1) on. Below that bound the integer part is
// never rounded: Number(1044.4, 3) is "1044".
func Number(v float64, digits int) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v == 0:
		return "0"
	}
	digits = min(digits, 17)
	precision := digits - 1
	if digits < 1 {
		precision = -1
	}
	// The exponent is read after rounding: 9.9996 to four digits is 10.
	scientific := strconv.FormatFloat(v, 'e', precision, 64)
	mantissa, exponent, _ := strings.Cut(scientific, "e")
	exp, _ := strconv.Atoi(exponent)
	largest := max(6, digits)
	if digits < 1 {
		largest = 15
	}
	if exp < -4 || exp >= largest {
		return trimZeros(mantissa) + "e" + strconv.Itoa(exp)
	}
	if digits < 1 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return trimZeros(strconv.FormatFloat(v, 'f', max(0, digits-1-exp), 64))
}

// trimZeros drops the zeros that end a decimal fraction.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
