package signrp

import (
	"context"
	"dpworkbench/evidence/evidencetest"
	"testing"
)

// DP-SignRP-G at k = 512: individual δ below the claim, and ε at δ below ε.
func TestManyGaussianSigns(t *testing.T) {
	w, err := NewProjection(Rademacher, 100, 512, ProjectionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: GaussianNoise, Beta: 1, Delta: evidencetest.Delta(1e-6)})
	if err != nil {
		t.Fatal(err)
	}
	u, v := r.centredPair()
	d := deltaOf(t, r.Pair(u, v), eps(t, 1))
	if d.Float() > 1e-6 {
		t.Errorf("δ(1) = %v of a post-processing, claimed 1e-6", d)
	}
	e, err := r.Pair(u, v).Epsilon(context.Background(), evidencetest.Delta(1e-6))
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := e.Bounds()
	public := publicOf(t, r)
	if !(hi <= 1 && hi-lo < 0.05 && lo > 0.5) || upper(public) > 1+1e-9 {
		t.Errorf("ε(1e-6) = %v, public %v, want within 1", e, public)
	}
	t.Logf("pair %v, δ(1) %v, public %v", e, d, public)
}
