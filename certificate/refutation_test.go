package certificate

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// A refutation states each fact once, and proves each that it states, with the proof that the fact has by itself.
func TestFactsHaveTheirProofs(t *testing.T) {
	s, ctx := few(t), context.Background()
	var facts []Fact
	var want list
	for call, m := range map[string]mechanism.Mechanism{"f(1)": s.purest(s.ln(2, 1)), "f(2)": s.rational(), "f(3)": s.exponential(s.ln(3, 1))} {
		n := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		facts = append(facts, Fact{call, n})
		want = append(want, must.For(Of(ctx, n))(t).proof)
	}
	facts = append(facts, facts[0], Fact{"f(eps=1)", facts[0].Number}) // the same call, spelled with a name
	facts[len(facts)-1].Call = facts[1].Call[:2] + "x=" + facts[1].Call[2:]
	f := must.For(Refutation(ctx, "some.claim", "it says", "1 < 0", facts))(t)
	stated, proofs := f.statement["facts"].(list), f.proof["facts"].(list)
	if got := string(canonical(nil, proofs)); len(stated) != 3 || got != string(canonical(nil, want)) {
		t.Errorf("%d facts with the proofs %s, want 3 with %s", len(stated), got, canonical(nil, want))
	}
}

// A place stands for another where it is at most as far from every answer: the first such one that is kept, and itself where it is kept.
func TestStandsForFarPlaces(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	for _, c := range []struct {
		answers, places []float64
		kept, want      []int
	}{
		{[]float64{2, 3}, []float64{0, 1, 2, 3, 4, 5}, []int{2, 3}, []int{2, 2, 2, 3, 2, 2}},
		{[]float64{2, 3}, []float64{0, 1, 2, 3, 4, 5}, []int{2}, []int{2, 2, 2, -1, 2, 2}},
		{[]float64{2, 2}, []float64{0, 1, 2, 3, 4, 5}, []int{1}, []int{1, 1, -1, 1, 1, 1}}, // 3 is as far as 1
		{[]float64{2, 2}, []float64{0, 1, 2, 3, 4, 5}, []int{3, 1}, []int{3, 1, -1, 3, 3, 3}},
	} {
		q := must.For(query.NewNumeric("f", space, c.answers, c.places))(t)
		m := &coqMechanism{m: must.For(mechanism.NewExponential(ctx, q, few(t).ln(2, 1)))(t), q: q}
		if got := m.stands(c.kept); string(canonical(nil, numbersOf(got))) != string(canonical(nil, numbersOf(c.want))) {
			t.Errorf("answers %v, of the places %v are kept %v: %v stand, want %v", c.answers, c.places, c.kept, got, c.want)
		}
	}
}

func numbersOf(xs []int) list {
	out := list{}
	for _, x := range xs {
		out = append(out, x)
	}
	return out
}

// Sums of losses have as many rungs as the common lattice has between their ends: a layered mechanism's losses differ by two ε, an
// exponential one's by four parts of ε over twice the sensitivity, 2.
func TestRungsOfMixedUses(t *testing.T) {
	s := few(t)
	two := s.ln(2, 1)
	for _, times := range [][]int{{1, 1}, {2, 3}, {5, 1}} {
		got, ok := rungsOf([]mechanism.Mechanism{s.purest(two), s.exponential(two)}, times)
		if want := float64(8*times[0] + 4*times[1] + 1); !ok || got != want {
			t.Errorf("%v uses: %v rungs (%t), want %v", times, got, ok, want)
		}
	}
}
