package repl

import (
	"fmt"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
)

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
	{doc{name: "hi", help: "Upper end: no smaller than the true number, as lo is no larger.", example: "ln(3).hi"},
		func(e *Evidence) starlark.Value { _, hi := e.number.Bounds(); return starlark.Float(hi) }},
	{doc{name: "source", help: "Where the number comes from: paper and equation, or method.", example: "ln(3).source"},
		func(e *Evidence) starlark.Value { return starlark.String(e.number.Origin()) }},
	{doc{name: "call", help: "The expression that made the number, with what made its arguments in place of their names; long lists are cut. None where it was written as it stands.", example: "gaussian_delta(1, 2).call"},
		func(e *Evidence) starlark.Value {
			if call := e.expression(); call != "" {
				return starlark.String(call)
			}
			return starlark.None
		}},
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
