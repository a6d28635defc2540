package repl_test

import (
	"context"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/evidence"
)

// A witness is replayed by its line of script alone: it computes both sides anew
// and prints last that the statement does not hold there.
func TestWitnessesReplay(t *testing.T) {
	for _, c := range claims.All() {
		if c.Recorded != evidence.Refuted {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			out, err := c.Check(context.Background(), claims.Run{Budget: claims.DefaultBudget})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(out.Witness.Script, "\n") {
				t.Errorf("the script has several lines: %q", out.Witness.Script)
			}
			printed, err := run(t, out.Witness.Script)
			if err != nil {
				t.Fatalf("%s\n%v", out.Witness.Script, err)
			}
			words := strings.Fields(printed)
			if len(words) < 2 || words[len(words)-1] != "False" {
				t.Errorf("%s\nprints %q, want the two sides and False", out.Witness.Script, printed)
			}
		})
	}
}
