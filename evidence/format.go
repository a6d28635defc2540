package evidence

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// Rational formats an exact number without rounding, as "18545/3888" or "ln(27/8)". It returns "" for other kinds.
func Rational(n Number) string {
	switch n := n.(type) {
	case Exact:
		return n.Value.RatString()
	case ExactLog:
		return "ln(" + n.Argument.RatString() + ")"
	case InputEpsilon:
		if q, ok := n.Epsilon.Rational(); ok {
			return q.RatString()
		}
		return n.Epsilon.Text()
	case LogMultiple:
		if n.Negative {
			return "-" + n.Epsilon.Text()
		}
		return n.Epsilon.Text()
	}
	return ""
}

// SignificantDigits returns the largest number of significant digits, from 1 to 15, to which both bounds round to the
// same decimal.
func SignificantDigits(n Number) int {
	lo, hi := n.Bounds()
	if !(lo < hi) {
		return 15
	}
	digits := 15
	for digits > 1 && strconv.FormatFloat(lo, 'e', digits-1, 64) != strconv.FormatFloat(hi, 'e', digits-1, 64) {
		digits--
	}
	return digits
}

// Print formats a number by layout with at most the given significant digits: the bound on its safe side, rounded to
// that side. For an enclosure without a safe side it prints the digits that both bounds share. If they share none, it
// prints both bounds rounded outward: "[0.4999, 0.5001]".
func Print(n Number, digits int, layout func(d Decimal, digits int) string) string {
	lo, hi := decimals(n)
	switch side := SideOf(n); {
	case side == Up:
		return layout(Decimal{hi, Up}, digits)
	case side == Down:
		return layout(Decimal{lo, Down}, digits)
	case lo == hi:
		return layout(Decimal{lo, Neither}, digits)
	}
	if !IsWide(n) {
		shared := digits
		if digits < 0 {
			shared = fullDigits
		}
		shared = min(shared, 1000) // no float64 has more than 767 significant digits
		for ; shared >= 0; shared-- {
			if text := layout(Decimal{lo, Neither}, shared); text == layout(Decimal{hi, Neither}, shared) {
				return text
			}
		}
	}
	return "[" + layout(Decimal{lo, Down}, digits) + ", " + layout(Decimal{hi, Up}, digits) + "]"
}

// decimals returns the bounds to print. A float64 whose shortest decimal has few digits, such as 0.1, is replaced by
// that decimal.
func decimals(n Number) (lo, hi *real) {
	lo, hi = ends(n)
	if c, ok := n.(Claimed); ok && !c.Epsilon.IsZero() {
		lo = exactly(c.Epsilon.Number())
		hi = lo
	}
	if lo != hi || lo.base != nil {
		return lo, hi
	}
	v := lo.float
	if lo.scale != nil {
		var exact bool
		if v, exact = lo.scale.Float64(); !exact {
			return lo, hi
		}
	}
	if text := strconv.FormatFloat(v, 'e', -1, 64); digitsBehind(text) < fewDigits && math.Abs(v) >= 1e-12 && math.Abs(v) <= 1e6 {
		lo = &real{}
		lo.scale, _ = new(big.Rat).SetString(text)
	}
	return lo, lo
}

// FormatNumber formats a number by Print with at most the given significant digits, as scripts write numbers: 2.0,
// 1e-07, inf. A fraction that rounds to an integer is written without a decimal point.
func FormatNumber(n Number, digits int) string {
	return Print(n, digits, func(d Decimal, digits int) string {
		text := unpointed(d, digits)
		if whole, _ := new(big.Rat).SetString(text); d.side == Neither && whole != nil && compare(d.x, &real{scale: whole}) != 0 {
			return text
		}
		return scripted(d, digits)
	})
}

// Digits formats the value with the digits that its evidence supports, with at least six if it has a safe side.
func Digits(n Number) string {
	digits := fullDigits
	if k := n.Kind(); k == KindCertified || k == KindEstimated {
		digits = SignificantDigits(n)
	}
	switch {
	case digits < 6 && SideOf(n) != Neither:
		digits = 6
	case digits == 1:
		return FormatFloat(n.Float(), 2)
	}
	return FormatNumber(n, digits)
}

// Brief returns value and kind in a few characters, for messages and tables, with the bounds instead of the value if
// they share no digit.
func Brief(n Number) string {
	text := Digits(n)
	if IsWide(n) {
		text = "in " + Bounds(n)
	}
	return text + " (" + string(n.Kind()) + ")"
}

// IsWide reports whether the bounds of an enclosure share no more than one significant digit.
func IsWide(n Number) bool {
	lo, hi := n.Bounds()
	return n.Kind() == KindCertified && lo < hi && SignificantDigits(n) == 1
}

// Bounds formats the bounds with four digits, rounded outward: "[0.4999, 0.5001]".
func Bounds(n Number) string {
	lo, hi := n.Bounds()
	return FormatBounds(lo, hi, 4)
}

