package zoo_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/audit/zoo"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

// The audit refutes every wrong mechanism and no right one, from a million draws in total, at two seeds. For the
// mechanisms with the most draws, the second seed needs WORKBENCH_FULL=1. Even if all right mechanisms had exactly
// their ε, some audit would err with probability at most 20/1000.
func TestAuditRefutesOnlyWrongMechanisms(t *testing.T) {
	draws, right := 0, 0
	for _, m := range zoo.All() {
		draws += 2 * m.Draws
		if m.Right {
			right++
		}
		for _, seed := range cases.Of([]uint64{1}, []uint64{1, 2, 3, 4}) {
			r, err := m.Audit(t.Context(), m.Draws, rand.NewPCG(seed, 57))
			if err != nil {
				t.Fatal(err)
			}
			if refuted := r.Verdict == evidence.Refuted; refuted == m.Right || r.Verdict == evidence.Confirmed {
				t.Errorf("%s, right: %t, seed %d: %v", m.Name, m.Right, seed, r)
			}
			t.Logf("%s, %d draws: ε ≥ %.3f, δ ≥ %.4f, claimed %v", m.Name, 2*m.Draws, r.Epsilon.Float(), r.Delta.Float(), m.Claim.Epsilon)
		}
	}
	if draws > 1_000_000 || len(zoo.All()) != 20 || right != 10 {
		t.Errorf("%d mechanisms, %d of them right, with %d draws in total", len(zoo.All()), right, draws)
	}
}

// The same seed gives the same draws. Invalid numbers of draws are rejected, and drawing stops with its context.
func TestSamples(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, m := range zoo.All() {
		a, _ := m.Samples(t.Context(), 3, rand.NewPCG(1, 1))
		b, _ := m.Samples(t.Context(), 3, rand.NewPCG(1, 1))
		for i := range a {
			for k := range 3 {
				if len(a[i]) != 3 || a[i][k] != b[i][k] {
					t.Errorf("%s: %v, then %v", m.Name, a, b)
				}
			}
		}
		if m.What == "" || m.Source == "" || m.Pair[0] == m.Pair[1] {
			t.Errorf("%s has too short a description", m.Name)
		}
	}
	for _, n := range []int{-1, 0, zoo.MostDraws + 1} {
		if _, err := zoo.All()[1].Audit(t.Context(), n, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	if _, err := zoo.All()[1].Samples(stopped, 3, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Refutations come from the difference between inputs and from the features. Two samples at the same input are never
// refuted, and low bits are not found in binned numbers.
func TestNoRefutationWithoutDifference(t *testing.T) {
	draws := func(m *zoo.Mechanism, seed uint64) [2][]string {
		return must.For(m.Samples(t.Context(), m.Draws, rand.NewPCG(seed, 57)))(t)
	}
	verdict := func(m *zoo.Mechanism, drawn [2][]string, how audit.Sampling) evidence.Verdict {
		var s audit.Samples
		for i, outputs := range drawn {
			for _, output := range outputs {
				if err := s.Add(m.Pair[i], output, 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		return must.For(s.Audit(t.Context(), []audit.Pair{m.Pair}, m.Claim, how, rand.NewPCG(1, 57)))(t).Verdict
	}
	for _, m := range zoo.All() {
		if m.Right || m.Draws > 10_000 && !cases.All() {
			continue
		}
		if a, b := draws(m, 5), draws(m, 6); verdict(m, [2][]string{a[1], b[1]}, audit.Sampling{}) == evidence.Refuted {
			t.Errorf("%s is refuted at one input twice", m.Name)
		}
	}
	m := zoo.All()[0]
	if verdict(m, draws(m, 1), audit.Sampling{Bins: 20}) == evidence.Refuted {
		t.Errorf("%s is refuted in bins", m.Name)
	}
}
