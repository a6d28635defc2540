package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
)

// Where corners are too many to visit, the public ε of signs of numbers is still between
// the loss where one sign is farthest and a bound on that of all; for one sign the bound is
// extremes.
func TestWorstOfManyCorners(t *testing.T) {
	const p, beta = 13, 0.5 // one more than are visited
	for _, k := range []int{1, 2, 3} {
		w, err := NewProjection(Gaussian, p, k, ProjectionOptions{Seed: 8})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(0.1), Beta: beta})
		if err != nil {
			t.Fatal(err)
		}
		public, err := r.Public().Epsilon(context.Background(), evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		lnPhi := func(z float64) float64 { return math.Log(math.Erfc(-z/math.Sqrt2) / 2) }
		unit := w.scale() * r.sigma.Hi
		d := make([]float64, k)
		loss := func(at func(i int) float64, moved int) float64 {
			clear(d)
			for i := range p {
				for j := range d {
					d[j] += m[i][j] * at(i)
				}
			}
			forward, backward := 0.0, 0.0
			for j := range d {
				x, y := d[j]/unit, (d[j]-beta*m[moved][j]*at(moved))/unit
				plus, minus := lnPhi(x)-lnPhi(y), lnPhi(-x)-lnPhi(-y)
				forward, backward = forward+max(plus, minus), backward-min(plus, minus)
			}
			return max(forward, backward)
		}
		worst, reached := 0.0, 0.0
		for corner := range 1 << p {
			for moved := range p {
				worst = max(worst, loss(func(i int) float64 { return float64(2*(corner>>i&1) - 1) }, moved))
			}
		}
		for j := range k { // where one sign is farthest and the first number moves
			reached = max(reached, loss(func(i int) float64 { return math.Copysign(1, m[i][j]) }, 0))
		}
		lo, hi := public.Bounds()
		if math.Abs(lo-reached) > 1e-9*lo || worst > hi*(1+1e-9) || hi > worst*[]float64{1 + 1e-9, 1.5, 1.5}[k-1] {
			t.Errorf("%d signs: public ε in [%v, %v], corners have %v and the worst %v", k, lo, hi, reached, worst)
		}
	}
}

// iDP-SignRP-G where A holds every sign for all data: the worst pair of
// neighbors, over a grid of both, is what the corners give, and no more.
func TestIndividualNoiseWhereNoSignLeaves(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, c := range []struct {
		p, k int
		beta float64
	}{{1, 1, 1}, {1, 3, 1.5}, {1, 4, 2.5}, {2, 3, 2}, {2, 2, 3}, {3, 2, 3}} {
		w, err := NewProjection(Rademacher, c.p, c.k, ProjectionOptions{Seed: uint64(c.k)})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: c.beta})
		if err != nil {
			t.Fatal(err)
		}
		public := publicOf(t, r)
		lo, hi := public.Bounds()
		if !(lo > 0 && hi-lo < 1e-9*hi && !math.IsInf(hi, 1)) {
			t.Errorf("p = %d, k = %d, β = %g: %v", c.p, c.k, c.beta, public)
		}
		worst := 0.0
		for range cases.Of(1000, 4000) {
			u := make([]float64, c.p)
			for i := range u {
				u[i] = math.Max(-1, math.Min(1, 3*(rng.Float64()-0.5)))
			}
			v, i := append([]float64(nil), u...), rng.IntN(c.p)
			v[i] = math.Max(-1, math.Min(1, v[i]+c.beta*(2*rng.Float64()-1)))
			got, _ := brute(slowLaw(t, r, u), slowLaw(t, r, v), 1)
			worst = math.Max(worst, got)
		}
		if worst > hi*(1+1e-9) || worst < 0.6*lo {
			t.Errorf("p = %d, k = %d, β = %g: worst of many %v, public %v", c.p, c.k, c.beta, worst, public)
		}
	}
	// One more coordinate than A allows, by any margin, and it is infinite.
	w, _ := NewProjection(Rademacher, 2, 2, ProjectionOptions{Seed: 1})
	r, err := NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: math.Nextafter(2, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || !math.IsInf(upper(public), 1) || !math.IsInf(lower(public), 1) {
		t.Errorf("β just below p: %v, %v, want infinite", public, err)
	}
	// A sparse W with many rows and one entry a column: bounded sign by sign.
	for seed := range uint64(400) {
		w, err := NewProjection(Sparse, 40, 2, ProjectionOptions{Sparsity: 30, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewIndividual(w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 20})
		if err != nil {
			t.Fatal(err)
		}
		if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || math.IsNaN(upper(public)) {
			t.Errorf("seed %d: %v, %v", seed, public, err)
		}
	}
}
