package signrp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// The largest δ over many neighbors and points of the ball, from all sign patterns, is at most the curve's δ, also at ε
// = 0. δ(ε(δ)) is at most δ. A threat model with more pairs has a larger δ.
func TestCurvesAgainstAllPatterns(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(19, 2))
	for trial := range cases.Of(4, 6) {
		p, k := 1+rng.IntN(3), 1+rng.IntN(5)
		beta := []float64{1, 0.5, 0.25, 2.5}[trial%4]
		for i, w := range signrp.AllKinds(t, p, k, uint64(trial)) {
			for j, r := range signrp.EveryRelease(t, w, evidencetest.Epsilon([]float64{0.5, 2}[trial%2]), beta) {
				if !cases.Every(2, trial+i+j) {
					continue
				}
				u := signrp.BoundaryVector(rng, p, trial)
				a := slowLaw(t, r, u)
				at := []float64{0, 0.2, 0.8}[rng.IntN(3)]
				var e evidence.Epsilon
				if at > 0 {
					e = evidencetest.Epsilon(at)
				}
				near, ball := deltaOf(t, r.Neighbors(u), e), deltaOf(t, r.Ball(u), e)
				found := 0.0
				for i := range u {
					for n := range 11 {
						v := append([]float64(nil), u...)
						v[i] = math.Max(-1, math.Min(1, u[i]+beta*float64(n-5)/5))
						_, d := bruteForce(a, slowLaw(t, r, v), at)
						found = math.Max(found, d)
					}
				}
				if lo, hi := near.Bounds(); found > hi+1e-10 || found < lo-1e-10 {
					t.Errorf("%s, %s W, β = %g, u = %v: δ(%g) over many neighbors is %v, curve [%v, %v]", r.Name(), w.Kind(), beta, u, at, found, lo, hi)
				}
				if plainFlips(r) && upper(near)-lower(near) > 1e-12 {
					t.Errorf("%s: δ(%g) = %v of plain randomised response, want a tight enclosure", r.Name(), at, near)
				}
				if upper(ball) < lower(near) || lower(ball) > upper(ball) {
					t.Errorf("%s: ball %v, neighbors %v", r.Name(), ball, near)
				}
				public := deltaOf(t, r.Public(), e)
				if upper(public) < lower(near)-1e-10 {
					t.Errorf("%s, %s W, β = %g, u = %v: δ(%g) public %v, individual %v", r.Name(), w.Kind(), beta, u, at, public, near)
				}
				if trial%3 > 0 || (trial+i+j)%2 > 0 { // bisection is slow, so only some cases run it
					continue
				}
				for name, c := range map[string]privacy.Profile{"neighbors": r.Neighbors(u), "ball": r.Ball(u), "public": r.Public()} {
					const delta = 0.05
					n := must.Be(c.Epsilon(ctx, evidencetest.Delta(delta)))
					pure, err := c.Epsilon(ctx, evidence.Delta{})
					if err != nil || lower(n) > upper(pure) {
						t.Errorf("%s, %s: ε(%g) = %v, ε(0) = %v, %v", r.Name(), name, delta, n, pure, err)
					}
					if hi := upper(n); hi > 0 && !math.IsInf(hi, 1) && !r.HasSigma() {
						if d := deltaOf(t, c, evidencetest.Epsilon(hi)); lower(d) > delta+1e-9 {
							t.Errorf("%s, %s: δ(ε(%g) = %v) = %v", r.Name(), name, delta, hi, d)
						}
					}
				}
			}
		}
	}
}

// Signs with Gaussian noise have a finite public ε at δ = 0. It is the loss at the worst corner, and no pair of
// neighbors on a grid exceeds it.
func TestPublicOfNoisySigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for trial := range 6 {
		beta := []float64{0.5, 1, 3}[trial%3]
		for _, w := range signrp.AllKinds(t, 3, 3, uint64(trial)) {
			r, err := signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Beta: beta, Delta: evidencetest.Delta(1e-3)})
			if err != nil {
				continue // a sparse W may have only zeros
			}
			pure := must.Be(r.Public().Epsilon(context.Background(), evidence.Delta{}))
			found := 0.0
			for n := range 8 + 20 {
				u := signrp.BoundaryVector(rng, 3, trial)
				if n < 8 {
					for i := range u {
						u[i] = float64(n>>i&1)*2 - 1
					}
				}
				worst := signrp.WorstOf(t, r, u)
				found = math.Max(found, lower(worst.Epsilon))
			}
			if lo, hi := pure.Bounds(); found > hi*(1+1e-9) || found < lo*(1-1e-9) {
				t.Errorf("%s W, β = %g: %v over many neighbors, public [%v, %v]", w.Kind(), beta, found, lo, hi)
			}
		}
	}
}

// Releases of numbers have no finite ε at δ = 0. Invalid vectors are refused.
func TestNumbersHaveNoPureEpsilon(t *testing.T) {
	ctx := context.Background()
	w := projectionWith([][]float64{{1}, {1}})
	u, v := []float64{0.6, 0.5}, []float64{-0.4, 0.5}
	r := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 1}))
	for _, c := range []privacy.Profile{r.Pair(u, v), r.Neighbors(u), r.Ball(u), r.Public()} {
		if e, err := c.Epsilon(ctx, evidence.Delta{}); err != nil || !math.IsInf(lower(e), 1) {
			t.Errorf("ε(0) of numbers = %v, %v", e, err)
		}
	}
	for _, bad := range [][]float64{nil, {1}, {0, 2}, {0, math.NaN()}} {
		for _, c := range []privacy.Profile{r.Pair(bad, v), r.Pair(u, bad), r.Neighbors(bad), r.Ball(bad)} {
			if _, err := c.Epsilon(ctx, evidencetest.Delta(0.1)); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("u = %v: %v", bad, err)
			}
			if _, err := c.Delta(ctx, evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("u = %v: %v", bad, err)
			}
		}
	}
}

// δ is exactly 0 if ε equals or exceeds the loss of a pair, and positive at every smaller ε, however close. The test
// uses an ε just below ½: the logarithm of the first terms of the series of e^½.
func TestDeltaIsZeroFromTheLoss(t *testing.T) {
	base, term := new(big.Rat), big.NewRat(1, 1)
	for n := range int64(70) {
		base.Add(base, term)
		term.Mul(term, big.NewRat(1, 2*(n+1)))
	}
	half := evidencetest.Epsilon(0.5)
	r := must.Be(signrp.NewSignRP(t.Context(), projectionWith([][]float64{{1}}), half, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 2}))
	for _, c := range []privacy.Profile{r.Pair([]float64{1}, []float64{-1}), r.Neighbors([]float64{1})} {
		if loss := must.Be(c.Epsilon(t.Context(), evidence.Delta{})); loss.Float() != 0.5 {
			t.Fatalf("the loss is %v, want 1/2", loss)
		}
		for e, want := range map[evidence.Epsilon]bool{must.Be(evidence.LogEpsilon("eps", base)): false, evidencetest.Epsilon(math.Nextafter(0.5, 0)): false, half: true, evidencetest.Epsilon(math.Nextafter(0.5, 1)): true} {
			if d := deltaOf(t, c, e); (d.Kind() == evidence.KindExact && d.Float() == 0) != want {
				t.Errorf("δ(%v) = %v, exactly 0: %t", e, d, want)
			}
		}
	}
}
