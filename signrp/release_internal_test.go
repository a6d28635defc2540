package signrp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// If β/‖u‖ overflows or underflows, all or almost no signs are within reach. N₊ is then k, or Chernoff's bound for
// probability 0, which is ⌊ln 1/δ⌋. Samples, balls and public ε still succeed.
func TestSharedByAtExtremeRatios(t *testing.T) {
	ctx := t.Context()
	for _, kind := range []Kind{Rademacher, Gaussian} {
		w := must.Be(NewProjection(kind, 4, 9, ProjectionOptions{Seed: 1}))
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
			r := must.Be(NewSignRP(ctx, w, evidencetest.Epsilon(1), SignOptions{Noise: RandomizedResponse, Beta: c.beta, Delta: evidencetest.Delta(c.delta)}))
			if got := r.sharedBy(norm(c.u)); got != c.want {
				t.Errorf("%s W, u = %v, β = %g, δ = %g: N₊ = %d, want %d", kind, c.u, c.beta, c.delta, got, c.want)
			}
			if l := must.Be(r.lawAt(ctx, c.u)); l.eps.Value() != evidencetest.Epsilon(1).Ratio(1, int64(c.want)).Value() {
				t.Errorf("%s W, u = %v: ε' = %v", kind, c.u, l.eps)
			}
			for name, ask := range map[string]func(ctx context.Context) error{
				"sample": func(ctx context.Context) error { return Discard(r.Sample(ctx, c.u, rand.NewPCG(1, 2))) },
				"ball":   func(ctx context.Context) error { return Discard(r.Ball(c.u).Epsilon(ctx, evidence.Delta{})) },
				"public": func(ctx context.Context) error { return Discard(r.Public().Epsilon(ctx, evidence.Delta{})) },
			} {
				if err := ask(ctx); err != nil {
					t.Errorf("%s W, u = %v, β = %g: %s: %v", kind, c.u, c.beta, name, err)
				}
			}
		}
	}
}

// The noise uses the upper bound of σ, and so does every privacy statement. The lower bound has no effect.
func TestNoiseUsesUpperSigma(t *testing.T) {
	ctx := t.Context()
	u, v := []float64{0.5, -0.25, 1}, []float64{0.25, 0.5, 1}
	numberText := func(w *Projection, lo float64) string {
		r := must.Be(NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.5}))
		signs := must.Be(NewSignRP(ctx, w, evidencetest.Epsilon(1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 0.5}))
		r.sigma.Lo, r.sigma.Hi = lo, 0.7
		signs.sigma.Lo, signs.sigma.Hi = lo, 0.7
		m := must.Be(r.NormalizedMoments(ctx, u, v))
		l := must.Be(signs.lawAt(ctx, u))
		return fmt.Sprint(r.Grid(), must.Be(r.Variance(u, v)), m.Mean, m.Variance, m.Error, l.z, l.sigma, must.Be(signs.Public().Epsilon(ctx, evidence.Delta{})), must.Be(r.Public().Delta(ctx, evidencetest.Epsilon(1))))
	}
	for _, kind := range []Kind{Rademacher, Gaussian} {
		w := must.Be(NewProjection(kind, 3, 2, ProjectionOptions{Seed: 1}))
		if zero, all := numberText(w, 0), numberText(w, 0.7); zero != all {
			t.Errorf("%s W: %s with σ in [0, 0.7], %s with σ = 0.7", kind, zero, all)
		}
	}
}

// The individual noise uses the largest μ that certainly satisfies (ε, δ).
func TestIndividualNoiseIsPrivate(t *testing.T) {
	w := must.Be(NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1}))
	for _, e := range []float64{0.01, 0.3, 1, 2.5, 7} {
		for _, delta := range []float64{1e-9, 1e-5, 1e-3, 0.1, 0.7} {
			r := must.Be(NewIndividual(w, evidencetest.Epsilon(e), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(delta), Beta: 1}))
			if d := gaussian.DeltaAt(evidencetest.Epsilon(e), interval.Float(r.mu)); d.Lo > delta {
				t.Errorf("ε = %g, δ = %g: μ = %v has δ = %v", e, delta, r.mu, evidence.Number(d))
			}
		}
	}
}
