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

// epsilon returns the exact privacy parameter that e is, if it is one.
func (e *Evidence) epsilon(name string) (evidence.Epsilon, bool) {
	switch n := e.number.(type) {
	case exactLog:
		return n.Epsilon, true
	case evidence.ExactLog:
		exact, err := evidence.LogEpsilon(name, n.Argument)
		return exact, err == nil
	}
	return evidence.Epsilon{}, false
}

// rational returns "18545/3888", "ln(27/8)" or "".
func (e *Evidence) rational() string {
	switch n := e.number.(type) {
	case evidence.Exact:
		return n.Value.RatString()
	case evidence.ExactLog:
		return "ln(" + n.Argument.RatString() + ")"
	case exactLog:
		return n.String()
	}
	return ""
}

// digits returns the value to the digits that its evidence supports.
func (e *Evidence) digits() string {
	digits := 15
	if k := e.number.Kind(); k == evidence.KindCertified || k == evidence.KindEstimated {
		digits = e.supported()
		if digits == 1 {
			digits = 2 // an order of magnitude alone reads badly; the interval follows
		}
	}
	return formatFloat(e.Float(), digits)
}

// short returns value and kind on a few columns, for messages and tables.
func (e *Evidence) short() string { return e.digits() + " (" + string(e.number.Kind()) + ")" }

