package signrp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// DP-RP-G has the standard deviation of Theorem 3.1, computed here for one release.
func TestClassicNoise(t *testing.T) {
	ctx := context.Background()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 3, 2, signrp.ProjectionOptions{Seed: 1}))
	for _, c := range []struct{ eps, delta, beta float64 }{{1, 1e-6, 1}, {0.1, 0.25, 0.5}, {20, 1e-9, 2}} {
		r := must.Be(signrp.NewClassicRP(ctx, w, evidencetest.Epsilon(c.eps), evidencetest.Delta(c.delta), signrp.RPOptions{Beta: c.beta}))
		want := c.beta * math.Sqrt(2*(math.Log(1/(2*c.delta))+c.eps)) / c.eps
		sigma, err := r.Sigma()
		if err != nil || math.Abs(sigma.Lo/want-1) > 1e-15 || math.Abs(sigma.Hi/want-1) > 1e-15 || sigma.Lo > sigma.Hi {
			t.Errorf("%+v: σ %v (%v), want %v", c, sigma, err, want)
		}
		if r.Name() != "DP-RP-G-B" || !strings.Contains(r.ClaimedEpsilon().Source, "3.1") {
			t.Errorf("name %s, claim %v", r.Name(), r.ClaimedEpsilon())
		}
		public := must.Be(r.Public().Epsilon(ctx, evidencetest.Delta(c.delta)))
		if _, hi := public.Bounds(); hi > c.eps {
			t.Errorf("%+v: ε = %v at the release's δ, claimed %v", c, public, c.eps)
		}
		best, err := signrp.NewRP(ctx, w, evidencetest.Epsilon(c.eps), evidencetest.Delta(c.delta), signrp.RPOptions{Beta: c.beta})
		if err != nil || sigmaOf(best) > sigma.Lo {
			t.Errorf("%+v: the smallest σ %v (%v) exceeds the classic %v", c, must.Be(best.Sigma()), err, sigma)
		}
	}
	for _, delta := range []float64{0.5, 0.9, 0} {
		if _, err := signrp.NewClassicRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(delta), signrp.RPOptions{Beta: 1}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("δ = %g: error %v", delta, err)
		}
	}
}

// The audit does not refute raw data with exactly drawn noise, but refutes its float64 simulation. All coordinates are
// equal and change by β, so that one release gives repeated draws of one coordinate.
func TestReleasesPassTheAudit(t *testing.T) {
	ctx, p := context.Background(), stattest.Draws(t, 1<<14)
	r := must.Be(signrp.NewRaw(p, evidencetest.Epsilon(1), evidencetest.Delta(1e-5), signrp.RPOptions{Beta: 1}))
	var released, simulated audittest.Draws
	for i := range released {
		u := make([]float64, p)
		for j := range u {
			u[j] = float64(i)
		}
		out := must.Be(r.Draw(ctx, u, nil, rand.NewPCG(81, uint64(i))))
		released[i] = out.Numbers
		out = must.Be(r.Sample(ctx, u, rand.NewPCG(83, uint64(i))))
		simulated[i] = out.Numbers
	}
	audittest.Hold(t, "raw data", 1, 1e-5, released, simulated)
}

