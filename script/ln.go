package script

import "dpworkbench/evidence"

// lnBuiltins is the worked example of a table of bindings.
func lnBuiltins() []Builtin {
	return []Builtin{Func("ln(x: rational) -> evidence",
		`The logarithm of a rational number, kept exact: evidence of kind "exact", in nats. Accepted wherever ε is, and then answers are rational where they can be. x > 1 is a number (a float means its shortest decimal) or a fraction like "7/2". Whole multiples, whole parts and sums stay exact: 2*ln(3), ln(9)/2, ln(2) + ln(3). Any other arithmetic gives a float; math.log gives one at once.`,
		"e = ln(\"7/2\")\nprint(e, e.value, e.rational, 2*ln(3), ln(9)/2)",
		func(c *Call) (any, error) { return evidence.LogEpsilon("x", c.Rational("x")) })}
}