// FormatBounds formats two bounds with at most the given significant digits, rounded outward: "[0.4999, 0.5001]".
func FormatBounds(lo, hi float64, digits int) string {
	return "[" + FormatDown(lo, digits) + ", " + FormatUp(hi, digits) + "]"
}

// FormatInterval formats a number for running text: with at most the given digits, or by its bounds if fewer than three
// digits are known.
func FormatInterval(n Number, digits int) string {
	if lo, hi := n.Bounds(); lo < hi && SignificantDigits(n) < 3 {
		return "in " + Bounds(n)
	}
	if SideOf(n) == Neither {
		digits = min(digits, SignificantDigits(n))
	}
	return FormatNumber(n, digits)
}

// text implements String for all kinds of numbers.
func text(n Number) string {
	var b strings.Builder
	digits := Digits(n)
	b.WriteString(digits)
	lo, hi := n.Bounds()
	switch n := n.(type) {
	case Estimated:
		fmt.Fprintf(&b, " (estimated: in %s with confidence %s", FormatBounds(lo, hi, 6), FormatFloat(n.Confidence, 6))
		if n.Draws > 0 {
			fmt.Fprintf(&b, ", %d draws", n.Draws)
		}
		b.WriteString(")")
	case Certified:
		if lo == hi {
			b.WriteString(" (certified)")
			break
		}
		fmt.Fprintf(&b, " (certified: in %s)", FormatBounds(lo, hi, -1))
	default:
		b.WriteString(" (" + string(n.Kind()))
		r := ""
		if g, ok := n.(InputEpsilon); ok && g.IsExact() {
			r = g.Epsilon.String() // Rational may have a million digits
		} else {
			r = Rational(n)
		}
		if r != "" && r != digits {
			if runes := []rune(r); len(runes) > 60 {
				r = string(runes[:28]) + "…" + string(runes[len(runes)-28:])
			}
			b.WriteString(": " + r)
		}
		b.WriteString(")")
	}
	if caveat := n.Citation().Caveat; caveat != "" {
		b.WriteString(" [" + caveat + "]")
	}
	return b.String()
}

// format implements Format for all kinds of numbers.
func format(n Number, f fmt.State, verb rune) {
	lower := unicode.ToLower(verb)
	precision, given := f.Precision()
	switch {
	case verb == 'v' || verb == 's' || verb == 'q':
		fmt.Fprintf(f, fmt.FormatString(f, verb), text(n))
		return
	case lower < 'e' || lower > 'g':
		fmt.Fprintf(f, fmt.FormatString(f, verb), n.Float())
		return
	case !given && lower == 'g':
		precision = -1
	case !given:
		precision = 6
	}
	sign := ""
	for _, flag := range "+ " {
		if f.Flag(int(flag)) && sign == "" {
			sign = string(flag)
		}
	}
	out := Print(n, precision, func(d Decimal, precision int) string {
		text := d.Text(byte(lower), precision)
		if verb != lower {
			text = strings.ToUpper(text)
		}
		if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") { // the sign of an infinity
			return text
		}
		return sign + text
	})
	width, _ := f.Width()
	switch gap := max(0, width-len(out)); {
	case f.Flag('-'):
		out += strings.Repeat(" ", gap)
	case f.Flag('0') && !strings.ContainsAny(out, "[IN"): // neither bounds nor infinity or NaN
		digits := strings.TrimLeft(out, "+- ")
		out = strings.TrimSuffix(out, digits) + strings.Repeat("0", gap) + digits
	default:
		out = strings.Repeat(" ", gap) + out
	}
	_, _ = io.WriteString(f, out)
}

// String implements fmt.Stringer.
func (c Claimed) String() string { return text(c) }

// String implements fmt.Stringer.
func (e Exact) String() string { return text(e) }

// String implements fmt.Stringer.
func (e ExactLog) String() string { return text(e) }

// String implements fmt.Stringer.
func (c Certified) String() string { return text(c) }

// String implements Number.
func (m LogMultiple) String() string { return text(m) }

// String implements fmt.Stringer.
func (e Estimated) String() string { return text(e) }

// String implements fmt.Stringer.
func (g InputEpsilon) String() string { return text(g) }

// Format implements fmt.Formatter.
func (c Claimed) Format(f fmt.State, verb rune) { format(c, f, verb) }

// Format implements fmt.Formatter.
func (e Exact) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (e ExactLog) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (c Certified) Format(f fmt.State, verb rune) { format(c, f, verb) }

// Format implements Number.
func (m LogMultiple) Format(f fmt.State, verb rune) { format(m, f, verb) }

// Format implements fmt.Formatter.
func (e Estimated) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (g InputEpsilon) Format(f fmt.State, verb rune) { format(g, f, verb) }
