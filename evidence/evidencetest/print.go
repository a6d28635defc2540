package evidencetest

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"

	"dpworkbench/evidence"
)

var numeral = regexp.MustCompile(`[-+]?(\d+(\.\d+)?(e[-+]?\d+)?|(?i:inf))`)

// Misprint describes an error in a text that begins with a certified number, or returns "". For a number with a safe
// side, the text must name the bound on that side or a number beyond it. Otherwise the text must name an interval
// around both bounds, or digits to which both bounds round. Misprint reads the text without rounding.
func Misprint(c evidence.Certified, text string) string {
	said := numeral.FindAllString(strings.ReplaceAll(strings.ToLower(text), "e+", "e"), -1)
	if len(said) == 0 {
		return fmt.Sprintf("%q names no number", text)
	}
	switch {
	case c.Side == evidence.Up && !above(said[0], c.Hi), c.Side == evidence.Down && !below(said[0], c.Lo):
		return fmt.Sprintf("%q is not on the safe side (%v) of [%v, %v]", text, c.Side, c.Lo, c.Hi)
	case c.Side != evidence.Neither:
		return ""
	}
	if open := strings.Index(text, "["); open >= 0 {
		ends := numeral.FindAllString(strings.ToLower(text[open:]), -1)
		if len(ends) < 2 || !below(ends[0], c.Lo) || !above(ends[1], c.Hi) {
			return fmt.Sprintf("%q does not enclose [%v, %v]", text, c.Lo, c.Hi)
		}
		return ""
	}
	q, unit := read(said[0])
	if q == nil {
		if c.Lo == c.Hi {
			return ""
		}
		return fmt.Sprintf("%q stands for [%v, %v]", text, c.Lo, c.Hi)
	}
	for _, end := range []float64{c.Lo, c.Hi} {
		if math.IsInf(end, 0) {
			return fmt.Sprintf("%q stands for [%v, %v]", text, c.Lo, c.Hi)
		}
		off := new(big.Rat).Sub(q, new(big.Rat).SetFloat64(end))
		if off.Abs(off).Cmp(unit) > 0 {
			return fmt.Sprintf("%q has digits that [%v, %v] do not share", text, c.Lo, c.Hi)
		}
	}
	return ""
}

// read returns a numeral as a rational, nil for an infinity, and half a unit of its last digit.
func read(text string) (q, half *big.Rat) {
	if strings.Contains(text, "inf") {
		return nil, nil
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	q, _ = new(big.Rat).SetString(text)
	half, _ = new(big.Rat).SetString(fmt.Sprintf("0.%s5e%s", strings.Repeat("0", len(behind)), strings.TrimPrefix("0"+exponent, "0+")))
	if half == nil {
		half, _ = new(big.Rat).SetString(fmt.Sprintf("0.%s5e%s", strings.Repeat("0", len(behind)), exponent))
	}
	return q, half
}

func above(text string, v float64) bool { return beyond(text, v, 1) }
func below(text string, v float64) bool { return beyond(text, v, -1) }

func beyond(text string, v float64, sign int) bool {
	q, _ := read(text)
	switch {
	case q == nil:
		return strings.HasPrefix(text, "-") == (sign < 0) || math.IsInf(v, -sign)
	case math.IsInf(v, 0):
		return math.IsInf(v, -sign)
	}
	return q.Cmp(new(big.Rat).SetFloat64(v)) != -sign
}

// Random returns a random enclosure of any size, width and side.
func Random(rng *rand.Rand) evidence.Certified {
	end := func() float64 {
		switch rng.IntN(12) {
		case 0:
			return []float64{0, math.SmallestNonzeroFloat64, 1, 2.5, 9.5, 100000, math.MaxFloat64, 0x1p-1022, math.Inf(1)}[rng.IntN(9)]
		case 1:
			return math.Pow10(rng.IntN(40)-20) / 3
		case 2, 3, 4:
			return math.Ldexp(rng.Float64(), rng.IntN(2097)-1074)
		}
		return math.Ldexp(1+rng.Float64(), rng.IntN(60)-30)
	}
	a := end()
	b := a
	switch rng.IntN(6) {
	case 0:
		b = end()
	case 1:
		b = math.Nextafter(a, math.Inf(1))
	case 2, 3, 4:
		b = a * (1 + math.Pow10(-rng.IntN(17))*rng.Float64())
	}
	if rng.IntN(4) == 0 {
		a, b = -b, -a
	}
	return evidence.Certified{Lo: min(a, b), Hi: max(a, b), Side: evidence.Side(rng.IntN(3) - 1), Provenance: evidence.Provenance{Method: "a method"}}
}