// The standard deviation is enclosed for rows of W of any length and β of any size. The expected value is the
// sensitivity in 200 bits times the deviation at sensitivity 1, whose bounds are a few ulps apart.
func TestSigmaEnclosure(t *testing.T) {
	ctx, one := t.Context(), evidencetest.Epsilon(1)
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
	for _, kind := range []signrp.Kind{signrp.Gaussian, signrp.Uniform, signrp.Sparse} {
		for seed := range uint64(6) {
			w := must.Be(signrp.NewProjection(kind, 5, 3, signrp.ProjectionOptions{Sparsity: 2, Seed: seed}))
			square := number(0)
			for _, row := range must.Be(w.Matrix()) {
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
				unit := must.Be(gaussian.Sigma(one, evidencetest.Delta(delta), 1))
				beta := []float64{1, 0.3, 1e-300, 5e-324 * float64(1+7*n), 1e300}[n%5] * float64(1+n)
				r := must.Be(signrp.NewRP(ctx, w, one, evidencetest.Delta(delta), signrp.RPOptions{Beta: beta}))
				as := new(big.Float).SetPrec(200).SetRat(signrp.PrintedDecimal(beta))
				shortest, _ := must.Be(w.Sensitivity(ctx, beta)).Bounds()
				sigma := must.Be(r.Sigma())
				if least := new(big.Float).Mul(number(shortest), number(unit.Hi)); number(sigma.Lo).Cmp(least) > 0 {
					t.Errorf("%s W, β = %g: lower bound of σ is %g, too large for sensitivity %g", kind, beta, sigma.Lo, shortest)
				}
				truth := func(unit float64) *big.Float {
					return new(big.Float).Mul(new(big.Float).Mul(as, length), number(unit))
				}
				lo, hi := number(sigma.Lo), number(sigma.Hi)
				if lo.Cmp(truth(unit.Hi)) > 0 || hi.Cmp(truth(unit.Lo)) < 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], want upper bound %g", kind, beta, sigma.Lo, sigma.Hi, truth(unit.Hi))
				}
				if wide := new(big.Float).Sub(hi, lo); wide.Cmp(new(big.Float).Add(new(big.Float).Mul(hi, number(1e-13)), number(8*5e-324*(1+unit.Hi)))) > 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g] is wide", kind, beta, sigma.Lo, sigma.Hi)
				}
			}
		}
	}
}

// δ of noisy signs is at most that of the numbers, and at most what their ε at δ = 0 implies. The upper bound is the
// smaller of the two, and each is the smaller one in some cases.
func TestNoisySignsBoundedByNumbers(t *testing.T) {
	ctx := t.Context()
	less := map[string][2]int{}
	for seed := range uint64(4) {
		w := must.Be(signrp.NewProjection([]signrp.Kind{signrp.Rademacher, signrp.Gaussian}[seed%2], 4, []int{1, 8}[seed/2], signrp.ProjectionOptions{Seed: seed}))
		for _, beta := range []float64{0.3, 1.4} {
			signs := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(2), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-2), Beta: beta}))
			numbers := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(2), evidencetest.Delta(1e-2), signrp.RPOptions{Beta: beta}))
			u := []float64{0.1, -0.2, 0.05, 0.3}
			for name, of := range map[string]func(*signrp.Release) privacy.Profile{
				"neighbors": func(r *signrp.Release) privacy.Profile { return r.Neighbors(u) },
				"ball":      func(r *signrp.Release) privacy.Profile { return r.Ball(u) },
				"public":    (*signrp.Release).Public,
			} {
				pure := must.Be(of(signs).Epsilon(ctx, evidence.Delta{}))
				for _, e := range []float64{0.5, upper(pure) * 0.999} {
					got, post := must.Be(of(signs).Delta(ctx, evidencetest.Epsilon(e))), upper(must.Be(of(numbers).Delta(ctx, evidencetest.Epsilon(e))))
					alone := privacy.PureDelta(pure, evidencetest.Epsilon(e), "").Hi
					if name == "public" { // the public δ does not use the bound from ε
						alone = 1
					}
					if upper(got) != min(post, alone) {
						t.Errorf("%s W, β = %g, %s at ε = %g: δ up to %v, want the smaller of %v and %v", w.Kind(), beta, name, e, upper(got), post, alone)
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

// At ε = 0 the noisy sign of one number has the same δ as the number itself if the two means are t and −t: δ = 1 −
// 2Φ(−t/σ). Every threat model contains this value, and no upper bound is far above it.
func TestSignDeltaAtEpsilonZero(t *testing.T) {
	ctx := t.Context()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 1, 1, signrp.ProjectionOptions{Seed: 3}))
	for n := range 8 {
		beta := float64(n*n+1) / 32 // t = β/2 has few bits, so no threat model rounds it
		r := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: beta}))
		at := interval.Float(beta / 2).Quo(interval.Float(sigmaOf(r)))
		want := interval.Int(1).Sub(gaussian.Tail(at).Mul(interval.Int(2)))
		for name, c := range map[string]privacy.Profile{"pair": r.Pair([]float64{-beta / 2}, []float64{beta / 2}), "neighbors": r.Neighbors([]float64{-beta / 2}), "ball": r.Ball([]float64{-beta / 2}), "public": r.Public()} {
			got := must.Be(c.Delta(ctx, evidence.Epsilon{}))
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
		var all []*signrp.Release
		for _, w := range signrp.AllKinds(t, p, 4, 3) {
			all = append(all, must.Be(signrp.NewRP(context.Background(), w, evidencetest.Epsilon(1), evidencetest.Delta(1e-6), signrp.RPOptions{Beta: beta})))
		}
		raw := must.Be(signrp.NewRaw(p, evidencetest.Epsilon(1), evidencetest.Delta(1e-6), signrp.RPOptions{Beta: beta}))
		for _, r := range append(all, raw) {
			worst := signrp.WorstOf(t, r, make([]float64, p))
			public := publicOf(t, r)
			lo, hi := worst.Epsilon.Bounds()
			if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, %v over all", r.Name(), beta, worst.Epsilon, public)
			}
			// A subnormal σ has too few bits for the claimed ε.
			if beta > 1e-300 && !(lo > 0.999999 && hi < 1.000001) {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, want nearly 1", r.Name(), beta, worst.Epsilon)
			}
		}
	}
}

