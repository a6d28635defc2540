package certificate_test

import (
	"context"
	"reflect"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
)

// A refutation states each fact once, and proves it as the certificate of that fact does.
func TestRefutationProvesFacts(t *testing.T) {
	s, ctx := newSmallCase(t), context.Background()
	var facts []certificate.Fact
	var want list
	for call, m := range map[string]mechanism.Mechanism{"f(1)": s.purest(s.ln(2, 1)), "f(2)": s.rational(), "f(3)": s.exponential(s.ln(3, 1))} {
		n := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		facts = append(facts, certificate.Fact{call, n})
		want = append(want, documentOf(certificate.Of(ctx, n))(t).proof)
	}
	facts = append(facts, facts[0], certificate.Fact{"f(eps=1)", facts[0].Number}) // the same call with its argument named
	facts[len(facts)-1].Call = facts[1].Call[:2] + "x=" + facts[1].Call[2:]
	f := documentOf(certificate.Refutation(ctx, "some.claim", "it says", "1 < 0", facts))(t)
	stated, proofs := f.statement["facts"].(list), f.proof["facts"].(list)
	if len(stated) != 3 || !reflect.DeepEqual(proofs, want) {
		t.Errorf("%d facts with the proofs %v, want 3 with %v", len(stated), proofs, want)
	}
}
