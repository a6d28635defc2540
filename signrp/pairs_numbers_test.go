package signrp

import (
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

// Numbers are normal laws in every reading: what they tell of one use is the analytic Gaussian's.
func TestReadingsOfNumbers(t *testing.T) {
	ctx := t.Context()
	w, err := NewProjection(Rademacher, 6, 3, ProjectionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	u := []float64{0.5, 0, 0, 0.25, 0, -1}
	public, err := r.Pairs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	near, err := r.NeighborPairs(ctx, u)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		family *privacy.DominatingPairs
		curve  privacy.Profile
	}{"public": {public, r.Public()}, "neighbors": {near, r.Neighbors(u)}} {
		c.family.Profile = nil
		got, err := privacy.New(c.family).Epsilon(ctx, evidencetest.Delta(1e-4))
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.curve.Epsilon(ctx, evidencetest.Delta(1e-4))
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := got.Bounds()
		least, most := want.Bounds()
		if !(lo <= most && least <= hi && hi-lo < 1e-6) {
			t.Errorf("%s: ε(1e-4) = %v, want %v", name, got, want)
		}
	}
}
