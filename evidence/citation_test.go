package evidence_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
)

func TestPrint(t *testing.T) {
	ln3, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	tenth, err := evidence.RationalEpsilon("eps", big.NewRat(1, 10))
	if err != nil {
		t.Fatal(err)
	}
	whole := func(digits int64) *big.Rat { // 1 and noughts
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

func TestCitation(t *testing.T) {
	numbers := []evidence.Number{
		evidence.Claimed{}, evidence.Exact{Value: new(big.Rat)}, evidence.ExactLog{Argument: big.NewRat(2, 1)},
		evidence.Certified{}, evidence.Estimated{}, evidence.InputEpsilon{},
	}
	for _, n := range numbers {
		called := evidence.WithCall(evidence.WithCall(evidence.WithCaveat(n, "beware"), "f(1)"), "g(2)")
		got := called.Citation()
		if got.Call != "f(1)" || got.Caveat != "beware" {
			t.Errorf("%T: cites %+v, want the first call f(1) and the caveat", n, got)
		}
	}
	if evidence.WithCaveat[evidence.Number](nil, "beware") != nil {
		t.Error("nothing, with a caveat, is something")
	}
}

// A citation holds all that is known of a number, and nothing twice.
func TestCite(t *testing.T) {
	for want, n := range map[string]evidence.Number{
		"0.5 (claimed); a paper; v1": evidence.Claimed{Value: 0.5, Provenance: evidence.From("a paper")},
		"2.0 (certified: in [1.0, 3.0]) [of a draft]; a law; halves; f(1); v1": evidence.WithCall(evidence.Certified{Lo: 1, Hi: 3, Provenance: evidence.Provenance{Source: "a law", Method: "halves", Caveat: "of a draft"}}, "f(1)"),
		"0.5 (estimated: in [0.25, 0.75] with confidence 0.95, 10 draws); v1":  evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75, Confidence: 0.95, Draws: 10},
	} {
		if got := evidence.Cite(n, "", "v1"); got != want {
			t.Errorf("%v is cited as %q, want %q", n, got, want)
		}
	}
}

// A loss that is known between wide ends prints its upper end, rounded up.
func TestWideLossesRoundUp(t *testing.T) {
	for want, c := range map[string]evidence.Certified{
		"0.161710":   {Lo: 0, Hi: 0.16170958512188888, Side: evidence.Up},
		"0.999999":   {Lo: 0, Hi: 0.9999986321199685, Side: evidence.Up},
		"0.0444445":  {Lo: 0, Hi: 0.0444444444444445, Side: evidence.Up},
		"inf":        {Lo: 0, Hi: math.Inf(1), Side: evidence.Up},
		"0.5":        {Lo: 0, Hi: 0.5, Side: evidence.Up},
		"3.71232e+8": {Lo: 2, Hi: 371231354, Side: evidence.Up},
	} {
		got, _, _ := strings.Cut(c.String(), " ")
		shown, err := strconv.ParseFloat(got, 64)
		if wanted, _ := strconv.ParseFloat(want, 64); err != nil || shown != wanted || shown < c.Hi {
			t.Errorf("%v prints %q, want %q", c.Hi, got, want)
		}
	}
}

type subject string

func (s subject) Says() string { return string(s) }

// A number remembers the statement that it answers, the last one that it was given.
func TestStating(t *testing.T) {
	n := evidence.WithStatement(evidence.WithStatement(evidence.Certified{Lo: 1, Hi: 2}, subject("a")), subject("b"))
	if n.Statement != evidence.Statement(subject("b")) || n.Lo != 1 || n.Hi != 2 {
		t.Errorf("%+v", n)
	}
}
