package signrp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// The sweep finds the worst of many neighbors, at the extreme moves and between them. No neighbor has a larger loss.
func TestNeighborsAgainstManyPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for trial := range cases.Of(4, 12) {
		p, k := 1+rng.IntN(5), 1+rng.IntN(8)
		beta := []float64{1, 0.5, 0.25, 2.5}[trial%4]
		e := evidencetest.Epsilon([]float64{0.5, 2}[trial%2])
		for i, w := range signrp.AllKinds(t, p, k, uint64(trial)) {
			for j, r := range signrp.EveryRelease(t, w, e, beta) {
				if !cases.Every(2, trial+i+j) {
					continue
				}
				u := signrp.BoundaryVector(rng, p, trial)
				worst := signrp.WorstOf(t, r, u)
				lo, hi := worst.Epsilon.Bounds()
				a := slowLaw(t, r, u)
				found := 0.0
				for i := range u {
					for n := range 21 {
						v := append([]float64(nil), u...)
						v[i] = math.Max(-1, math.Min(1, u[i]+beta*float64(n-10)/10))
						got, _ := bruteForce(a, slowLaw(t, r, v), 1)
						found = math.Max(found, got)
					}
				}
				if found > hi*(1+1e-9)+1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: a neighbor has ε %v, sweep [%v, %v]", r.Name(), w.Kind(), beta, u, found, lo, hi)
				}
				if found < lo*(1-1e-9)-1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: the worst of many has ε %v, sweep [%v, %v] at %d → %v", r.Name(), w.Kind(), beta, u, found, lo, hi, worst.Coordinate, worst.To)
				}
				ball := ballOf(t, r, u)
				if upper(ball) < hi*(1-1e-12) {
					t.Errorf("%s: ball %v below the neighbors' %v", r.Name(), ball, worst.Epsilon)
				}
				for range 5 { // points of the ball
					v := append([]float64(nil), u...)
					left := beta
					for range 3 {
						i, step := rng.IntN(p), left*rng.Float64()
						left -= step
						v[i] = math.Max(-1, math.Min(1, v[i]+step*float64(1-2*rng.IntN(2))))
					}
					if got, _ := bruteForce(a, slowLaw(t, r, v), 1); got > upper(ball)*(1+1e-9)+1e-12 {
						t.Errorf("%s: point %v of the ball has ε %v, above the bound %v", r.Name(), v, got, upper(ball))
					}
				}
				public := publicOf(t, r)
				if !r.HasSigma() && upper(public) < lo*(1-1e-12) {
					t.Errorf("%s, %s W, β = %g, u = %v: individual %v above differential privacy %v", r.Name(), w.Kind(), beta, u, worst.Epsilon, public)
				}
			}
		}
	}
}

// Losses that float64 cannot distinguish from 0 are not reported as 0. Relative to ε, the worst loss of signs with
// levels is as large at a tiny ε as at a small one.
func TestWorstLossOfTinyEpsilon(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		w := must.Be(signrp.NewProjection([]signrp.Kind{signrp.Rademacher, signrp.Gaussian}[seed%2], 5, 7, signrp.ProjectionOptions{Seed: seed}))
		u := []float64{.9, -.3, .55, 0, -1}
		ratio := func(e float64) float64 {
			r := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(e), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: .3, Smoothing: true}))
			n := must.Be(r.Neighbors(u).Epsilon(ctx, evidence.Delta{}))
			lo, hi := n.Bounds()
			if !(lo > 0) || hi/lo > 1+1e-9 {
				t.Errorf("ε = %g: the worst loss is in [%v, %v]", e, lo, hi)
			}
			return hi / e
		}
		small := ratio(1e-7)
		for _, e := range []float64{1e-15, 1e-17, 1e-30} {
			if tiny := ratio(e); math.Abs(tiny-small) > 1e-5*small {
				t.Errorf("seed %d: the worst loss is %vε at ε = %g and %vε at 1e-7", seed, tiny, e, small)
			}
		}
	}
}

// If float64 cannot distinguish the moves and too many remain to examine exactly, the worst loss is enclosed. No pair
// of neighbors loses more.
func TestWorstLossIsEnclosedIfUndecided(t *testing.T) {
	ctx := context.Background()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 60, 16, signrp.ProjectionOptions{Seed: 3}))
	r := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1e-17), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: .9, Smoothing: true}))
	rng := rand.New(rand.NewPCG(3, 17))
	u := make([]float64, 60)
	for i := range u {
		u[i] = float64(rng.IntN(21)-10) / 10
	}
	worst := must.Be(r.Neighbors(u).Epsilon(ctx, evidence.Delta{}))
	lo, hi := worst.Bounds()
	if worst.Kind() != evidence.KindCertified || !(lo <= hi) {
		t.Errorf("the worst loss is %v, in [%v, %v]", worst, lo, hi)
	}
	most := 0.0
	for i := range u {
		for side, m := range [2]float64{min(1, u[i]+.9), max(-1, u[i]-.9)} {
			v := slices.Clone(u)
			v[i] = m
			n := must.Be(r.Pair(u, v).Epsilon(ctx, evidence.Delta{}))
			least, upper := n.Bounds()
			if most = max(most, upper); least > hi {
				t.Errorf("coordinate %d, side %d: loss %v, above the maximum %v", i, side, least, hi)
			}
		}
	}
	if !(lo <= most) || !(lo < hi) {
		t.Errorf("worst loss in [%v, %v], but no pair loses more than %v", lo, hi, most)
	}
}
