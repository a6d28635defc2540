package display

import (
	"strconv"
	"strings"

	"dpworkbench/evidence"
)

// Number formats v with the given number of significant digits, or with as few
// as determine v where digits < 1. It drops trailing zeros, writes "inf",
// "-inf" and "nan", and turns to scientific notation ("1.5e-7") below 1e-4 and
// from the larger of 1e6 and 10^digits (1e15 for digits < 1) on. Below that bound the integer part is
// never rounded: Number(1044.4, 3) is "1044".
func Number(v float64, digits int) string {
	return number(evidence.Rounded(v, evidence.Neither), digits)
}

// Evidence formats evidence as Number does a float64, rounded to its safe side, or the ends
// "[0.49, 0.51]" of an enclosure that has no such side and whose ends have no digit in common.
func Evidence(n evidence.Number, digits int) string { return evidence.Print(n, digits, number) }

func number(v evidence.Decimal, digits int) string {
	digits = min(digits, 17)
	precision := digits - 1
	if digits < 1 {
		precision = -1
	}
	// The exponent is read after rounding: 9.9996 to four digits is 10.
	scientific := v.Text('e', precision)
	mantissa, exponent, finite := strings.Cut(scientific, "e")
	if !finite {
		return strings.ToLower(strings.TrimPrefix(scientific, "+"))
	}
	exp, _ := strconv.Atoi(exponent)
	largest := max(6, digits)
	if digits < 1 {
		largest = 15
	}
	switch {
	case strings.Trim(mantissa, "-0.") == "":
		return "0"
	case exp < -4 || exp >= largest:
		return trimZeros(mantissa) + "e" + strconv.Itoa(exp)
	case digits < 1:
		return v.Text('f', -1)
	}
	return trimZeros(v.Text('f', max(0, digits-1-exp)))
}

// trimZeros drops the zeros that end a decimal fraction.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
