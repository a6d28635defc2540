package mechanism_test

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
)

// A rebuilt mechanism has the same name and states the same bounds as the original.
func TestBuilders(t *testing.T) {
	q := pathQuery(t, 4)
	for _, name := range []string{"ladder", "exponential", "laplace", "geometric"} {
		e := ln(t, 3, 1)
		m := build(t, name, q, e)
		d, ok := m.(interface{ Definition() mechanism.Definition })
		if !ok || d.Definition() != (mechanism.Definition{Name: name, Eps: e}) {
			t.Errorf("%s is defined by %+v", name, d.Definition())
			continue
		}
		builder := m.(interface{ Builder() mechanism.Builder }).Builder()
		again, err := builder(t.Context())
		if err != nil || again == m {
			t.Fatalf("%s again: %v", name, err)
		}
		for x := range 4 {
			for r := range q.Range() {
				a, b := m.Enclose(x, r), again.Enclose(x, r)
				if again.Name() != m.Name() || again.Query() != q || a.Less(b) || b.Less(a) || m.LogProb(x, r) != again.LogProb(x, r) {
					t.Errorf("%s was rebuilt as %s with %v, want %v", m.Name(), again.Name(), b, a)
				}
			}
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := builder(ctx); return err })
		// The statement that a number carries can be rebuilt too. Its builder returns the context's error.
		n := must.For(mechanism.Privacy(m).Epsilon(t.Context(), evidence.Delta{}))(t)
		if s, ok := n.Citation().Statement.(*mechanism.RebuiltStatement); ok {
			of := must.For(s.Statement(t.Context()))(t)
			if of.Says() != s.Says() {
				t.Errorf("%s states %q, and rebuilt %q", name, s.Says(), of.Says())
			}
			ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := s.Statement(ctx); return err })
		}
	}
	for _, name := range []string{"", "other"} {
		m := mechanism.NewLayered("plain", must.For(mechanism.NewLayerTable(t.Context(), q, make([]int32, 16)))(t), ln(t, 2, 1), evidence.Claimed{})
		if r := m.Builder(); r != nil || m.Definition() != (mechanism.Definition{}) {
			t.Errorf("%q: a mechanism without a definition has a builder", name)
		}
	}
}
