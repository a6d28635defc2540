package claims

import (
	"context"
	"maps"
	"testing"

	"dpworkbench/evidence"
)

// mutant is a claim and what is deliberately wrong in its checker: in the
// statement where it holds, in the corrected one where it does not.
type mutant struct{ id, change string }

type checker = func(context.Context, *Run) (Outcome, error)

// Each checker runs with one deliberate error and must refute its statement, from
// each of five seeds. No claim is without a mutant.
func TestMutants(t *testing.T) {
	mutants := make(map[mutant]checker)
	for _, of := range []map[mutant]checker{analyticMutants(), mvgMutants(), xorMutants(), signrpMutants()} {
		maps.Copy(mutants, of)
	}
	seen := make(map[string]bool)
	for m, check := range mutants {
		seen[m.id] = true
		t.Run(m.id+"/"+m.change, func(t *testing.T) {
			if _, err := Find(m.id); err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(5) {
				out, err := check(context.Background(), &Run{Budget: DefaultBudget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if out.Verdict != evidence.Refuted {
					t.Errorf("seed %d: %s after %d instances, want refuted", seed, out.Verdict, out.Instances)
				}
			}
		})
	}
	for _, c := range All() {
		if !seen[c.ID] && c.Recorded != evidence.Undecided {
			t.Errorf("%s has no mutant", c.ID)
		}
	}
}
