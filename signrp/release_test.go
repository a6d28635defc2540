package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// DP-RP-G has the standard deviation of Theorem 3.1, computed here for one release.
func TestClassicNoise(t *testing.T) {
	ctx := context.Background()
	w := must(NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1}))
	for _, c := range []struct{ eps, delta, beta float64 }{{1, 1e-6, 1}, {0.1, 0.25, 0.5}, {20, 1e-9, 2}} {
		r := must(NewClassicRP(ctx, w, eps(t, c.eps), evidencetest.Delta(c.delta), RPOptions{Beta: c.beta}))
		want := c.beta * math.Sqrt(2*(math.Log(1/(2*c.delta))+c.eps)) / c.eps
		sigma, err := r.Sigma()
		if err != nil || math.Abs(sigma.Lo/want-1) > 1e-15 || math.Abs(sigma.Hi/want-1) > 1e-15 || sigma.Lo > sigma.Hi {
			t.Errorf("%+v: σ %v (%v), want %v", c, sigma, err, want)
		}
		if r.Name() != "DP-RP-G-B" || !strings.Contains(r.ClaimedEpsilon().Source, "3.1") {
			t.Errorf("name %s, claim %v", r.Name(), r.ClaimedEpsilon())
		}
		public := must(r.Public().Epsilon(ctx, evidencetest.Delta(c.delta)))
		if _, hi := public.Bounds(); hi > c.eps {
			t.Errorf("%+v: ε = %v at the release's δ, claimed %v", c, public, c.eps)
		}
		best, err := NewRP(ctx, w, eps(t, c.eps), evidencetest.Delta(c.delta), RPOptions{Beta: c.beta})
		if err != nil || best.sigma.Hi > sigma.Lo {
			t.Errorf("%+v: the smallest σ %v (%v) exceeds the classic %v", c, best.sigma, err, sigma)
		}
	}
	for _, delta := range []float64{0.5, 0.9, 0} {
		if _, err := NewClassicRP(ctx, w, eps(t, 1), evidencetest.Delta(delta), RPOptions{Beta: 1}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("δ = %g: error %v", delta, err)
		}
	}
}

// The package's audit does not refute raw data with exactly drawn noise, and refutes its float64 simulation. Equal
// coordinates give repeated draws of one coordinate, which changes by β.
func TestReleasesPassTheAudit(t *testing.T) {
	ctx, p := context.Background(), stattest.Draws(t, 1<<14)
	r := must(NewRaw(p, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1}))
	var released, simulated audittest.Draws
	for i := range released {
		u := make([]float64, p)
		for j := range u {
			u[j] = float64(i)
		}
		out := must(r.Draw(ctx, u, nil, rand.NewPCG(81, uint64(i))))
		released[i] = out.Numbers
		out = must(r.Sample(ctx, u, rand.NewPCG(83, uint64(i))))
		simulated[i] = out.Numbers
	}
	audittest.Hold(t, "raw data", 1, 1e-5, released, simulated)
}

