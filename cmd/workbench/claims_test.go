package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// invented returns results of every kind: confirmed and refuted, beyond the paper, with a correction, and one that
// differs from the recorded verdict.
func invented() []claims.Result {
	seen := evidence.Exact{Value: big.NewRat(1, 2), Cases: 3, Provenance: evidence.From("count")}
	return []claims.Result{
		{
			Claim: check.Claim{ID: "xor.theorem1", Paper: "XOR", Place: "Theorem 1", Statement: "noise hides rows", Hypotheses: "rows are independent", Recorded: evidence.Refuted, Corrected: "more noise does", Entry: check.Entry{
				Quote: check.Quote{Words: "rows are hidden", At: "(4)"}, Severity: check.Unsafe, Readings: "most rows: N = 1 has one", Holds: "N = 2", Cause: "xor.theorem1", Erratum: check.Erratum{Replace: "a", By: "b"},
				Proof: check.Proof{Kind: check.Gap, At: "xor.md#a"}, Telling: &check.Witness{Fields: check.Named("N", "9"), Script: "print(9, False)"},
			}},
			Outcome: check.Outcome{Verdict: evidence.Refuted, Scope: "3 instances", Range: "N ≤ 2", Remark: "loose", Instances: 1, Witness: &check.Witness{Fields: check.Named("N", "1", "P", "2"), Script: "print(1, 2, False)"}, Evidence: []check.Item{{Label: "left", Number: seen}}, Corrected: &check.Outcome{Verdict: evidence.Confirmed, Scope: "proved"}},
		},
		{
			Claim:   check.Claim{ID: "xor.lemma2", Paper: "XOR", Place: "Lemma 2", Statement: "Sums add up.", Recorded: evidence.Confirmed},
			Outcome: check.Outcome{Verdict: evidence.Undecided, Scope: "none"},
		},
		{
			Claim:   check.Claim{ID: "xor.question", Paper: "XOR", Place: "Section 5", Statement: "ε is small", Beyond: true, Recorded: evidence.Confirmed},
			Outcome: check.Outcome{Verdict: evidence.Confirmed, Scope: "7 instances", Instances: 7},
		},
		{
			Claim:   check.Claim{ID: "mvg.theorem2", Paper: "MVG", Place: "Theorem 2", Statement: "it is private", Recorded: evidence.Confirmed, Entry: check.Entry{Proof: check.Proof{Kind: check.Ours, At: "mvg.md#a"}}},
			Outcome: check.Outcome{Verdict: evidence.Confirmed, Scope: "proved", Instances: 2},
		},
	}
}

// The text has a line for each claim under its paper. It marks claims beyond the paper and verdicts that differ from
// the recorded ones. It counts only the papers' own statements.
func TestTextOfClaims(t *testing.T) {
	names := map[string]string{}
	for _, p := range claims.Papers() {
		names[p.Key] = p.Name
	}
	want := names["mvg"] + `
  mvg.theorem2  confirmed                   Theorem 2
` + names["xor"] + `
  xor.theorem1  false as stated and unsafe  Theorem 1
  xor.lemma2    undecided                   Lemma 2  << recorded: confirmed
  xor.question  confirmed                   Section 5 (beyond the paper)
3 statements of the papers: 1 confirmed; 1 refuted (1 false as stated and unsafe, 0 false as stated, 0 true only with a hypothesis that is missing); not refuted: 0 with a misprint, 0 with a proof gap, 0 with slack; 0 recorded from stored studies, 1 undecided; 1 beyond the papers; 1 not as recorded
`
	if got, err := claimsText(invented(), false); got != want || err != nil {
		t.Errorf("the text is\n%s (%v)\nwant\n%s", got, err, want)
	}
	one := invented()[:1]
	want = names["xor"] + "\n" + one[0].Claim.String() + `
  the paper's words: rows are hidden ((4))
  severity: false as stated and unsafe
  readings tried: most rows: N = 1 has one
  range tried: N ≤ 2
  still holds: N = 2
  cause: ` + newLedger(one).Results[0].Cause() + `
  method: counterexample
  proof: the paper's proof, gap named xor.md#a
  on it rest: ` + strings.Join(claims.Downstream(claims.All(), "xor.theorem1"), ", ") + `
  erratum: Replace: a — by: b
  a telling replay: print(9, False)
  found: ` + strings.ReplaceAll(one[0].Outcome.String(), "\n", "\n  ") + "\n1 statement of the papers: 0 confirmed; 1 refuted (1 false as stated and unsafe, 0 false as stated, 0 true only with a hypothesis that is missing); not refuted: 0 with a misprint, 0 with a proof gap, 0 with slack; 0 recorded from stored studies, 0 undecided; 0 beyond the papers; all as recorded\n"
	if got, err := claimsText(one, true); got != want || err != nil {
		t.Errorf("in full the text is\n%s (%v)\nwant\n%s", got, err, want)
	}
	if err := disagreement(invented()); err == nil || err.Error() != "these verdicts differ from the recorded ones: xor.lemma2" {
		t.Errorf("the verdicts differ in %v", err)
	}
	if err := disagreement(one); err != nil {
		t.Errorf("the verdicts differ in %v", err)
	}
}

