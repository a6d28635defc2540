package claims_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func TestIDs(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range claims.All() {
		if seen[c.ID] || c.Statement == "" || c.Place == "" || c.Paper == "" || c.Recorded == "" {
			t.Errorf("claim %+v is incomplete or repeated", c)
		}
		seen[c.ID] = true
	}
	if _, err := claims.Find("analytic.theorem2"); err == nil || !strings.Contains(err.Error(), "analytic.theorem2.layers") {
		t.Errorf("an ambiguous id gives %v, want both ids", err)
	}
	if _, err := claims.Find("nonsense"); err == nil {
		t.Error("an unknown id gives no error")
	}
}

// The search for a counterexample to Proposition 3 gets no hint. It finds one from each of five seeds, and reports the
// number of instances it visited.
func TestProposition3Search(t *testing.T) {
	c, err := claims.Find("analytic.proposition3")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range cases.Of(uint64(1), 5) {
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

// The recorded numbers of two counterexamples, at decay 1.
func TestRecordedWitnesses(t *testing.T) {
	golden := func(name string, m *layers.Mechanism, want float64) {
		t.Helper()
		e, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
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
