package signrp

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// The readings with more than one pair of vectors have the pairs of their theorems: one that dominates for randomized
// response, whose k uses are those of flips; normal laws for numbers; bounds, which say so, for others.
func TestPairsOfReadings(t *testing.T) {
	ctx := t.Context()
	w, err := NewProjection(Rademacher, 6, 3, ProjectionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ln8, err := evidence.LogEpsilon("eps", big.NewRat(8, 1))
	if err != nil {
		t.Fatal(err)
	}
	rr, err := NewSignRP(ctx, w, ln8, SignOptions{Noise: RandomizedResponse, Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	f, err := rr.Pairs(ctx)
	if err != nil || f.Bound {
		t.Fatalf("%+v, %v", f, err)
	}
	f.Profile = nil
	// Three signs that cost ln 2 each: at e^ε = 2 the sum over j of C(3, j)(2^{3−j} − 2·2^j)⁺/27.
	ln2, err := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	if err != nil {
		t.Fatal(err)
	}
	d, err := privacy.New(f).Delta(ctx, ln2)
	if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(8-2, 27)) != 0 {
		t.Errorf("δ(ln 2) = %v, %v, want 6/27", d, err)
	}
	bound, err := rr.NeighborPairs(ctx, make([]float64, 6))
	if err != nil || !bound.Bound {
		t.Fatalf("neighbors of a vector: %+v, %v", bound, err)
	}
	two, err := privacy.Compose(ctx, []*privacy.Account{privacy.New(bound)}, []int{2})
	if err != nil {
		t.Fatal(err)
	}
	one, err := rr.Neighbors(make([]float64, 6)).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := two.Epsilon(ctx, evidence.Delta{})
	_, most := both.Bounds()
	if _, hi := one.Bounds(); err != nil || math.Abs(most-2*hi) > 1e-12 {
		t.Errorf("two uses: %v, %v, want at most %g", both, err, 2*hi)
	}
}

// Pairs are shared where both vectors are the same, in the same places, and by nothing else.
func TestScopesOfPairs(t *testing.T) {
	a, b, c := []float64{1, 0}, []float64{0.5, 0}, []float64{1, 0, 0}
	one := vectors{a, b}
	for _, s := range []vectors{{b, a}, {a, a}, {b, b}, {c, b}, {a, c}, {a, nil}, {nil, b}} {
		if one.Same(s) || s.Same(one) {
			t.Errorf("%v is said to be %v", s, one)
		}
	}
	if !one.Same(vectors{[]float64{1, 0}, []float64{0.5, 0}}) || one.Same(privacy.Unique(t)) || one.Same(nil) || (vectors{}).Same(privacy.Unique(t)) {
		t.Error("a scope is another than its copy, or that of something else")
	}
}