// String implements starlark.Value: the value to its supported digits, then how
// it is known.
func (e *Evidence) String() string {
	var b strings.Builder
	b.WriteString(e.digits())
	lo, hi := e.number.Bounds()
	switch n := e.number.(type) {
	case evidence.Estimated:
		fmt.Fprintf(&b, " (estimated: in [%s, %s] with confidence %s", formatFloat(lo, 6), formatFloat(hi, 6), formatFloat(n.Confidence, 6))
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
		if r := e.rational(); r != "" && r != e.digits() {
			if runes := []rune(r); len(runes) > 60 {
				r = string(runes[:28]) + "…" + string(runes[len(runes)-28:])
			}
			b.WriteString(": " + r)
		}
		b.WriteString(")")
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

// Type implements starlark.Value.
func (e *Evidence) Type() string { return "evidence" }

// Freeze implements starlark.Value: evidence is immutable.
func (e *Evidence) Freeze() {}

// Truth implements starlark.Value, as for a number.
func (e *Evidence) Truth() starlark.Bool { return e.Float() != 0 }

// Hash implements starlark.Value; equal evidence hashes alike.
func (e *Evidence) Hash() (uint32, error) { return starlark.Float(e.Float()).Hash() }

// CompareSameType implements starlark.Comparable: by value.
func (e *Evidence) CompareSameType(op syntax.Token, y starlark.Value, depth int) (bool, error) {
	return starlark.CompareDepth(op, starlark.Float(e.Float()), starlark.Float(y.(*Evidence).Float()), depth)
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
	y, ok := toFloat(other)
	if !ok {
		return nil, nil
	}
	a, b := starlark.Value(starlark.Float(e.Float())), starlark.Value(starlark.Float(y))
	if side == starlark.Right {
		a, b = b, a
	}
	return starlark.Binary(op, a, b)
}

// exactly computes with logarithms made by ln: whole multiples, whole parts
// and sums stay exact.
func (e *Evidence) exactly(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, bool) {
	x, ok := e.number.(exactLog)
	if !ok {
		return nil, false
	}
	switch y := other.(type) {
	case starlark.Int:
		n, small := y.Int64()
		switch {
		case !small || n < 1 || n > math.MaxInt32:
		case op == syntax.STAR:
			return exactOrNot(x.Times(n))
		case op == syntax.SLASH && side == starlark.Left:
			return exactOrNot(x.Ratio(1, n))
		}
	case *Evidence:
		if y, ok := y.number.(exactLog); ok && op == syntax.PLUS {
			return exactOrNot(x.Add(y.Epsilon))
		}
	}
	return nil, false
}

func exactOrNot(e evidence.Epsilon) (starlark.Value, bool) {
	if !e.IsExact() {
		return nil, false
	}
	return &Evidence{number: exactLog{e}}, true
}

// exactLog is an exact ε as a number: what ln makes.
type exactLog struct{ evidence.Epsilon }

// Kind implements evidence.Number.
func (exactLog) Kind() evidence.Kind { return evidence.KindExact }

// Float implements evidence.Number.
func (l exactLog) Float() float64 { return l.Value() }

// Bounds implements evidence.Number.
func (l exactLog) Bounds() (lo, hi float64) { return l.Enclosure().Bounds() }

// Origin implements evidence.Number.
func (exactLog) Origin() string { return "written as a logarithm" }

// evidenceAttrs is the manual of the attributes, in the order help shows them.
var evidenceAttrs = []struct {
	doc doc
	get func(e *Evidence) starlark.Value
}{
	{doc{name: "value", help: "The number to compute with: the upper end for a certified privacy loss, the midpoint of any other enclosure.", example: "ln(3).value"},
		func(e *Evidence) starlark.Value { return starlark.Float(e.Float()) }},
	{doc{name: "kind", help: `How the number is known: "claimed" (a paper says so), "exact" (a rational, or the logarithm of one, without rounding), "certified" (an enclosure, every rounding outward) or "estimated" (from draws).`, example: "ln(3).kind"},
		func(e *Evidence) starlark.Value { return starlark.String(e.number.Kind()) }},
	{doc{name: "lo", help: "Lower end: no larger than the true number for exact and certified evidence, with the stated confidence for an estimate; the value itself for a claim.", example: "ln(3).lo"},
		func(e *Evidence) starlark.Value { lo, _ := e.number.Bounds(); return starlark.Float(lo) }},
	{doc{name: "hi", help: "Upper end, likewise.", example: "ln(3).hi"},
		func(e *Evidence) starlark.Value { _, hi := e.number.Bounds(); return starlark.Float(hi) }},
	{doc{name: "source", help: "Where the number comes from: paper and equation, or method.", example: "ln(3).source"},
		func(e *Evidence) starlark.Value { return starlark.String(e.number.Origin()) }},
	{doc{name: "rational", help: `The number without rounding, as a string: "18545/3888" or "ln(27/8)". None unless the kind is "exact".`, example: `ln("27/8").rational`},
		func(e *Evidence) starlark.Value {
			if r := e.rational(); r != "" {
				return starlark.String(r)
			}
			return starlark.None
		}},
	{doc{name: "confidence", help: "Probability that lo and hi enclose the true number: 1 for exact and certified evidence, the level reached for an estimate, None for a claim.", example: "ln(3).confidence"},
		func(e *Evidence) starlark.Value {
			switch n := e.number.(type) {
			case evidence.Estimated:
				return starlark.Float(n.Confidence)
			case evidence.Claimed:
				return starlark.None
			}
			return starlark.Float(1)
		}},
	{doc{name: "draws", help: "Number of draws behind an estimate; None for any other kind.", example: "ln(3).draws"},
		func(e *Evidence) starlark.Value {
			if n, ok := e.number.(evidence.Estimated); ok {
				return starlark.MakeInt(n.Draws)
			}
			return starlark.None
		}},
	{doc{name: "cases", help: "Number of cases visited for an exact number; None where none were counted.", example: "ln(3).cases"},
		func(e *Evidence) starlark.Value {
			cases := uint64(0)
			switch n := e.number.(type) {
			case evidence.Exact:
				cases = n.Cases
			case evidence.ExactLog:
				cases = n.Cases
			}
			if cases == 0 {
				return starlark.None
			}
			return starlark.MakeUint64(cases)
		}},
}

// AttrNames implements starlark.HasAttrs.
func (e *Evidence) AttrNames() []string {
	names := make([]string, len(evidenceAttrs))
	for i := range evidenceAttrs {
		names[i] = evidenceAttrs[i].doc.name
	}
	return names
}

// Attr implements starlark.HasAttrs.
func (e *Evidence) Attr(name string) (starlark.Value, error) {
	for i := range evidenceAttrs {
		if evidenceAttrs[i].doc.name == name {
			return evidenceAttrs[i].get(e), nil
		}
	}
	return nil, starlark.NoSuchAttrError(fmt.Sprintf("evidence has no .%s", name))
}

func (e *Evidence) classDoc() *doc {
	return &doc{name: "evidence", example: "ln(3)", help: `A number that knows how it is known. float, math.*, min, max, sum, round, fmt, tables and plots accept it; + - * / with it give floats (sums and whole multiples of ln(…) stay exact). It orders only against evidence: write e.value < 2.`}
}

// evidenceManual implements manual.
type evidenceManual struct{}

func (evidenceManual) entries() []*doc {
	var e *Evidence
	docs := []*doc{e.classDoc()}
	for _, name := range e.AttrNames() {
		docs = append(docs, e.attrDoc(name))
	}
	return docs
}

func (e *Evidence) attrDoc(name string) *doc {
	for i := range evidenceAttrs {
		if d := evidenceAttrs[i].doc; d.name == name {
			d.name = "evidence." + name
			return &d
		}
	}
	return nil
}
