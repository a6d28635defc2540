package evidence_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

// Printed enclosures round outward, for all sizes and numbers of digits.
func TestPrintingRoundsOutward(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range cases.Of(2000, 20000) {
		c := evidencetest.Random(rng)
		digits := 1 + rng.IntN(19)
		verb := fmt.Sprintf("%%%s%s.%d%c", []string{"", "+", "0", "-", " "}[rng.IntN(5)], []string{"", "12"}[rng.IntN(2)], digits, "efgEG"[rng.IntN(5)])
		texts := map[string]string{
			"String": c.String(), "FormatNumber": evidence.FormatNumber(c, digits), "Cite": evidence.Cite(c), "%v": fmt.Sprint(c), verb: fmt.Sprintf(verb, c),
			"%g": fmt.Sprintf("%g", c), "shortest": evidence.FormatNumber(c, -1),
		}
		if !evidence.IsWide(c) {
			texts["Brief"] = evidence.Brief(c)
			texts["Digits"] = evidence.Digits(c)
		}
		for name, text := range texts {
			if wrong := evidencetest.Misprint(c, text); wrong != "" {
				t.Fatalf("%s to %d digits: %s", name, digits, wrong)
			}
		}
		around := evidence.Certified{Lo: c.Lo, Hi: c.Hi}
		for name, text := range map[string]string{"Bounds": evidence.Bounds(c), "String": c.String()[1:]} {
			if wrong := evidencetest.Misprint(around, text); c.Lo < c.Hi && wrong != "" {
				t.Fatalf("%s: %s", name, wrong)
			}
		}
	}
	for _, v := range []float64{999999, 1e6, 1e-4, 9e-5} { // near the exponents at which %g changes its format
		if text := fmt.Sprintf("%g", evidence.Certified{Lo: v, Hi: v}); text != fmt.Sprintf("%g", v) {
			t.Errorf("%v prints as %s", v, text)
		}
	}
}

func TestNumbersPrintValueAndEvidence(t *testing.T) {
	ln3 := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	tenth := must.For(evidence.RationalEpsilon("eps", big.NewRat(1, 10)))(t)
	whole := func(digits int64) *big.Rat { // 1 and zeros
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(digits-1), nil))
	}
	for _, c := range []struct {
		n                  evidence.Number
		v, third, citation string
	}{
		{evidence.Claimed{Value: 0.5, Provenance: evidence.From("a paper")}, "0.5 (claimed)", "0.500", "a paper"},
		{evidence.Exact{Value: big.NewRat(1, 3), Provenance: evidence.From("all cases")}, "0.333333333333333 (exact: 1/3)", "0.333", "all cases"},
		{evidence.Exact{Value: big.NewRat(2, 1)}, "2.0 (exact: 2)", "2.000", ""},
		{evidence.ExactLog{Argument: big.NewRat(27, 8)}, "1.21639532432449 (exact: ln(27/8))", "1.216", ""},
		{ln3.Number(), "1.09861228866811 (exact: ln(3))", "1.099", "written as a logarithm"},
		{evidence.Certified{Lo: 1, Hi: 3, Provenance: evidence.From("a law").By("halves")}, "2.0 (certified: in [1.0, 3.0])", "[1.000, 3.000]", "a law; halves"},
		{evidence.Certified{Lo: 1, Hi: 3, Side: evidence.Up, Provenance: evidence.Provenance{Caveat: "of a draft"}}, "3.0 (certified: in [1.0, 3.0]) [of a draft]", "3.000", " [caveat: of a draft]"},
		{evidence.Certified{Lo: math.NaN(), Hi: 3}, "inf (certified: in [-inf, inf])", "[-Inf, +Inf]", ""},
		{evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75, Confidence: 0.95, Draws: 10}, "0.5 (estimated: in [0.25, 0.75] with confidence 0.95, 10 draws)", "0.500", ""},
		{evidence.Estimated{Value: 0.6666666666, Lo: 0.6666666666, Hi: 0.75, Confidence: 0.9, Side: evidence.Down}, "0.666666 (estimated: in [0.666666, 0.75] with confidence 0.9)", "0.666", ""},
		{evidence.Estimated{Value: 0.5, Lo: 0.1234567, Hi: 0.7654321, Confidence: 0.1234567}, "0.5 (estimated: in [0.123456, 0.765433] with confidence 0.123457)", "0.500", ""},
		{evidence.Certified{Lo: 2, Hi: 2, Provenance: evidence.Provenance{Method: "twice"}}, "2.0 (certified)", "2.000", "twice"},
		{tenth.Number(), "0.1 (exact: 1/10)", "0.100", "written as a fraction"},
		{evidence.Exact{Value: whole(60)}, "1e+59 (exact: 1" + strings.Repeat("0", 59) + ")", "1" + strings.Repeat("0", 59) + ".000", ""},
		{evidence.Exact{Value: whole(61)}, "1e+60 (exact: 1" + strings.Repeat("0", 27) + "…" + strings.Repeat("0", 28) + ")", "1" + strings.Repeat("0", 60) + ".000", ""},
	} {
		if got := fmt.Sprint(c.n); got != c.v || c.n.String() != c.v {
			t.Errorf("prints %q and %q, want %q", got, c.n.String(), c.v)
		}
		if got := fmt.Sprintf("%.3f", c.n); got != c.third {
			t.Errorf("%v: %%.3f prints %q, want %q", c.n, got, c.third)
		}
		if got := c.n.Origin(); got != c.citation {
			t.Errorf("%v: origin %q, want %q", c.n, got, c.citation)
		}
	}
}

