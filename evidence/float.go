package evidence

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// mostDigits is how many significant digits a float64 has at most.
const mostDigits = 767

// FormatFloat prints v with at most the given significant digits, or as few as
// determine it where digits is −1, as scripts write numbers: 2.0, 1e-07, inf.
func FormatFloat(v float64, digits int) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case math.IsNaN(v):
		return "nan"
	}
	return pointed(strconv.FormatFloat(v, 'g', min(digits, mostDigits), 64))
}

// pointed writes whole numbers with a point.
func pointed(text string) string {
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// FormatDown is FormatFloat rounded down, so that a bound from below prints as
// one.
func FormatDown(v float64, digits int) string {
	text := FormatFloat(v, digits)
	for i := 1; i <= 2; i++ { // one step down is enough but across a power of ten
		if shown, _ := strconv.ParseFloat(text, 64); !(shown > v) || math.IsInf(v, 0) {
			break
		}
		_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		power, _ := strconv.Atoi(exponent)
		unit := math.Pow10(power - (digits - 1)) // less than float64s are apart, maybe
		at := new(big.Float).SetPrec(256).SetFloat64(v)
		text = pointed(at.Sub(at, big.NewFloat(float64(i)*unit/2)).Text('g', min(digits, mostDigits)))
	}
	return text
}

// FormatUp is FormatFloat rounded up.
func FormatUp(v float64, digits int) string {
	switch {
	case v == 0:
		return FormatFloat(0, digits)
	case math.IsNaN(v):
		return FormatFloat(v, digits)
	}
	text := FormatDown(-v, digits)
	if positive, ok := strings.CutPrefix(text, "-"); ok {
		return positive
	}
	return "-" + text
}
