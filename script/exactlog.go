package script

import (
	"math/big"

	"dpworkbench/evidence"
)

// lnBuiltins returns the built-ins for exact logarithms. It serves as the worked example of a table of bindings.
func lnBuiltins() []Builtin {
	return []Builtin{Func("ln(x: value) -> evidence",
		`The logarithm of a rational number, kept exact: evidence of kind "exact", in nats. It is accepted wherever ε is, and answers are then rational where possible. x > 1 is a number (a float means its shortest decimal) or a fraction like "7/2". Rational multiples, sums and differences stay exact: 2*ln(3), ln(9)/2, ln(2) + ln(3). x may also be positive evidence: the logarithm of an enclosure is certified.`,
		"e = ln(\"7/2\")\nprint(e, e.value, e.rational, 2*ln(3), ln(9)/2)",
		func(c *Call) (any, error) {
			x, rational := ToRational(c.Value("x"))
			if e, ok := c.Value("x").(*Evidence); ok && !(rational && x.Cmp(big.NewRat(1, 1)) > 0) {
				return evaluated(evidence.Log(e.number))
			}
			if !rational {
				c.Fail("x", c.Value("x"), "a finite number or a fraction like \"7/2\"")
			}
			if x.Cmp(big.NewRat(1, 1)) <= 0 {
				c.Fail("x", c.Value("x"), "a number above 1")
			}
			return evidence.LogEpsilon("x", x)
		})}
}
