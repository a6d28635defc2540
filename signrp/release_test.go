package signrp

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

func TestReleaseBadInput(t *testing.T) {
	w, _ := NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 0})
	e := eps(t, 1)
	rejects := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
	for _, beta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := NewRP(context.Background(), w, e, evidencetest.Delta(1e-6), RPOptions{Beta: beta})
		rejects("beta", err)
		_, err = NewRaw(3, e, evidencetest.Delta(1e-6), RPOptions{Beta: beta})
		rejects("beta", err)
		_, err = NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Beta: beta})
		rejects("beta", err)
		_, err = NewIndividual(w, e, SignOptions{Noise: RandomizedResponse, Beta: beta})
		rejects("beta", err)
	}
	_, err := NewRP(context.Background(), w, e, evidence.Delta{}, RPOptions{Beta: 1})
	rejects("delta", err)
	_, err = NewSignRP(context.Background(), w, e, SignOptions{Noise: GaussianNoise, Delta: evidence.Delta{}, Beta: 1})
	rejects("delta", err)
	_, err = NewIndividual(w, e, SignOptions{Noise: GaussianNoise, Delta: evidence.Delta{}, Beta: 1})
	rejects("delta", err)
	_, err = NewSignRP(context.Background(), w, e, SignOptions{Noise: "laplace", Beta: 1})
	rejects("noise", err)
	_, err = NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Delta: evidencetest.Delta(1e-6), Smoothing: true, Beta: 1})
	rejects("smoothing with delta", err)
	_, err = NewRaw(0, e, evidencetest.Delta(1e-6), RPOptions{Beta: 1})
	rejects("p", err)
	r, err := NewSignRP(context.Background(), w, e, SignOptions{Noise: RandomizedResponse, Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range [][]float64{{1, 2, 0}, {0, 0}, {0, 0, math.NaN()}} {
		_, err = r.Sample(context.Background(), u, rand.NewPCG(0, 0))
		rejects("draw", err)
		_, err = r.Pair(u, []float64{0, 0, 0}).Epsilon(context.Background(), evidence.Delta{})
		rejects("pair", err)
		_, err = r.Neighbors(u).Worst(context.Background())
		rejects("neighbors", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Neighbors([]float64{0, 0, 0}).Worst(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}

// DP-RP-G: the deviation of Theorem 3.1, for one release in numbers of hand.
func TestClassicNoise(t *testing.T) {
	ctx := context.Background()
	w, err := NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ eps, delta, beta float64 }{{1, 1e-6, 1}, {0.1, 0.25, 0.5}, {20, 1e-9, 2}} {
		r, err := NewClassicRP(ctx, w, eps(t, c.eps), evidencetest.Delta(c.delta), RPOptions{Beta: c.beta})
		if err != nil {
			t.Fatal(err)
		}
		want := c.beta * math.Sqrt(2*(math.Log(1/(2*c.delta))+c.eps)) / c.eps
		sigma, err := r.Sigma()
		if err != nil || math.Abs(sigma.Lo/want-1) > 1e-15 || math.Abs(sigma.Hi/want-1) > 1e-15 || sigma.Lo > sigma.Hi {
			t.Errorf("%+v: σ %v (%v), want %v", c, sigma, err, want)
		}
		if r.Name() != "DP-RP-G-B" || !strings.Contains(r.ClaimedEpsilon().Source, "3.1") {
			t.Errorf("%s, %v", r.Name(), r.ClaimedEpsilon())
		}
		public, err := r.Public().Epsilon(ctx, evidencetest.Delta(c.delta))
		if err != nil {
			t.Fatal(err)
		}
		if _, hi := public.Bounds(); hi > c.eps {
			t.Errorf("%+v: ε %v at δ, claimed %v", c, public, c.eps)
		}
		best, err := NewRP(ctx, w, eps(t, c.eps), evidencetest.Delta(c.delta), RPOptions{Beta: c.beta})
		if err != nil || best.sigma.Hi > sigma.Lo {
			t.Errorf("%+v: the least σ %v (%v) is above %v", c, best.sigma, err, sigma)
		}
	}
	for _, delta := range []float64{0.5, 0.9, 0} {
		if _, err := NewClassicRP(ctx, w, eps(t, 1), evidencetest.Delta(delta), RPOptions{Beta: 1}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("δ = %g gives %v", delta, err)
		}
	}
}
