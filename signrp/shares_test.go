package signrp

import (
	"context"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"math"
	"math/rand/v2"
	"testing"
)

// Where β/‖u‖ is no float64 every sign is within reach, or next to none: N₊ is k, or what Chernoff's bound leaves of
// no chance, ⌊ln 1/δ⌋; and the release answers as for vectors next to these.
func TestSharesBeyondTheRange(t *testing.T) {
	ctx := t.Context()
	for _, kind := range []Kind{Rademacher, Gaussian} {
		w := must(NewProjection(kind, 4, 9, ProjectionOptions{Seed: 1}))
		for _, c := range []struct {
			beta  float64
			u     []float64
			delta float64
			want  int
		}{
			{1, []float64{0, 0, 0, 0}, 0.1, 9}, {1, []float64{1e-310, 0, 0, 0}, 0.1, 9}, {1, []float64{0x1p-1030, 0, 0, 0}, 0.999, 9}, {0x1p1020, []float64{0, 1e-9, 0, 0}, 0.1, 9},
			{1e300, []float64{0, 1e-9, 0, 0}, 0.1, 9}, {5e-324, []float64{1, 1, 1, 1}, 1e-3, 6}, {5e-324, []float64{1, 1, 1, 1}, 0.5, 1}, {5e-324, []float64{1, 1, 1, 1}, math.Exp(-2) * (1 - 1e-15), 2},
			{1e-300, []float64{1, 1, 1, 1}, 1e-3, 6}, {1e-300, []float64{1, 1, 1, 1}, 1e-9, 9},
		} {
			r := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: c.beta, Delta: evidencetest.Delta(c.delta)}))
			if got := r.sharedBy(norm(c.u)); got != c.want {
				t.Errorf("%s W, u = %v, β = %g, δ = %g: N₊ = %d, want %d", kind, c.u, c.beta, c.delta, got, c.want)
			}
			if l := must(r.lawAt(ctx, c.u)); l.eps.Value() != eps(t, 1).Ratio(1, int64(c.want)).Value() {
				t.Errorf("%s W, u = %v: ε' = %v", kind, c.u, l.eps)
			}
			for name, ask := range map[string]func(ctx context.Context) error{
				"sample": func(ctx context.Context) error { return discard(r.Sample(ctx, c.u, rand.NewPCG(1, 2))) },
				"ball":   func(ctx context.Context) error { return discard(r.Ball(c.u).Epsilon(ctx, evidence.Delta{})) },
				"public": func(ctx context.Context) error { return discard(r.Public().Epsilon(ctx, evidence.Delta{})) },
			} {
				if err := ask(ctx); err != nil {
					t.Errorf("%s W, u = %v, β = %g: %s: %v", kind, c.u, c.beta, name, err)
				}
			}
		}
	}
}

// Where N₊ depends on the norm, the enclosure over neighbors reaches the loss to the longest of those that go all the way.
func TestSharedLossesOfTheLongest(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(46, 2))
	other := 0
	for trial := range 16 {
		w := must(NewProjection([]Kind{Rademacher, Gaussian}[trial%2], 4, 6, ProjectionOptions{Seed: uint64(trial)}))
		r := must(NewSignRP(ctx, w, eps(t, 2), SignOptions{Noise: RandomizedResponse, Delta: evidencetest.Delta(0.9), Beta: 0.3}))
		tenths := rng.Perm(10)[:4] // no two ends are as long
		u := make([]float64, 4)
		for i, n := range tenths {
			u[i] = float64(n) / 10 * float64(1-2*rng.IntN(2))
		}
		var longest []float64
		for i, n := range tenths {
			v := append([]float64(nil), u...)
			if v[i] = float64(min(10, n+3)) / 10; u[i] < 0 {
				v[i] = -v[i]
			}
			if longest == nil || norm(v) > norm(longest) {
				longest = v
			}
		}
		if loss, near := smallestOf(t, r, u, longest), worstOf(t, r, u).Epsilon; lower(near) < lower(loss)*(1-1e-12) {
			t.Errorf("%s W, u = %v: ε is at least %v, and %v to %v", w.kind, u, lower(near), loss, longest)
		}
		if r.sharedBy(norm(longest)) != r.sharedBy(norm(u)) {
			other++
		}
	}
	if other < 5 {
		t.Errorf("N₊ is another for %d of 16", other)
	}
}
