package script

import (
	"fmt"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
)

// evidenceAttrs is the manual of the attributes, in the order help shows them.
var evidenceAttrs = []struct {
	doc Doc
	get func(e *Evidence) starlark.Value
}{
	{Doc{Name: "value", Help: "The number to compute with: the upper end for a certified privacy loss, the midpoint of any other enclosure.", Example: "ln(3).value"},
		func(e *Evidence) starlark.Value { return starlark.Float(e.Float()) }},
	{Doc{Name: "kind", Help: `How the number is known: "claimed" (a paper says so), "exact" (a rational, or the logarithm of one, without rounding), "certified" (an enclosure, every rounding outward) or "estimated" (from draws).`, Example: "ln(3).kind"},
		func(e *Evidence) starlark.Value { return starlark.String(e.number.Kind()) }},
	{Doc{Name: "lo", Help: "Lower end: no larger than the true number for exact and certified evidence, with the stated confidence for an estimate; the value itself for a claim.", Example: "ln(3).lo"},
		func(e *Evidence) starlark.Value { lo, _ := e.number.Bounds(); return starlark.Float(lo) }},
	{Doc{Name: "hi", Help: "Upper end: no smaller than the true number, as lo is no larger.", Example: "ln(3).hi"},
		func(e *Evidence) starlark.Value { _, hi := e.number.Bounds(); return starlark.Float(hi) }},
	{Doc{Name: "source", Help: "Where the number comes from: paper and equation, or method.", Example: "ln(3).source"},
		func(e *Evidence) starlark.Value { return starlark.String(e.number.Origin()) }},
	{Doc{Name: "call", Help: "The expression that made the number, with what made its arguments in place of their names; long lists are cut. None where it was written as it stands.", Example: "gaussian_delta(1, 2).call"},
		func(e *Evidence) starlark.Value {
			if call := e.Expression(); call != "" {
				return starlark.String(call)
			}
			return starlark.None
		}},
	{Doc{Name: "rational", Help: `The number without rounding, as a string: "18545/3888" or "ln(27/8)". None unless the kind is "exact".`, Example: `ln("27/8").rational`},
		func(e *Evidence) starlark.Value {
			if r := e.rational(); r != "" {
				return starlark.String(r)
			}
			return starlark.None
		}},
	{Doc{Name: "confidence", Help: "Probability that lo and hi enclose the true number: 1 for exact and certified evidence, the level reached for an estimate, None for a claim.", Example: "ln(3).confidence"},
		func(e *Evidence) starlark.Value {
			switch n := e.number.(type) {
			case evidence.Estimated:
				return starlark.Float(n.Confidence)
			case evidence.Claimed:
				return starlark.None
			}
			return starlark.Float(1)
		}},
	{Doc{Name: "draws", Help: "Number of draws behind an estimate; None for any other kind.", Example: "ln(3).draws"},
		func(e *Evidence) starlark.Value {
			if n, ok := e.number.(evidence.Estimated); ok {
				return starlark.MakeInt(n.Draws)
			}
			return starlark.None
		}},
	{Doc{Name: "cases", Help: "Number of cases visited for an exact number; None where none were counted.", Example: "ln(3).cases"},
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
		names[i] = evidenceAttrs[i].doc.Name
	}
	return names
}

// Attr implements starlark.HasAttrs.
func (e *Evidence) Attr(name string) (starlark.Value, error) {
	for i := range evidenceAttrs {
		if evidenceAttrs[i].doc.Name == name {
			return evidenceAttrs[i].get(e), nil
		}
	}
	return nil, starlark.NoSuchAttrError(fmt.Sprintf("evidence has no .%s", name))
}

func (e *Evidence) classDoc() *Doc {
	return &Doc{Name: "evidence", Example: "ln(3)", Help: `A number that knows how it is known. float, math.*, min, max, sum, round, fmt, tables and plots accept it; + - * / with it give floats (sums and whole multiples of ln(…) stay exact). It compares with numbers and evidence (< <= > >= == !=, in, sorted, min, max) as far as lo and hi decide, exact evidence without rounding and a claim by its value; what they leave open is an error, and so is an estimate: write e.value < 2 where the number is meant.`}
}

// evidenceManual implements Type.
type evidenceManual struct{}

func (evidenceManual) manual() []*Doc {
	var e *Evidence
	docs := []*Doc{e.classDoc()}
	for _, name := range e.AttrNames() {
		docs = append(docs, e.attrDoc(name))
	}
	return docs
}

func (e *Evidence) attrDoc(name string) *Doc {
	for i := range evidenceAttrs {
		if d := evidenceAttrs[i].doc; d.Name == name {
			d.Name = "evidence." + name
			return &d
		}
	}
	return nil
}
