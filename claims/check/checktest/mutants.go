// Package checktest tests the claims of a folder. It compares their outcomes and families with recorded ones,
// interrupts their checks, and runs mutants: checkers with one deliberate error, which must refute.
package checktest

import (
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
)

// Mutant is a claim's id and a deliberate error in its checker: in the statement if it holds, otherwise in the
// corrected one.
type Mutant = [2]string

// Mutants runs each mutant: a checker with one deliberate error, which must refute its statement. It uses one seed, or
// five if the tests run all their cases. Every claim needs a mutant, unless its recorded verdict is undecided.
func Mutants(t *testing.T, all []check.Claim, mutants map[Mutant]check.Checker) {
	known, seen := make(map[string]bool), make(map[string]bool)
	for _, c := range all {
		known[c.ID] = true
	}
	for m, wrong := range mutants {
		seen[m[0]] = true
		t.Run(m[0]+"/"+m[1], func(t *testing.T) {
			if !known[m[0]] {
				t.Fatal("there is no such claim")
			}
			for seed := range cases.Of(uint64(1), 5) {
				out, err := wrong(t.Context(), check.Run{Budget: check.DefaultBudget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if out.Verdict != evidence.Refuted {
					t.Errorf("seed %d: %s after %d instances, want refuted", seed, out.Verdict, out.Instances)
				}
			}
		})
	}
	for _, c := range all {
		if !seen[c.ID] && c.Recorded != evidence.Undecided {
			t.Errorf("%s has no mutant", c.ID)
		}
	}
}