// Float verbs print the value, and text verbs print the value with its evidence.
func TestFormatVerbs(t *testing.T) {
	n := evidence.Exact{Value: big.NewRat(5, 4)}
	for verb, want := range map[string]string{"%v": "1.25 (exact: 5/4)", "%s": "1.25 (exact: 5/4)", "%q": `"1.25 (exact: 5/4)"`, "%.1f": "1.2", "%8.3g": "    1.25", "%e": "1.250000e+00"} {
		if got := fmt.Sprintf(verb, n); got != want {
			t.Errorf("%s prints %q, want %q", verb, got, want)
		}
	}
	ln, _ := evidence.LogEpsilon("e", big.NewRat(3, 1))
	for _, m := range []evidence.Number{n, evidence.FromFloat(1.25), evidence.Certified{Lo: 1.25, Hi: 1.25}, evidence.Estimated{Value: 1.25}, evidence.ExactLog{Argument: big.NewRat(7, 2)}} {
		if got, want := fmt.Sprintf("%.4f", m), fmt.Sprintf("%.4f", m.Float()); got != want {
			t.Errorf("%T prints %s, want %s", m, got, want)
		}
	}
	if got := fmt.Sprintf("%+.4f %7.2G|%-7.2e|%08.3f", ln.Number(), ln.Number(), ln.Number(), evidence.Certified{Lo: -2, Hi: -2}); got != "+1.0987     1.1|1.10e+00|-002.000" {
		t.Errorf("prints %s", got)
	}
	digits := new(big.Int).Exp(big.NewInt(3), big.NewInt(200), nil) // 96 digits
	if got := fmt.Sprint(evidence.Exact{Value: new(big.Rat).SetInt(digits)}); got != "2.65613988875875e+95 (exact: 2656139888758747693387813220…"+digits.String()[len(digits.String())-28:]+")" {
		t.Errorf("prints %s", got)
	}
}

// The largest number of digits writes bounds as 1000 digits do.
func TestMostDigits(t *testing.T) {
	n := evidence.Certified{Lo: 0x1p-1074, Hi: 0x1.8p-1000, Provenance: evidence.Provenance{Method: "test"}}
	for _, n := range []evidence.Number{n, evidence.Certified{Lo: 1, Hi: 1 + 0x1p-52, Provenance: n.Provenance}} {
		if got, want := evidence.FormatNumber(n, math.MaxInt), evidence.FormatNumber(n, 1000); got != want {
			t.Errorf("%d digits: %s, want %s", math.MaxInt, got, want)
		}
	}
}