// If β/‖u‖ overflows or underflows, all or almost no signs are within reach. N₊ is then k, or Chernoff's bound for
// probability 0, which is ⌊ln 1/δ⌋. The release works as for nearby vectors.
func TestSharedByAtExtremeRatios(t *testing.T) {
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

// The standard deviation is enclosed for rows of W of any length and β of any size. It is the sensitivity in 200 bits
// times the deviation at sensitivity 1, whose bounds are a few ulps apart.
func TestSigmaEnclosure(t *testing.T) {
	ctx, one := t.Context(), eps(t, 1)
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for _, kind := range []Kind{Gaussian, Uniform, Sparse} {
		for seed := range uint64(6) {
			w := must(NewProjection(kind, 5, 3, ProjectionOptions{Sparsity: 2, Seed: seed}))
			square := number(0)
			for _, row := range must(w.Matrix()) {
				sum := number(0)
				for _, v := range row {
					sum.Add(sum, new(big.Float).Mul(number(v), number(v)))
				}
				if sum.Cmp(square) > 0 {
					square = sum
				}
			}
			if square.Sign() == 0 {
				continue
			}
			length := square.Sqrt(square.Quo(square, number(3)))
			for n := range 90 {
				delta := []float64{1e-3, 1e-4, 0.01}[n%3]
				unit := must(gaussian.Sigma(one, evidencetest.Delta(delta), 1))
				beta := []float64{1, 0.3, 1e-300, 5e-324 * float64(1+7*n), 1e300}[n%5] * float64(1+n)
				r := must(NewRP(ctx, w, one, evidencetest.Delta(delta), RPOptions{Beta: beta}))
				as := new(big.Float).SetPrec(200).SetRat(printedDecimal(beta))
				shortest, _ := r.sensitivity.Bounds()
				if least := new(big.Float).Mul(number(shortest), number(unit.Hi)); number(r.sigma.Lo).Cmp(least) > 0 {
					t.Errorf("%s W, β = %g: lower bound of σ is %g, too large for sensitivity %g", kind, beta, r.sigma.Lo, shortest)
				}
				truth := func(sigma float64) *big.Float {
					return new(big.Float).Mul(new(big.Float).Mul(as, length), number(sigma))
				}
				lo, hi := number(r.sigma.Lo), number(r.sigma.Hi)
				if lo.Cmp(truth(unit.Hi)) > 0 || hi.Cmp(truth(unit.Lo)) < 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], want upper bound %g", kind, beta, r.sigma.Lo, r.sigma.Hi, truth(unit.Hi))
				}
				if wide := new(big.Float).Sub(hi, lo); wide.Cmp(new(big.Float).Add(new(big.Float).Mul(hi, number(1e-13)), number(8*5e-324*(1+unit.Hi)))) > 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g] is wide", kind, beta, r.sigma.Lo, r.sigma.Hi)
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
		r := must(NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 0.5}))
		signs := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 0.5}))
		r.sigma.Lo, r.sigma.Hi = lo, 0.7
		signs.sigma.Lo, signs.sigma.Hi = lo, 0.7
		m := must(r.NormalizedMoments(ctx, u, v))
		l := must(signs.lawAt(ctx, u))
		return fmt.Sprint(r.Grid(), must(r.Variance(u, v)), m.Mean, m.Variance, m.Error, l.z, l.sigma, must(signs.Public().Epsilon(ctx, evidence.Delta{})), must(r.Public().Delta(ctx, eps(t, 1))))
	}
	for _, kind := range []Kind{Rademacher, Gaussian} {
		w := must(NewProjection(kind, 3, 2, ProjectionOptions{Seed: 1}))
		if zero, all := numberText(w, 0), numberText(w, 0.7); zero != all {
			t.Errorf("%s W: %s with σ in [0, 0.7], %s with σ = 0.7", kind, zero, all)
		}
	}
}

