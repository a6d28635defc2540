package repl

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Evidence is a number that knows how it is known. Arithmetic with it gives
// floats; only the exact logarithms that ln makes stay exact where they can.
// It orders against evidence alone, so that a script says e.value where it
// means the number.
type Evidence struct {
	number evidence.Number
}

var (
	_ starlark.HasBinary  = (*Evidence)(nil)
	_ starlark.HasUnary   = (*Evidence)(nil)
	_ starlark.Comparable = (*Evidence)(nil)
	_ inspectable         = (*Evidence)(nil)
)

// Number returns the number with its evidence.
func (e *Evidence) Number() evidence.Number { return e.number }

// Float returns the number to compute with.
func (e *Evidence) Float() float64 { return e.number.Float() }

// rational returns "18545/3888", "ln(27/8)" or "".
func (e *Evidence) rational() string {
	switch n := e.number.(type) {
	case evidence.Exact:
		return n.Value.RatString()
	case evidence.ExactLog:
		return "ln(" + n.Argument.RatString() + ")"
	case evidence.Given:
		if q, ok := n.Rational(); ok {
			return q.RatString()
		}
		return n.Text()
	}
	return ""
}

// digits returns the value to the digits that its evidence supports.
func (e *Evidence) digits() string {
	if n, ok := e.number.(evidence.Estimated); ok && n.Value == n.Lo && n.Lo < n.Hi {
		return formatDown(n.Lo, 6) // a bound from below
	}
	digits := 15
	if k := e.number.Kind(); k == evidence.KindCertified || k == evidence.KindEstimated {
		digits = e.supported()
		if digits == 1 {
			digits = 2 // an order of magnitude alone reads badly; the interval follows
		}
	}
	return formatFloat(e.Float(), digits)
}

// short returns value and kind on a few columns, for messages and tables: the
// ends where the value says too little.
func (e *Evidence) short() string {
	text := e.digits()
	if e.isWide() {
		text = "in " + e.ends()
	}
	return text + " (" + string(e.number.Kind()) + ")"
}

// isWide reports whether the ends of an enclosure have no digit in common.
func (e *Evidence) isWide() bool {
	lo, hi := e.number.Bounds()
	return e.number.Kind() == evidence.KindCertified && lo < hi && e.supported() == 1
}

// ends prints an enclosure to a few digits, outward.
func (e *Evidence) ends() string {
	lo, hi := e.number.Bounds()
	return "[" + formatDown(lo, 4) + ", " + formatUp(hi, 4) + "]"
}

// span prints a number for one-line descriptions: to at most the given digits,
// or its ends where they are far apart.
func span(n evidence.Number, digits int) string {
	e := &Evidence{number: n}
	if lo, hi := n.Bounds(); lo < hi && e.supported() < 3 {
		return "in " + e.ends()
	}
	return formatFloat(e.Float(), min(digits, e.supported()))
}

// String implements starlark.Value: the value to its supported digits, then how
// it is known.
func (e *Evidence) String() string {
	var b strings.Builder
	b.WriteString(e.digits())
	lo, hi := e.number.Bounds()
	switch n := e.number.(type) {
	case evidence.Estimated:
		low := formatFloat(lo, 6)
		if n.Value == lo {
			low = e.digits()
		}
		fmt.Fprintf(&b, " (estimated: in [%s, %s] with confidence %s", low, formatFloat(hi, 6), formatFloat(n.Confidence, 6))
		if n.Draws > 0 {
			fmt.Fprintf(&b, ", %d draws", n.Draws)
		}
		b.WriteString(")")
	case evidence.Certified:
		if lo == hi {
			b.WriteString(" (certified)")
			break
		}
		fmt.Fprintf(&b, " (certified: in [%s, %s])", formatFloat(lo, -1), formatFloat(hi, -1))
	default:
		b.WriteString(" (" + string(n.Kind()))
		r := ""
		if g, ok := n.(evidence.Given); ok && g.IsExact() {
			r = g.String() // there may be a million digits
		} else {
			r = e.rational()
		}
		if r != "" && r != e.digits() {
			if runes := []rune(r); len(runes) > 60 {
				r = string(runes[:28]) + "…" + string(runes[len(runes)-28:])
			}
			b.WriteString(": " + r)
		}
		b.WriteString(")")
	}
	if caveat := evidence.Caveat(e.number); caveat != "" {
		b.WriteString(" [" + caveat + "]")
	}
	return b.String()
}

// supported returns the number of significant digits that the evidence
// supports, from 1 to 15: those on which both bounds agree after rounding.
func (e *Evidence) supported() int {
	lo, hi := e.number.Bounds()
	if lo == hi || math.IsInf(lo, 0) || math.IsInf(hi, 0) || math.IsNaN(lo) || math.IsNaN(hi) {
		return 15
	}
	for digits := 15; digits > 1; digits-- {
		if strconv.FormatFloat(lo, 'e', digits-1, 64) == strconv.FormatFloat(hi, 'e', digits-1, 64) {
			return digits
		}
	}
	return 1
}

// formatFloat prints v with at most the given significant digits, or as few as
// determine it where digits is −1, as Starlark does: 2.0, 1e-07, inf.
func formatFloat(v float64, digits int) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case math.IsNaN(v):
		return "nan"
	}
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// formatDown is formatFloat rounded down, so that a bound from below prints as
// one.
func formatDown(v float64, digits int) string {
	text := formatFloat(v, digits)
	for i := 1; i <= 2; i++ { // one step down is enough but across a power of ten
		if shown, err := strconv.ParseFloat(text, 64); err != nil || shown <= v || math.IsInf(v, 0) {
			break
		}
		unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(digits-1))
		text = formatFloat(v-float64(i)*unit/2, digits)
	}
	return text
}

// formatUp is formatFloat rounded up.
func formatUp(v float64, digits int) string {
	if v == 0 {
		return formatFloat(0, digits)
	}
	text := formatDown(-v, digits)
	if positive, ok := strings.CutPrefix(text, "-"); ok {
		return positive
	}
	return "-" + text
}

// Type implements starlark.Value.
func (e *Evidence) Type() string { return "evidence" }

// Freeze implements starlark.Value: evidence is immutable.
func (e *Evidence) Freeze() {}

// Truth implements starlark.Value, as for a number.
func (e *Evidence) Truth() starlark.Bool {
	return evidence.Compare(e.number, evidence.Claimed{}) != 0
}

// Hash implements starlark.Value; equal evidence hashes alike.
func (e *Evidence) Hash() (uint32, error) { return starlark.Float(e.Float()).Hash() }

// CompareSameType implements starlark.Comparable: by value, exact numbers without
// rounding.
func (e *Evidence) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	return holds(op, evidence.Compare(e.number, y.(*Evidence).number)), nil
}

// Unary implements starlark.HasUnary.
func (e *Evidence) Unary(op syntax.Token) (starlark.Value, error) {
	switch op {
	case syntax.MINUS:
		return starlark.Float(-e.Float()), nil
	case syntax.PLUS:
		return e, nil
	}
	return nil, nil
}

// Binary implements starlark.HasBinary.
func (e *Evidence) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT:
	default:
		return nil, nil
	}
	if v, ok := e.exactly(op, other, side); ok {
		return v, nil
	}
	if _, ok := other.(starlark.String); ok {
		return nil, nil // "%s" % e is the string's affair
	}
	y, ok := nearestFloat(other)
	if !ok {
		return nil, nil
	}
	a, b := starlark.Value(starlark.Float(e.Float())), starlark.Value(starlark.Float(y))
	if side == starlark.Right {
		a, b = b, a
	}
	return starlark.Binary(op, a, b)
}
