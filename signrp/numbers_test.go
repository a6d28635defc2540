package signrp

import (
	"context"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"testing"
)

// Numbers: the analytic Gaussian curve at the distance of the projections.
func TestNumbersPrivacy(t *testing.T) {
	for _, w := range allKinds(t, 20, 8, 2) {
		r, err := NewRP(context.Background(), w, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		public := publicOf(t, r)
		if !agrees(public, 1, 1e-9) {
			t.Errorf("%s: public ε %v, want 1: σ is calibrated to it", r.name, public)
		}
		u := make([]float64, 20)
		worst := worstOf(t, r, u)
		if !agrees(worst.Epsilon, 1, 1e-9) {
			t.Errorf("%s, %s: neighbors of 0: %v, want 1", r.name, w.kind, worst.Epsilon)
		}
		v := append([]float64(nil), u...)
		v[worst.Coordinate] = worst.To
		pair := smallestOf(t, r, u, v)
		if !agrees(pair, worst.Epsilon.Float(), 1e-9) {
			t.Errorf("%s: pair %v, worst %v", r.name, pair, worst.Epsilon)
		}
		same, err := r.Pair(u, u).Epsilon(context.Background(), evidence.Delta{})
		if err != nil || same.Float() != 0 {
			t.Errorf("a vector and itself: %v, %v", same, err)
		}
	}
}