// δ of noisy signs is at most that of the numbers, and at most what their ε at δ = 0 implies. The upper bound is the
// smaller of the two, and each is the smaller one in some cases.
func TestNoisySignsBoundedByNumbers(t *testing.T) {
	ctx := t.Context()
	less := map[string][2]int{}
	for seed := range uint64(4) {
		w := must(NewProjection([]Kind{Rademacher, Gaussian}[seed%2], 4, []int{1, 8}[seed/2], ProjectionOptions{Seed: seed}))
		for _, beta := range []float64{0.3, 1.4} {
			signs := must(NewSignRP(ctx, w, eps(t, 2), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-2), Beta: beta}))
			numbers := must(NewRP(ctx, w, eps(t, 2), evidencetest.Delta(1e-2), RPOptions{Beta: beta}))
			u := []float64{0.1, -0.2, 0.05, 0.3}
			for name, of := range map[string]func(*Release) privacy.Profile{
				"neighbors": func(r *Release) privacy.Profile { return r.Neighbors(u) },
				"ball":      func(r *Release) privacy.Profile { return r.Ball(u) },
				"public":    (*Release).Public,
			} {
				pure := must(of(signs).Epsilon(ctx, evidence.Delta{}))
				for _, e := range []float64{0.5, upper(pure) * 0.999} {
					got, post := must(of(signs).Delta(ctx, eps(t, e))), upper(must(of(numbers).Delta(ctx, eps(t, e))))
					alone := privacy.PureDelta(pure, eps(t, e), "").Hi
					if name == "public" { // the public δ does not use the bound from ε
						alone = 1
					}
					if upper(got) != min(post, alone) {
						t.Errorf("%s W, β = %g, %s at ε = %g: δ up to %v, want the smaller of %v and %v", w.kind, beta, name, e, upper(got), post, alone)
					}
					n := less[name]
					if post < alone {
						n[0]++
					} else {
						n[1]++
					}
					less[name] = n
				}
			}
		}
	}
	for name, n := range less {
		if n[0] < 5 || name != "public" && n[1] < 5 {
			t.Errorf("%s: the δ of the numbers is smaller %d times, that from ε %d times", name, n[0], n[1])
		}
	}
}

// The individual noise uses the largest μ that certainly satisfies (ε, δ).
func TestIndividualNoiseIsPrivate(t *testing.T) {
	w := must(NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1}))
	for _, e := range []float64{0.01, 0.3, 1, 2.5, 7} {
		for _, delta := range []float64{1e-9, 1e-5, 1e-3, 0.1, 0.7} {
			r := must(NewIndividual(w, eps(t, e), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(delta), Beta: 1}))
			if d := gaussian.DeltaAt(eps(t, e), interval.Float(r.mu)); d.Lo > delta {
				t.Errorf("ε = %g, δ = %g: μ = %v has δ = %v", e, delta, r.mu, evidence.Number(d))
			}
		}
	}
}

// At ε = 0 the noisy sign of one number loses as much as the number itself if the two means are t and −t: δ = 1 −
// 2Φ(−t/σ). Every threat model contains this value, and no upper bound is far above it.
func TestSignDeltaAtEpsilonZero(t *testing.T) {
	ctx := t.Context()
	w := must(NewProjection(Rademacher, 1, 1, ProjectionOptions{Seed: 3}))
	for n := range 8 {
		beta := float64(n*n+1) / 32 // t = β/2, and no threat model rounds it
		r := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: beta}))
		at := interval.Float(beta / 2).Quo(interval.Float(r.sigma.Hi))
		want := interval.Int(1).Sub(gaussian.Tail(at).Mul(interval.Int(2)))
		for name, c := range map[string]privacy.Profile{"pair": r.Pair([]float64{-beta / 2}, []float64{beta / 2}), "neighbors": r.Neighbors([]float64{-beta / 2}), "ball": r.Ball([]float64{-beta / 2}), "public": r.Public()} {
			got := must(c.Delta(ctx, evidence.Epsilon{}))
			lo, hi := got.Bounds()
			if want.Less(interval.Float(lo)) || interval.Float(hi).Less(want) || !(hi-want.Mid() < 1e-9) || (name == "pair" || name == "public") && !(hi-lo < 1e-9) {
				t.Errorf("β = %v, %s: δ(0) in [%v, %v], want %v", beta, name, lo, hi, want.Mid())
			}
		}
	}
}

