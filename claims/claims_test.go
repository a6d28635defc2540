package claims_test

import (
	"context"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/evidence"
)

// Every claim comes out as recorded from each of five seeds, replays, and a
// refutation brings a witness that a script can show.
func TestVerdicts(t *testing.T) {
	for _, c := range claims.All() {
		t.Run(c.ID, func(t *testing.T) {
			for seed := range uint64(5) {
				out, err := c.Check(context.Background(), claims.Run{Budget: claims.DefaultBudget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if out.Verdict != c.Recorded {
					t.Errorf("seed %d: %s, recorded %s", seed, out.Verdict, c.Recorded)
				}
				if (out.Verdict == evidence.Refuted) != (out.Witness != nil && out.Witness.Script != "") {
					t.Errorf("seed %d: %s with witness %v", seed, out.Verdict, out.Witness)
				}
				if (c.Corrected != "") != (out.Corrected != nil) {
					t.Errorf("seed %d: corrected statement %q, its outcome %v", seed, c.Corrected, out.Corrected)
				}
				if out.Corrected != nil && out.Corrected.Verdict != evidence.Confirmed {
					t.Errorf("seed %d: corrected statement %s at %v", seed, out.Corrected.Verdict, out.Corrected.Witness)
				}
				t.Logf("seed %d: %s after %d instances (%s)", seed, out.Verdict, out.Instances, out.Scope)
				if seed == 0 && out.Witness != nil {
					t.Logf("%v", *out.Witness)
				}
			}
		})
	}
}

func TestIDs(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range claims.All() {
		if seen[c.ID] || c.Statement == "" || c.Place == "" || c.Paper == "" || c.Recorded == "" {
			t.Errorf("claim %+v is incomplete or repeated", c)
		}
		seen[c.ID] = true
	}
	if _, err := claims.Find("analytic.theorem2"); err == nil || !strings.Contains(err.Error(), "analytic.theorem2.layers") {
		t.Errorf("an id that two claims share gives %v, want their names", err)
	}
	if _, err := claims.Find("nonsense"); err == nil {
		t.Error("an unknown id gives no error")
	}
}
