package signrp

import (
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// The deviation of noise is enclosed where W has rows of any length and β is of any size: the sensitivity in 200 bits times what the deviation is at a sensitivity
// of 1, whose own ends are a few units apart.
func TestDeviationsHoldTheSensitivity(t *testing.T) {
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
				as := new(big.Float).SetPrec(200).SetRat(written(beta))
				shortest, _ := r.sensitivity.Bounds()
				if least := new(big.Float).Mul(number(shortest), number(unit.Hi)); number(r.sigma.Lo).Cmp(least) > 0 {
					t.Errorf("%s W, β = %g: σ is at least %g, which it is not at a sensitivity of %g", kind, beta, r.sigma.Lo, shortest)
				}
				truth := func(sigma float64) *big.Float {
					return new(big.Float).Mul(new(big.Float).Mul(as, length), number(sigma))
				}
				lo, hi := number(r.sigma.Lo), number(r.sigma.Hi)
				if lo.Cmp(truth(unit.Hi)) > 0 || hi.Cmp(truth(unit.Lo)) < 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], which is %g", kind, beta, r.sigma.Lo, r.sigma.Hi, truth(unit.Hi))
				}
				if wide := new(big.Float).Sub(hi, lo); wide.Cmp(new(big.Float).Add(new(big.Float).Mul(hi, number(1e-13)), number(8*5e-324*(1+unit.Hi)))) > 0 {
					t.Errorf("%s W, β = %g: σ in [%g, %g], which is wide", kind, beta, r.sigma.Lo, r.sigma.Hi)
				}
			}
		}
	}
}

// What is drawn has the upper end's deviation, and so has whatever is said about it: what the lower end is changes nothing.
func TestNoiseHasTheUpperDeviation(t *testing.T) {
	ctx := t.Context()
	u, v := []float64{0.5, -0.25, 1}, []float64{0.25, 0.5, 1}
	said := func(w *Projection, lo float64) string {
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
		if zero, all := said(w, 0), said(w, 0.7); zero != all {
			t.Errorf("%s W: %s where σ is from 0 to 0.7, %s where it is 0.7", kind, zero, all)
		}
	}
}

// Signs of numbers with noise have no more δ than the numbers, nor than their ε at δ = 0 allows: the upper end is that of
// whichever is less, and either is somewhere.
func TestSignsHaveNoMoreThanTheirNumbers(t *testing.T) {
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
					if name == "public" { // which leaves it at that
						alone = 1
					}
					if upper(got) != min(post, alone) {
						t.Errorf("%s W, β = %g, %s at ε = %g: δ up to %v, want the less of %v and %v", w.kind, beta, name, e, upper(got), post, alone)
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
			t.Errorf("%s: the numbers' δ is less %d times, that of ε alone %d times", name, n[0], n[1])
		}
	}
}

// The noise of A is made for the largest μ that is private for certain.
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

// The sign of one number with noise loses at ε = 0 what the number does where the two means
// are of one size and different signs: 2Φ(t/σ) − 1 from −t to t. Every reading holds it, and none goes far beyond.
func TestSignOfOneNumberAtNoEpsilon(t *testing.T) {
	ctx := t.Context()
	w := must(NewProjection(Rademacher, 1, 1, ProjectionOptions{Seed: 3}))
	for n := range 8 {
		beta := float64(n*n+1) / 32 // t is half of it, and no reading rounds
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