// Numbers whose squares or products underflow are handled. u = 0 has a neighbor as far away as any pair of neighbors.
// So the individual ε equals the public one at every β, and is nearly the given ε because σ is proportional to β.
func TestNumbersWithTinyBeta(t *testing.T) {
	const p = 5
	for _, beta := range []float64{1, 1e-150, 1e-155, 1e-160, 3e-162, 1e-170, 1e-250, 1e-310, 5e-322} {
		var all []*Release
		for _, w := range allKinds(t, p, 4, 3) {
			r := must(NewRP(context.Background(), w, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta}))
			all = append(all, r)
		}
		raw := must(NewRaw(p, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta}))
		for _, r := range append(all, raw) {
			worst := worstOf(t, r, make([]float64, p))
			public := publicOf(t, r)
			lo, hi := worst.Epsilon.Bounds()
			if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, %v over all", r.name, beta, worst.Epsilon, public)
			}
			// A subnormal σ has too few bits for the claimed ε.
			if beta > 1e-300 && !(lo > 0.999999 && hi < 1.000001) {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, want nearly 1", r.name, beta, worst.Epsilon)
			}
		}
	}
}

// The signs of subnormal data are those of the decimals: 4.4e-323 < 2e-323 + 2.5e-323. The float64 values, 9, 4 and 5
// times the smallest, sum to 0.
func TestSignsOfSubnormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	least := math.SmallestNonzeroFloat64
	vectors := [][]float64{{-4 * least, -5 * least, 9 * least}, {4 * least, 5 * least, -9 * least}}
	for range 400 {
		a, b := float64(rng.IntN(40)-20), float64(rng.IntN(40)-20)
		vectors = append(vectors, []float64{a * least, b * least, -(a + b) * least})
	}
	binary := 0
	w := projectionWith([][]float64{{1}, {1}, {1}})
	r := must(NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1}))
	for _, u := range vectors {
		sum, floats := new(big.Rat), 0.0
		for _, v := range u {
			sum.Add(sum, printedDecimal(v))
			floats += v
		}
		want := 0.0 // from the zero vector, whose sign is +
		if sum.Sign() < 0 {
			want = 1
		}
		if (floats < 0) != (sum.Sign() < 0) {
			binary++
		}
		got, err := r.Pair(u, make([]float64, 3)).Epsilon(context.Background(), evidence.Delta{})
		if err != nil || got.Float() != want {
			t.Fatalf("u = %v: loss %v (%v), want %v", u, got, err, want)
		}
	}
	if binary < 50 {
		t.Errorf("the float64 sign differs from that of the decimals for only %d vectors", binary)
	}
}

// Sensitivity is β·max‖W_i‖/√k, also where ‖W_i‖β overflows or underflows.
func TestSensitivityAtExtremeScales(t *testing.T) {
	w, err := NewProjection(Sparse, 6, 10, ProjectionOptions{Sparsity: 1, Seed: 3}) // ±1 everywhere
	if err != nil {
		t.Fatal(err)
	}
	for _, beta := range []float64{1e308, math.MaxFloat64 / 2, 1e-310, 1e-320, 5e-324} {
		s := must(w.Sensitivity(context.Background(), beta))
		lo, hi := s.Bounds()
		if new(big.Rat).SetFloat64(lo).Cmp(printedDecimal(beta)) > 0 || new(big.Rat).SetFloat64(hi).Cmp(printedDecimal(beta)) < 0 || hi-lo > 1e-14*beta+2*math.SmallestNonzeroFloat64 {
			t.Errorf("beta = %g: [%g, %g]", beta, lo, hi)
		}
	}
}

// The distance of adjacent vectors is that of their decimals, which float64 differences barely resolve.
func TestDistanceOfCloseVectors(t *testing.T) {
	const beta = 1e-17
	w := must(NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1}))
	u, v := []float64{0.3, 0.10000000000000002, -0.7}, []float64{0.3, 0.10000000000000003, -0.7}
	r := must(NewRP(context.Background(), w, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta}))
	near := smallestOf(t, r, u, v) // 1e-17 apart
	public := publicOf(t, r)
	lo, hi := near.Bounds()
	if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
		t.Errorf("ε of vectors β apart: %v, public ε: %v", near, public)
	}
}
