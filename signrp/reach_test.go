package signrp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// A ball that reaches the boundary of A contains a vector with another A. A ball that falls short of the boundary by
// one ulp does not. With W = (1, 1) and β = 1, A is |u₁ + u₂| ≤ 1, and the ball around a u with u₁ + u₂ = 2 reaches 1.
func TestBallAtTheEdgeOfA(t *testing.T) {
	w := projectionWith([][]float64{{1}, {1}})
	r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	ball, err := r.Ball([]float64{1, 1}).Epsilon(context.Background(), evidence.Delta{})
	if err != nil || !math.IsInf(lower(ball), 1) {
		t.Errorf("ball that touches A: %v, %v, want infinite", ball, err)
	}
	near := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: math.Nextafter(1, 0)}))
	ball, err = near.Ball([]float64{1, 1}).Epsilon(context.Background(), evidence.Delta{})
	if err != nil || upper(ball) != 0 {
		t.Errorf("ball that falls short of A: %v, %v, want 0: every sign is fixed", ball, err)
	}
}

// If N₊ depends on the data, the ball's ε is still finite and at least that of the worst neighbor. Its origin mentions
// N₊.
func TestBallWithDataDependentCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 2))
	for trial := range 12 {
		w := must.Be(signrp.NewProjection([]signrp.Kind{signrp.Rademacher, signrp.Gaussian}[trial%2], 6, 8, signrp.ProjectionOptions{Seed: uint64(trial)}))
		r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(2), signrp.SignOptions{Noise: signrp.RandomizedResponse, Delta: evidencetest.Delta(0.5), Beta: 0.4}))
		u := signrp.BoundaryVector(rng, 6, trial)
		ball := ballOf(t, r, u)
		worst := signrp.WorstOf(t, r, u)
		lo, hi := worst.Epsilon.Bounds()
		if math.IsInf(upper(ball), 1) || !(lo > 0) || upper(ball) < hi || lo > hi {
			t.Errorf("u = %v: ball %v, neighbors [%v, %v]", u, ball, lo, hi)
		}
		if !strings.Contains(ball.Origin(), "N₊") {
			t.Errorf("origin %q does not mention N₊", ball.Origin())
		}
	}
}

// For iDP-SignRP-G with every sign in A for all data, the worst pair of random neighbors does not exceed the ε from the
// corners, and comes close.
func TestIndividualNoiseWithFixedA(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, c := range []struct {
		p, k int
		beta float64
	}{{1, 1, 1}, {1, 3, 1.5}, {1, 4, 2.5}, {2, 3, 2}, {2, 2, 3}, {3, 2, 3}} {
		w := must.Be(signrp.NewProjection(signrp.Rademacher, c.p, c.k, signrp.ProjectionOptions{Seed: uint64(c.k)}))
		r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: c.beta}))
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
			got, _ := bruteForce(slowLaw(t, r, u), slowLaw(t, r, v), 1)
			worst = math.Max(worst, got)
		}
		if worst > hi*(1+1e-9) || worst < 0.6*lo {
			t.Errorf("p = %d, k = %d, β = %g: the worst of many pairs has ε %v, public %v", c.p, c.k, c.beta, worst, public)
		}
	}
	// β just below p leaves A for some data, so ε is infinite.
	w, _ := signrp.NewProjection(signrp.Rademacher, 2, 2, signrp.ProjectionOptions{Seed: 1})
	r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: math.Nextafter(2, 0)}))
	if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || !math.IsInf(upper(public), 1) || !math.IsInf(lower(public), 1) {
		t.Errorf("β just below p: %v, %v, want infinite", public, err)
	}
	// For a sparse W with many rows and few entries a column, ε is bounded sign by sign.
	for seed := range uint64(400) {
		w := must.Be(signrp.NewProjection(signrp.Sparse, 40, 2, signrp.ProjectionOptions{Sparsity: 30, Seed: seed}))
		r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 20}))
		if public, err := r.Public().Epsilon(context.Background(), evidence.Delta{}); err != nil || math.IsNaN(upper(public)) {
			t.Errorf("seed %d: %v, %v", seed, public, err)
		}
	}
}

// A vector that differs in two coordinates may have another A although no neighbor has. Both bounds of the ball's ε are
// then infinite.
func TestBallBeyondItsNeighbors(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		w := must.Be(signrp.NewProjection(signrp.Gaussian, 2, 1, signrp.ProjectionOptions{Seed: seed}))
		r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 0.5}))
		m := must.Be(w.Matrix())
		// d = 0.45(|w₁| − |w₂|) lies in A. No move of one coordinate alone takes d beyond the boundary 0.5|w₁|.
		ratio := math.Abs(m[1][0] / m[0][0])
		if ratio < 0.82 || ratio > 0.99 {
			continue
		}
		u := []float64{math.Copysign(0.9, m[0][0]), -math.Copysign(0.45*(1/ratio+1), m[1][0])}
		d := math.Abs(m[0][0]*u[0] + m[1][0]*u[1])
		largest := math.Abs(m[0][0])
		two := d + 0.1*math.Abs(m[0][0]) + 0.4*math.Abs(m[1][0]) // the first coordinate has room 0.1, the second takes the remaining 0.4
		near, ball := signrp.WorstOf(t, r, u).Epsilon, ballOf(t, r, u)
		if lo, hi := ball.Bounds(); two < 0.5*largest || !(math.IsInf(lo, 1) && math.IsInf(hi, 1)) {
			t.Errorf("seed %d, u = %v: the ball has another A, but its ε is %v", seed, u, ball)
		}
		if !math.IsInf(near.Float(), 1) {
			found++
		}
	}
	if found == 0 {
		t.Error("every case has a neighbor with another A")
	}
}

// The same can happen at the lower bound only and, by symmetry, at the upper bound only. For u = (−0.9, −0.9) and equal
// entries of W, d goes from −1.8 to −2 with two coordinates and to −1.9 with one. The boundary of A is −1.95.
func TestBallBeyondNeighborsOnOneSide(t *testing.T) {
	for sign := -1.0; sign <= 1; sign += 2 {
		r := must.Be(signrp.NewIndividual(projectionWith([][]float64{{1}, {1}}), evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1.95}))
		u := []float64{0.9 * sign, 0.9 * sign}
		if near, ball := signrp.WorstOf(t, r, u).Epsilon, ballOf(t, r, u); math.IsInf(upper(near), 1) || !math.IsInf(lower(ball), 1) {
			t.Errorf("u = %v: ε is %v among neighbors and %v over the ball", u, near, ball)
		}
	}
}
