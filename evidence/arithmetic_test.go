package evidence_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func exact(num, den int64) evidence.Number { return evidence.FromRat(big.NewRat(num, den)) }

func within(lo, hi float64, side evidence.Side) evidence.Number {
	return evidence.Certified{Lo: lo, Hi: hi, Side: side, Provenance: evidence.From("a bound")}
}

func ln(num, den int64) evidence.Number {
	return evidence.ExactLog{Argument: big.NewRat(num, den), Side: evidence.Up}
}

func TestArithmeticResults(t *testing.T) {
	claim := evidence.Claimed{Value: 2, Epsilon: must.Be(evidence.NewEpsilon("eps", 2)), Provenance: evidence.From("Theorem 1")}
	estimate := evidence.Identify(evidence.Estimated{Value: .5, Lo: .4, Hi: .6, Confidence: .99, Draws: 100})
	other := evidence.Estimated{Value: .5, Lo: .4, Hi: .6, Confidence: .4, Draws: 50}
	up, down := within(1, 1.5, evidence.Up), within(1, 1.5, evidence.Down)
	infinite := within(math.Inf(1), math.Inf(1), evidence.Up)
	two := func(f func(a, b evidence.Number) (evidence.Number, error), a, b evidence.Number) func() (evidence.Number, error) {
		return func() (evidence.Number, error) { return f(a, b) }
	}
	one := func(f func(a evidence.Number) (evidence.Number, error), a evidence.Number) func() (evidence.Number, error) {
		return func() (evidence.Number, error) { return f(a) }
	}
	for name, c := range map[string]struct {
		of   func() (evidence.Number, error)
		want string // text of the result, or "!" and the text of the error
		side evidence.Side
	}{
		"sum of logarithms":               {two(evidence.Add, ln(5, 2), ln(2, 1)), "1.60943791243411 (exact: ln(5))", evidence.Up},
		"twice a logarithm":               {two(evidence.Add, ln(3, 1), ln(3, 1)), "2.19722457733622 (exact: ln(9))", evidence.Up},
		"difference of logarithms":        {two(evidence.Sub, ln(5, 2), ln(5, 1)), "-0.693147180559945 (exact: ln(1/2))", 0},
		"half a logarithm":                {two(evidence.Quo, ln(3, 1), exact(2, 1)), "0.549306144334055 (exact: ln(3)·1/2)", evidence.Up},
		"minus half a logarithm":          {two(evidence.Mul, ln(3, 1), exact(-1, 2)), "-0.549306144334055 (exact: -ln(3)·1/2)", 0},
		"sum of half logarithms":          {two(evidence.Add, must.Be(evidence.Quo(ln(2, 1), exact(2, 1))), must.Be(evidence.Quo(ln(8, 1), exact(2, 1)))), "1.3862943611199 (exact: ln(4))", evidence.Up},
		"quotient of logarithms":          {two(evidence.Quo, ln(9, 1), ln(27, 1)), "0.666666666666667 (exact: 2/3)", 0},
		"product of logarithms":           {two(evidence.Mul, ln(3, 1), ln(2, 1)), "0.761500010418809 ", evidence.Up},
		"a logarithm and a rational":      {two(evidence.Add, ln(3, 1), exact(1, 1)), "2.0986122886681 ", evidence.Up},
		"exact logarithm":                 {one(evidence.Log, exact(7, 2)), "1.25276296849537 (exact: ln(7/2))", 0},
		"exact exponential":               {one(evidence.Exp, ln(7, 2)), "3.5 (exact: 7/2)", 0},
		"exponential":                     {one(evidence.Exp, exact(1, 1)), "2.71828182845905 ", 0},
		"exact root":                      {one(evidence.Sqrt, exact(9, 4)), "1.5 (exact: 3/2)", 0},
		"root":                            {one(evidence.Sqrt, exact(2, 1)), "1.4142135623731 ", 0},
		"sum of upper bounds":             {two(evidence.Add, up, up), "3.0 (certified: in [2.0, 3.0])", evidence.Up},
		"product of upper bounds":         {two(evidence.Mul, up, up), "2.25 (certified: in [1.0, 2.25])", evidence.Up},
		"twice an upper bound":            {two(evidence.Mul, exact(2, 1), up), "3.0 (certified: in [2.0, 3.0])", evidence.Up},
		"quotient of upper bounds":        {two(evidence.Quo, up, up), "1.1 (certified: in [0.66", 0},
		"upper plus lower bound":          {two(evidence.Add, up, down), "2.5 (certified: in [2.0, 3.0])", 0},
		"minus an upper bound":            {two(evidence.Mul, exact(-1, 1), up), "-1.2 (certified: in [-1.5, -1.0])", 0},
		"difference of upper bounds":      {two(evidence.Sub, up, up), "0.0 (certified: in [-0.5, 0.5])", 0},
		"a claim and either sign":         {two(evidence.Mul, claim, within(-1, 1, 0)), "!a claimed number times", 0},
		"either sign and a claim":         {two(evidence.Mul, within(-1, 1, 0), claim), "!a claimed number times", 0},
		"division by either sign":         {two(evidence.Quo, up, within(-1, 1, 0)), "!division by", 0},
		"even powers":                     {func() (evidence.Number, error) { return evidence.Pow(within(-1, 2, 0), 2) }, "2.0 (certified: in [0.0, 4.0])", 0},
		"inverse power":                   {func() (evidence.Number, error) { return evidence.Pow(exact(2, 3), -2) }, "2.25 (exact: 9/4)", 0},
		"infinity":                        {two(evidence.Add, infinite, up), "inf (certified)", evidence.Up},
		"division by infinity":            {two(evidence.Quo, exact(1, 1), infinite), "0.0 (certified)", 0},
		"infinity minus infinity":         {two(evidence.Sub, infinite, infinite), "!no value", 0},
		"division by 0":                   {two(evidence.Quo, up, exact(0, 1)), "!not 0", 0},
		"logarithm of a possible 0":       {one(evidence.Log, within(0, 1, 0)), "!certainly positive", 0},
		"root of 0":                       {one(evidence.Sqrt, exact(0, 1)), "0.0 (exact: 0)", 0},
		"minimum of equal numbers":        {two(func(a, b evidence.Number) (evidence.Number, error) { return evidence.Min(a, b) }, ln(3, 1), ln(3, 1)), "1.09861228866811 (exact: ln(3))", evidence.Up},
		"minimum of no numbers":           {func() (evidence.Number, error) { return evidence.Min() }, "!empty list", 0},
		"maximum of NaN":                  {func() (evidence.Number, error) { return evidence.Max(evidence.Given(math.NaN())) }, "!NaN", 0},
		"claim times a possible 0":        {two(evidence.Mul, claim, within(-2, 0, 0)), "-4.0 (claimed)", evidence.Down},
		"maximum with an estimate":        {func() (evidence.Number, error) { return evidence.Max(estimate, exact(2, 1)) }, "2.0 (estimated", 0},
		"minimum with an estimate":        {func() (evidence.Number, error) { return evidence.Min(exact(2, 1), estimate) }, "0.5 (estimated", 0},
		"infinity times a bound":          {two(evidence.Mul, infinite, up), "inf (certified)", evidence.Up},
		"infinity times a possible 0":     {two(evidence.Mul, infinite, within(0, 1, 0)), "!no value", 0},
		"minimum of infinity and a bound": {func() (evidence.Number, error) { return evidence.Min(infinite, up) }, "1.5 (certified: in [1.0, 1.5])", evidence.Up},
		"infinity times a negative bound": {two(evidence.Mul, infinite, within(-2, -1, 0)), "!no value", 0},
		"a claim of 0 times infinity":     {two(evidence.Mul, evidence.Claimed{}, infinite), "!no value", 0},
		"a huge inverse power":            {func() (evidence.Number, error) { return evidence.Pow(exact(2, 3), -1<<20) }, "inf (certified: in [1.7976931348623157e+308, inf])", 0},
		"an exponent beyond 2^20":         {func() (evidence.Number, error) { return evidence.Pow(exact(1, 1), 1<<20+1) }, "!want a whole number from -1048576 to 1048576", 0},
		"a long exponential":              {func() (evidence.Number, error) { return evidence.Exp(must.Be(evidence.Mul(ln(3, 1), exact(1<<20, 1)))) }, "inf (certified: in [1.7976931348623157e+308, inf])", 0},
		"0 times a claim":                 {two(evidence.Mul, within(0, 0, 0), claim), "0.0 (claimed)", evidence.Up},
		"root of a possible 0":            {one(evidence.Sqrt, within(0, 1, 0)), "!certainly positive", 0},
		"NaN":                             {two(evidence.Add, up, evidence.Given(math.NaN())), "!NaN", 0},
		"NaN over a number":               {two(evidence.Quo, evidence.Given(math.NaN()), exact(2, 1)), "!NaN", 0},
		"twice a claim":                   {two(evidence.Mul, claim, exact(2, 1)), "4.0 (claimed)", evidence.Up},
		"claim with a bound":              {two(evidence.Add, claim, within(1, 1, evidence.Up)), "3.0 (claimed)", evidence.Up},
		"claim and a third":               {two(evidence.Add, claim, exact(1, 3)), "2.33333333333334 (claimed)", evidence.Up},
		"a third minus a claim":           {two(evidence.Sub, exact(1, 3), claim), "-1.66666666666667 (claimed)", evidence.Down},
		"claim plus its negative":         {func() (evidence.Number, error) { return evidence.Add(claim, must.Be(evidence.Neg(claim))) }, "!on different sides", 0},
		"claim minus claim":               {two(evidence.Sub, claim, claim), "!a claimed number minus a claimed number", 0},
		"division by a claim":             {two(evidence.Quo, up, claim), "!division by a claim", 0},
		"a claim without bound over −2": {
			two(evidence.Quo, evidence.Claimed{Value: math.Inf(1), Side: evidence.Up}, exact(-2, 1)), "!the quotient", 0,
		},
		"an estimate plus itself": {two(evidence.Add, estimate, estimate), "1.0 (estimated: in [0.8, 1.2] with confidence 0.99, 100 draws)", 0},
		"two estimates":           {two(evidence.Mul, estimate, other), "0.25 (estimated: in [0.16, 0.36] with confidence 0.39, 150 draws) [the intervals of 2 estimates hold together with this confidence]", 0},
		"failure is at most 1":    {func() (evidence.Number, error) { return evidence.Max(other, other) }, "0.5 (estimated: in [0.4, 0.6] with confidence 0.0, 100 draws) [the intervals of 2 estimates hold together with this confidence]", 0},
		"estimate with a bound":   {two(evidence.Add, estimate, up), "2.0 (estimated: in [1.39999, 2.10001] with confidence 0.99, 100 draws)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := c.of()
			if text, refused := strings.CutPrefix(c.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), text) {
					t.Fatalf("%v and error %v, want %q", n, err, text)
				}
				return
			}
			if err != nil || !strings.HasPrefix(n.String(), strings.TrimSpace(c.want)) || evidence.SideOf(n) != c.side {
				t.Errorf("%v, %v side %v, want %q and %v", n, err, evidence.SideOf(n), c.want, c.side)
			}
		})
	}
}
