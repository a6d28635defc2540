package evidence

import (
	"fmt"
	"strconv"
	"strings"
)

// Rational returns an exact number as text without rounding, "18545/3888" or
// "ln(27/8)", and "" for any other.
func Rational(n Number) string {
	switch n := n.(type) {
	case Exact:
		return n.Value.RatString()
	case ExactLog:
		return "ln(" + n.Argument.RatString() + ")"
	case Given:
		if q, ok := n.Epsilon.Rational(); ok {
			return q.RatString()
		}
		return n.Epsilon.Text()
	}
	return ""
}

// Supported returns the number of significant digits that the evidence supports,
// from 1 to 15: those on which both ends agree after rounding.
func Supported(n Number) int {
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

// Digits returns the value to the digits that its evidence supports.
func Digits(n Number) string {
	if e, ok := n.(Estimated); ok && e.Value == e.Lo && e.Lo < e.Hi {
		return FormatDown(e.Lo, 6) // a bound from below
	}
	if c, ok := n.(Certified); ok && c.Loss && IsWide(n) {
		return FormatUp(c.Float(), 6) // a bound from above
	}
	digits := 15
	if k := n.Kind(); k == KindCertified || k == KindEstimated {
		digits = Supported(n)
		if digits == 1 {
			digits = 2 // an order of magnitude alone reads badly; the interval follows
		}
	}
	return FormatFloat(n.Float(), digits)
}

// Short returns value and kind on a few columns, for messages and tables: the
// ends where the value says too little.
func Short(n Number) string {
	text := Digits(n)
	if IsWide(n) {
		text = "in " + Ends(n)
	}
	return text + " (" + string(n.Kind()) + ")"
}

// IsWide reports whether the ends of an enclosure have no digit in common.
func IsWide(n Number) bool {
	lo, hi := n.Bounds()
	return n.Kind() == KindCertified && lo < hi && Supported(n) == 1
}

// Ends prints an enclosure to a few digits, outward: "[0.4999, 0.5001]".
func Ends(n Number) string {
	lo, hi := n.Bounds()
	return "[" + FormatDown(lo, 4) + ", " + FormatUp(hi, 4) + "]"
}

// Span prints a number in running text: to at most the given digits, or its ends
// where they are far apart.
func Span(n Number, digits int) string {
	supported := Supported(n)
	if lo, hi := n.Bounds(); lo < hi && supported < 3 {
		return "in " + Ends(n)
	}
	return FormatFloat(n.Float(), min(digits, supported))
}

// text is what String returns.
func text(n Number) string {
	var b strings.Builder
	digits := Digits(n)
	b.WriteString(digits)
	lo, hi := n.Bounds()
	switch n := n.(type) {
	case Estimated:
		low := FormatFloat(lo, 6)
		if n.Value == lo {
			low = digits
		}
		fmt.Fprintf(&b, " (estimated: in [%s, %s] with confidence %s", low, FormatFloat(hi, 6), FormatFloat(n.Confidence, 6))
		if n.Draws > 0 {
			fmt.Fprintf(&b, ", %d draws", n.Draws)
		}
		b.WriteString(")")
	case Certified:
		if lo == hi {
			b.WriteString(" (certified)")
			break
		}
		fmt.Fprintf(&b, " (certified: in [%s, %s])", FormatFloat(lo, -1), FormatFloat(hi, -1))
	default:
		b.WriteString(" (" + string(n.Kind()))
		r := ""
		if g, ok := n.(Given); ok && g.IsExact() {
			r = g.Epsilon.String() // there may be a million digits
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

// format is what Format does.
func format(n Number, f fmt.State, verb rune) {
	switch verb {
	case 'v', 's', 'q':
		fmt.Fprintf(f, fmt.FormatString(f, verb), text(n))
	default:
		fmt.Fprintf(f, fmt.FormatString(f, verb), n.Float())
	}
}

// String implements fmt.Stringer.
func (c Claimed) String() string { return text(c) }

// String implements fmt.Stringer.
func (e Exact) String() string { return text(e) }

// String implements fmt.Stringer.
func (e ExactLog) String() string { return text(e) }

// String implements fmt.Stringer.
func (c Certified) String() string { return text(c) }

// String implements fmt.Stringer.
func (e Estimated) String() string { return text(e) }

// String implements fmt.Stringer.
func (g Given) String() string { return text(g) }

// Format implements fmt.Formatter.
func (c Claimed) Format(f fmt.State, verb rune) { format(c, f, verb) }

// Format implements fmt.Formatter.
func (e Exact) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (e ExactLog) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (c Certified) Format(f fmt.State, verb rune) { format(c, f, verb) }

// Format implements fmt.Formatter.
func (e Estimated) Format(f fmt.State, verb rune) { format(e, f, verb) }

// Format implements fmt.Formatter.
func (g Given) Format(f fmt.State, verb rune) { format(g, f, verb) }
