package claims_test

import (
	"cmp"
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Every claim comes out as recorded from each of two seeds, or of as many as
// WORKBENCH_SEEDS says, replays, and a refutation brings a witness that a script
// can show.
func TestVerdicts(t *testing.T) {
	seeds := uint64(2)
	if text, ok := os.LookupEnv("WORKBENCH_SEEDS"); ok {
		var err error
		if seeds, err = strconv.ParseUint(text, 10, 16); err != nil {
			t.Fatal(err)
		}
	}
	families := readFamilies(t)
	defer families.write(t)
	for _, c := range claims.All() {
		t.Run(c.ID, func(t *testing.T) {
			for seed := range seeds {
				ctx := context.Background()
				if seed == 0 {
					ctx = families.surveying(t, c)
				}
				out, err := c.Check(ctx, check.Run{Budget: check.DefaultBudget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if out.Verdict != c.Recorded {
					t.Errorf("seed %d: %s, recorded %s", seed, out.Verdict, c.Recorded)
				}
				if out.Remark != c.Remark {
					t.Errorf("seed %d: remark %q, recorded %q", seed, out.Remark, c.Remark)
				}
				if (out.Verdict == evidence.Refuted) != (out.Witness != nil && out.Witness.Script != "") {
					t.Errorf("seed %d: %s with witness %v", seed, out.Verdict, out.Witness)
				}
				if (c.Corrected != "") != (out.Corrected != nil) {
					t.Errorf("seed %d: corrected statement %q, its outcome %v", seed, c.Corrected, out.Corrected)
				}
				for o := &out; o != nil; o = o.Corrected {
					for _, i := range o.Evidence {
						if what := cmp.Or(evidencetest.Fault(i.Number), evidencetest.Sourceless(i.Number)); what != "" {
							t.Errorf("seed %d: %s is %v: %s", seed, i.Label, i.Number, what)
						}
					}
				}
				if out.Corrected != nil && out.Corrected.Verdict != evidence.Confirmed {
					t.Errorf("seed %d: corrected statement %s at %v", seed, out.Corrected.Verdict, out.Corrected.Witness)
				}
				if seed == 0 && *families.surveyed == 0 {
					open(t, c.ID, out)
				}
				if out.Instances == 0 {
					t.Errorf("seed %d: no instance could fail", seed)
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

// The search for a counterexample of Proposition 3 is given no witness. From each
// of five seeds it finds one, and says how many instances that took.
func TestProposition3Search(t *testing.T) {
	c, err := claims.Find("analytic.proposition3")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		out, err := c.Check(context.Background(), check.Run{Budget: 2000, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s after %d instances: %v", seed, out.Verdict, out.Instances, out.Witness.Fields)
		if out.Verdict != evidence.Refuted || out.Instances == 0 || len(out.Evidence) < 2 {
			t.Errorf("seed %d: %+v", seed, out)
			continue
		}
		loss, bound := out.Evidence[0].Number.(evidence.ExactLog), out.Evidence[1].Number.(evidence.ExactLog)
		if loss.Argument.Cmp(bound.Argument) <= 0 {
			t.Errorf("seed %d: e^ε = %v is within e^{2ε} = %v", seed, loss.Argument, bound.Argument)
		}
	}
}

// The numbers on record for two counterexamples, at decay 1.
func TestRecordedWitnesses(t *testing.T) {
	golden := func(name string, m *layers.Mechanism, want float64) {
		t.Helper()
		e, err := mechanism.Privacy(m).Epsilon(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Float(); math.Abs(got-want) > 5e-5 {
			t.Errorf("%s: smallest ε %v, want %v", name, got, want)
		}
	}
	one, err := evidence.NewEpsilon("decay", 1)
	if err != nil {
		t.Fatal(err)
	}
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("counting", space, []float64{0, 1, 2, 3, 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := layers.NewPurest(context.Background(), q, one)
	if err != nil {
		t.Fatal(err)
	}
	golden("Corollary 5 on {0, …, 4}", m, 1.2009)
	if space, err = query.NewPathSpace(2, [][2]int{{0, 1}}); err != nil {
		t.Fatal(err)
	}
	if q, err = query.NewNumeric("f", space, []float64{0, 0}, []float64{0, 1}); err != nil {
		t.Fatal(err)
	}
	sets := layers.Sets{At: []map[int][]int{{0: {0}, 5: {1}}, {0: {0}, 1: {1}}}}
	if m, err = layers.NewGeneral(context.Background(), q, one, sets, layers.Published); err != nil {
		t.Fatal(err)
	}
	golden("Proposition 3 by (34)", m, 3.6935)
}
