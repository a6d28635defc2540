package evidence_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

func TestFirstCallAndCaveatAreKept(t *testing.T) {
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
		t.Error("a nil number with a caveat is not nil")
	}
}

// A citation lists everything known about a number, and nothing twice.
func TestCiteListsEachPartOnce(t *testing.T) {
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

type subject string

func (s subject) Says() string { return string(s) }

// WithStatement replaces the statement that a number answers.
func TestWithStatementReplacesStatement(t *testing.T) {
	n := evidence.WithStatement(evidence.WithStatement(evidence.Certified{Lo: 1, Hi: 2}, subject("a")), subject("b"))
	if n.Statement != evidence.Statement(subject("b")) || n.Lo != 1 || n.Hi != 2 {
		t.Errorf("%+v, want the statement b and the same bounds", n)
	}
}