// A budget is a number of instances or a time.
func TestBudgets(t *testing.T) {
	for text, want := range map[string]struct {
		n     int
		limit time.Duration
	}{"0": {}, "200": {n: 200}, "1000000000": {n: 1e9}, "60s": {25, time.Minute}, "1ns": {25, 1}} {
		if n, limit, err := parseBudget(text); n != want.n || limit != want.limit || err != nil {
			t.Errorf("%s is %d instances, %v (%v)", text, n, limit, err)
		}
	}
	for _, text := range []string{"-1", "1000000001", "0s", "-1s", "soon", "", "1.5", "1e3"} {
		if _, _, err := parseBudget(text); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("--budget = %q, want ", text)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A number of instances gives one round. A time gives rounds of 25, 50, 100, … instances. The time never cuts the first
// round short, and the last complete round counts.
func TestRoundsOfClaims(t *testing.T) {
	var ctx context.Context
	var asked []int
	before := func(int) error { return nil }
	chosen := make([]check.Claim, 3)
	for i := range chosen {
		chosen[i] = check.Claim{ID: fmt.Sprintf("a.lemma%d", i), Checker: func(inner context.Context, run check.Run) (check.Outcome, error) {
			if i == 0 {
				asked = append(asked, run.Budget)
			}
			if err := before(3*len(asked) + i - 3); err != nil {
				return check.Outcome{}, err
			}
			if inner.Err() != nil {
				return check.Outcome{}, inner.Err()
			}
			return check.Outcome{Verdict: evidence.Confirmed, Instances: run.Budget}, nil
		}}
	}
	round := func(limit time.Duration, run check.Run) (string, error) {
		asked = nil
		results, err := checkClaims(ctx, chosen, run, limit)
		var b strings.Builder
		for i, r := range results {
			if r.Claim.ID != chosen[i].ID || r.Run.Budget != r.Outcome.Instances || r.Run.Seed != run.Seed {
				t.Errorf("result %d is %+v", i, r)
			}
			fmt.Fprintf(&b, " %d", r.Outcome.Instances)
		}
		return fmt.Sprint(asked) + b.String(), err
	}
	ctx = t.Context()
	if got, err := round(0, check.Run{Budget: 7, Seed: 3}); got != "[7] 7 7 7" || err != nil {
		t.Errorf("budget of a number: %s (%v)", got, err)
	}
	if got, err := round(1, check.Run{Budget: 25}); got != "[25] 25 25 25" || err != nil {
		t.Errorf("no time for a second round: %s (%v)", got, err)
	}
	if got, err := round(time.Hour, check.Run{Budget: 26e6}); got != "[26000000 52000000 104000000] 104000000 104000000 104000000" || err != nil {
		t.Errorf("time for all rounds: %s (%v)", got, err)
	}
	if got, err := round(time.Hour, check.Run{Budget: 1e8}); got != "[100000000 200000000] 200000000 200000000 200000000" || err != nil {
		t.Errorf("the last round: %s (%v)", got, err)
	}
	odd := errors.New("odd")
	before = func(n int) error {
		if n == 1 {
			return odd
		}
		return nil
	}
	if got, err := round(0, check.Run{Budget: 7}); got != "[7] 7" || !errors.Is(err, odd) {
		t.Errorf("a failure: %s (%v)", got, err)
	}
	for n, want := range map[int]string{0: "[25]", 1: "[25] 25", 3: "[25 50] 25 25 25", 4: "[25 50] 50 25 25", 5: "[25 50] 50 50 25"} {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(t.Context())
		before = func(m int) error {
			if m == n {
				cancel()
			}
			return nil
		}
		got, err := round(time.Hour, check.Run{Budget: 25})
		if got != want || err == nil || err.Error() != fmt.Sprintf("interrupted after %d of 3 claims", min(n, 3)) {
			t.Errorf("an interrupt in check %d: %s (%v), want %s", n, got, err, want)
		}
	}
	ctx = t.Context()
	before = func(n int) error { // fails if a round runs out of time
		if n == 4 {
			return context.DeadlineExceeded
		}
		return nil
	}
	if got, err := round(time.Hour, check.Run{Budget: 25}); got != "[25 50] 25 25 25" || err != nil {
		t.Errorf("the time is up in the second round: %s (%v)", got, err)
	}
}
