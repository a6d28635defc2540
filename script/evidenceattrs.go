package script

import (
	"cmp"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/version"

	"go.starlark.net/starlark"
)

// evidenceClass declares the attributes of evidence and their entries in the manual.
var evidenceClass = &Class[*Evidence]{
	Name: "evidence", Example: "ln(3)",
	Help: `A number with its evidence: how it is known, and its lower and upper end. float, math.*, min, max, sum, abs, round, fmt, tables and plots accept it. + - * /, sum, min, max, abs, ln, math.exp, math.log, math.sqrt and math.pow with a whole exponent keep evidence: exact numbers stay exact where the result is rational or a rational multiple of a logarithm; other enclosures are combined with outward rounding. Dependence is ignored: e - e is an interval around 0. Sums, products and positive multiples of nonnegative bounds keep their safe side. With a claim the result is claimed, with an estimate it is estimated, and each estimate's failure probability counts once. It compares with numbers and evidence (< <= > >= == !=, in, sorted, min, max) by lo and hi; exact evidence is compared without rounding and a claim by its value. A comparison that lo and hi do not decide is an error, and so is one with an estimate: write e.value < 2 to compare the number.`,
	Attrs: []Attr[*Evidence]{
		Get("value -> number", "The number to compute with. For an enclosure it is the end on the safe side: the upper end for privacy losses, δ and sensitivities, and the lower end for lower bounds. Without a safe side it is the midpoint.", "ln(3).value",
			func(e *Evidence) any { return e.Float() }),
		Get("kind -> string", `How the number is known: "claimed" (a paper says so), "exact" (a rational, or the logarithm of one, without rounding), "certified" (an enclosure, every rounding outward) or "estimated" (from draws).`, "ln(3).kind",
			func(e *Evidence) any { return string(e.number.Kind()) }),
		Get("lo -> number", "Lower end: no larger than the true number for exact and certified evidence, with the stated confidence for an estimate; the value itself for a claim.", "ln(3).lo",
			func(e *Evidence) any { lo, _ := e.number.Bounds(); return lo }),
		Get("hi -> number", "Upper end: no smaller than the true number, as lo is no larger.", "ln(3).hi",
			func(e *Evidence) any { _, hi := e.number.Bounds(); return hi }),
		Get("source -> string", "Where the number comes from: paper and equation, or method.", "ln(3).source",
			func(e *Evidence) any { return e.number.Origin() }),
		Get("call -> string?", "The expression that made the number, with its variables replaced by the expressions that made them; long lists are cut. None for a literal.", "gaussian_delta(1, 2).call",
			func(e *Evidence) any { return orNone(e.expression()) }),
		Get("rational -> string?", `The number without rounding, as a string: "18545/3888" or "ln(27/8)". None unless the kind is "exact".`, `ln("27/8").rational`,
			func(e *Evidence) any { return orNone(e.rational()) }),
		Get("confidence -> number?", "Probability that lo and hi enclose the true number: 1 for exact and certified evidence, the level reached for an estimate, None for a claim.", "ln(3).confidence",
			func(e *Evidence) any {
				switch n := e.number.(type) {
				case evidence.Estimated:
					return n.Confidence
				case evidence.Claimed:
					return nil
				}
				return 1.0
			}),
		Get("draws -> int?", "Number of draws behind an estimate; None for any other kind.", "ln(3).draws",
			func(e *Evidence) any {
				n, _ := e.number.(evidence.Estimated)
				return orNone(n.Draws)
			}),
		Get("cases -> int?", "Number of cases visited for an exact number; None if cases were not counted.", "ln(3).cases",
			func(e *Evidence) any {
				exact, _ := e.number.(evidence.Exact)
				log, _ := e.number.(evidence.ExactLog)
				return orNone(cmp.Or(exact.Cases, log.Cases))
			}),
		Do(`cite(form: "text"|"latex"="text") -> string`, "A line to cite the number in a paper: its value, kind and ends, source and method, the expression that made it, the script and line of the top-level statement (if unknown, of the call of cite), and the program's version. form \"latex\" writes the line for LaTeX.", "ln(3).cite()",
			func(c *Call, e *Evidence) (any, error) {
				at := e.at
				if at == nil {
					at = c.Session.at.Load()
				}
				line := evidence.Cite(e.number, at.text(), "dpworkbench "+version.Text())
				if c.Text("form") == "latex" {
					line = display.LaTeX(line)
				}
				return line, nil
			}),
	},
}

// orNone returns v, or None if v is the zero value of its type.
func orNone[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// AttrNames implements starlark.HasAttrs.
func (e *Evidence) AttrNames() []string { return evidenceClass.class().names(e) }

// Attr implements starlark.HasAttrs.
func (e *Evidence) Attr(name string) (starlark.Value, error) {
	return evidenceClass.class().read(e, name)
}

func (e *Evidence) attrDoc(name string) *Doc { return evidenceClass.class().attrDoc(e, name) }
