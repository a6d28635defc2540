package check_test

import (
	"fmt"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

func ExampleErratum_String() {
	for _, e := range []check.Erratum{{}, {By: "m ≥ 2"}, {Replace: "n²"}, {Replace: "n²", By: "n"}} {
		fmt.Printf("%q\n", e)
	}
	// Output:
	// ""
	// "Add: m ≥ 2"
	// "Delete: n²"
	// "Replace: n² — by: n"
}

// Methods lists only the counterexample for a refuted claim, and only Shown for an undecided one. For a
// confirmed claim it lists the proof, if there is a sound one, then the family and the random instances that
// were visited.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		verdict evidence.Verdict
		proof   check.ProofKind
		visited check.Visited
		want    []check.Method
	}{
		{evidence.Refuted, check.Valid, check.Visited{Family: 1, Drawn: 1, Whole: true}, []check.Method{check.Counterexample}},
		{evidence.Undecided, check.Valid, check.Visited{Family: 1, Drawn: 1, Whole: true}, []check.Method{check.Shown}},
		{evidence.Confirmed, check.Valid, check.Visited{Family: 1}, []check.Method{check.Method(check.Valid), check.Method(check.OnGrid)}},
		{evidence.Confirmed, check.Repaired, check.Visited{Drawn: 1}, []check.Method{check.Method(check.Repaired), check.Random}},
		{evidence.Confirmed, check.Ours, check.Visited{Family: 1, Drawn: 1}, []check.Method{check.Method(check.Ours), check.Method(check.OnGrid), check.Random}},
		{evidence.Confirmed, check.Known, check.Visited{Family: 1, Whole: true}, []check.Method{check.Exhaustive}},
		{evidence.Confirmed, check.Gap, check.Visited{Family: 1, Drawn: 1, Whole: true}, []check.Method{check.Exhaustive, check.Random}},
		{evidence.Confirmed, check.None, check.Visited{}, nil},
	} {
		claim := check.Claim{Entry: check.Entry{Proof: check.Proof{Kind: c.proof}, Family: check.OnGrid}}
		if got := claim.Methods(&check.Outcome{Verdict: c.verdict, Visited: c.visited}); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// If the check's verdict is the recorded one, Standing returns Stored for a row that rests on a study, and
// otherwise the row's severity, if it has one. If not, it returns the verdict. Exactly three severities
// refute.
func TestStanding(t *testing.T) {
	for _, c := range []struct {
		recorded, found evidence.Verdict
		severity        check.Severity
		study           string
		want            check.Standing
	}{
		{evidence.Refuted, evidence.Refuted, check.False, "", "false as stated"},
		{evidence.Refuted, evidence.Refuted, check.Misprint, "", "misprint"},
		{evidence.Refuted, evidence.Confirmed, check.False, "", "confirmed"},
		{evidence.Confirmed, evidence.Confirmed, check.Slack, "", "slack"},
		{evidence.Confirmed, evidence.Refuted, check.Slack, "", "refuted"},
		{evidence.Undecided, evidence.Undecided, "", "run x", check.Stored},
		{evidence.Undecided, evidence.Refuted, "", "run x", "refuted"},
		{evidence.Undecided, evidence.Undecided, "", "", "undecided"},
	} {
		if got := (check.Claim{Recorded: c.recorded, Entry: check.Entry{Severity: c.severity, Study: c.study}}).Standing(c.found); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	var refuting []check.Severity
	for _, s := range check.Severities() {
		if s.Refutes() {
			refuting = append(refuting, s)
		}
	}
	if want := []check.Severity{check.Unsafe, check.False, check.HypothesisMissing}; !slices.Equal(refuting, want) {
		t.Errorf("refuting standings %v, want %v", refuting, want)
	}
}