// The signs of subnormal data are those of the decimals: 4.4e-323 < 2e-323 + 2.5e-323. The float64 values are 9, 4 and
// 5 times the smallest positive float64, so that 4 + 5 − 9 = 0.
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
	r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	for _, u := range vectors {
		sum, floats := new(big.Rat), 0.0
		for _, v := range u {
			sum.Add(sum, signrp.PrintedDecimal(v))
			floats += v
		}
		want := 0.0 // the loss to the zero vector, whose sign is +
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
	w := must.For(signrp.NewProjection(signrp.Sparse, 6, 10, signrp.ProjectionOptions{Sparsity: 1, Seed: 3}))(t)
	for _, beta := range []float64{1e308, math.MaxFloat64 / 2, 1e-310, 1e-320, 5e-324} {
		s := must.Be(w.Sensitivity(context.Background(), beta))
		lo, hi := s.Bounds()
		if new(big.Rat).SetFloat64(lo).Cmp(signrp.PrintedDecimal(beta)) > 0 || new(big.Rat).SetFloat64(hi).Cmp(signrp.PrintedDecimal(beta)) < 0 || hi-lo > 1e-14*beta+2*math.SmallestNonzeroFloat64 {
			t.Errorf("beta = %g: [%g, %g]", beta, lo, hi)
		}
	}
}

// The distance of adjacent vectors is that of their decimals. Float64 differences barely resolve this distance.
func TestDistanceOfCloseVectors(t *testing.T) {
	const beta = 1e-17
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 3, 2, signrp.ProjectionOptions{Seed: 1}))
	u, v := []float64{0.3, 0.10000000000000002, -0.7}, []float64{0.3, 0.10000000000000003, -0.7}
	r := must.Be(signrp.NewRP(context.Background(), w, evidencetest.Epsilon(1), evidencetest.Delta(1e-6), signrp.RPOptions{Beta: beta}))
	near := signrp.SmallestOf(t, r, u, v) // 1e-17 apart
	public := publicOf(t, r)
	lo, hi := near.Bounds()
	if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
		t.Errorf("ε of vectors β apart: %v, public ε: %v", near, public)
	}
}
