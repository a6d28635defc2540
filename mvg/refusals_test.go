package mvg_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Every method and function rejects zero values of its arguments.
func TestZeroValuesAreRefused(t *testing.T) {
	check := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s gives %v, want ErrParameter", what, err)
		}
	}
	unit := must.Be(mvg.NewIsotropic(1, 1))
	recipe := mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-5)}
	for what, s := range map[string]mvg.Sensitivity{
		"no set": nil, "an empty ball": mvg.Ball{}, "an empty box": mvg.Box{}, "an empty Gram matrix": mvg.Gram{}, "an empty list": mvg.Differences{},
	} {
		_, err := mvg.NewDesign(ctx, s, unit, unit)
		check(what, err)
		_, err = mvg.NewDesign(ctx, s, mvg.Covariance{}, mvg.Covariance{})
		check(what, err)
		_, err = mvg.NewTight(ctx, s, recipe)
		check(what, err)
		_, err = mvg.NewClaim(ctx, s, mvg.Theorem2, mvg.ZetaRoot, recipe)
		check(what, err)
		_, err = mvg.Optimal(ctx, s, mvg.Goal{}, recipe)
		check(what, err)
	}
	ball := must.Be(mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 1}))
	two, three := must.Be(mvg.NewIsotropic(2, 1)), must.Be(mvg.NewIsotropic(3, 1))
	_, err := mvg.NewDesign(ctx, ball, mvg.Covariance{}, three)
	check("no Σ", err)
	_, err = mvg.NewTight(ctx, ball, mvg.Params{Delta: evidencetest.Delta(1e-5)})
	check("no ε", err)
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Delta: evidencetest.Delta(1e-5)})
	check("no ε", err)
	d := must.Be(mvg.NewDesign(ctx, ball, two, three))
	for _, shape := range [][2]int{{3, 2}, {2, 2}, {1, 1}} {
		check("noise of another shape", d.Noise(mat.NewDense(shape[0], shape[1], nil), rand.NewPCG(1, 1)))
		_, err := d.Simulate(mat.NewDense(shape[0], shape[1], nil), rand.NewPCG(1, 1))
		check("an answer of another shape", err)
	}
	check("noise of no shape", d.Noise(new(mat.Dense), rand.NewPCG(1, 1)))
	_, err = d.PNR(new(mat.Dense))
	check("no signal", err)
	_, err = mvg.NewDense(new(mat.Dense))
	check("an empty covariance", err)
	_, err = mvg.NewDirectional(nil, nil)
	check("no variances", err)
	_, err = mvg.NewDifferences(nil)
	check("no differences", err)
	_, err = mvg.NewDifferences([]*mat.Dense{nil})
	check("a difference that is nil", err)
	_, err = mvg.NewDifferences([]*mat.Dense{new(mat.Dense)})
	check("an empty difference", err)
	_, err = mvg.SimulateLaplace(mat.NewDense(1, 1, nil), 0, rand.NewPCG(1, 1))
	check("a scale of 0", err)
	_, err = mvg.ClassicSigma(evidence.Epsilon{}, evidencetest.Delta(0.1), big.NewRat(1, 1))
	check("no ε", err)
	_, _, _, err = mvg.NearestKronecker(new(mat.Dense), 0, 0)
	check("no K", err)
	_, err = mvg.FillKronecker(ctx, mvg.KroneckerProblem{}, rand.NewPCG(1, 1))
	check("no problem", err)
	_, err = mvg.Published(mvg.Premises{})
	check("no premises", err)
	_, err = d.Privacy().Epsilon(ctx, evidencetest.Delta(1e-308))
	check("a δ out of range", err)
	// These methods of zero values must not panic.
	var c mvg.Covariance
	_, _, _, _, _ = c.Order(), c.Variances(), c.Trace(), c.Directions(), c.IsIsotropic()
	_, _, _ = c.DrawError(), c.Matrix(), c.Precision()
	for _, s := range []mvg.Sensitivity{mvg.Ball{}, mvg.Box{}, mvg.Gram{}, mvg.Differences{}} {
		s.Shape()
		s.Frobenius()
		s.Gamma()
		_ = s.Describe()
	}
}

// ε is infinite at δ = 0. δ at ε = 0 is the total variation distance 2Φ(μ/2) − 1.
func TestPrivacyCurveEndpoints(t *testing.T) {
	ball := must.Be(mvg.NewBall(1, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
	unit := must.Be(mvg.NewIsotropic(1, 1))
	d := must.Be(mvg.NewDesign(ctx, ball, unit, unit))
	e := must.Be(d.Privacy().Epsilon(ctx, evidence.Delta{}))
	if lo, hi := e.Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("ε(0) = %v", e)
	}
	tv := must.Be(d.Privacy().Delta(ctx, evidence.Epsilon{}))
	const want = 0.38292492254802620728 // erf(1/(2√2))
	if lo, hi := tv.Bounds(); !(lo <= want && want <= hi && hi-lo < 1e-15) {
		t.Errorf("δ(0) = %v, want %v", tv, want)
	}
}

func TestBadInput(t *testing.T) {
	ball := must.Be(mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 2}))
	check := func(what string, err error, words ...string) {
		t.Helper()
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s gives %v, want ErrParameter", what, err)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s gives %q, want it to say %q", what, err, w)
			}
		}
	}
	_, err := mvg.NewDense(mat.NewDense(2, 2, []float64{1, 2, 2, 1}))
	check("an indefinite covariance", err, "eigenvalue is -1")
	_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 2, 0, 1}))
	check("an asymmetric covariance", err, "not symmetric")
	_, err = mvg.NewDense(mat.NewDense(2, 2, []float64{1, 0, 0, -1}))
	check("a negative variance", err, "the smallest eigenvalue is -1")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Theta: []float64{0.5, 0.6}})
	check("θ", err, "sums to 1.1")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Directions: mat.NewDense(2, 2, []float64{1, 1, 0, 1})})
	check("skew directions", err, "orthonormal", "1.73")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one})
	check("δ", err, "delta")
	_, err = mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 0.4})
	check("γ < s2/2", err, "gamma = 0.4")
	_, err = mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 2, PSD: true})
	check("a 2×3 positive semi-definite query", err, "square")
	two := must.Be(mvg.NewIsotropic(2, 1))
	_, err = mvg.NewDesign(ctx, ball, two, two)
	check("Ψ of order 2", err, "order 2")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem3, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)})
	check("Theorem 3", err, "equi-modal")
	_, err = mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Mode: mvg.Equimodal})
	check("equi-modal 2×3", err, "square")
	_, err = mvg.NewDifferences(nil)
	check("no differences", err)
	_, err = mvg.Waterfill([]float64{1, -1}, 1, mvg.L1)
	check("a negative eigenvalue", err)
}

// The smallest ε of Laplace noise is s/b. Both must be positive.
func TestLaplacePrivacy(t *testing.T) {
	if v, err := mvg.LaplacePrivacy(big.NewRat(3, 7), big.NewRat(2, 5)); err != nil || evidence.Rational(v) != "15/14" {
		t.Errorf("ε = %v, error %v", v, err)
	}
	for _, bad := range []*big.Rat{new(big.Rat), big.NewRat(-1, 3)} {
		if v, err := mvg.LaplacePrivacy(bad, big.NewRat(1, 1)); v != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "sensitivity = "+bad.RatString()+", want a positive number") {
			t.Errorf("sensitivity %v: %v, error %v", bad, v, err)
		}
		if v, err := mvg.LaplacePrivacy(big.NewRat(1, 1), bad); v != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "scale = "+bad.RatString()+", want a positive number") {
			t.Errorf("scale %v: %v, error %v", bad, v, err)
		}
	}
}

// An invalid rank-one mechanism has no grid and refuses to release.
func TestGridOfInvalidRankOne(t *testing.T) {
	for _, r := range []mvg.RankOne{{}, {Dimension: 3}, {Variance: 1}, {Dimension: 3, Variance: math.Inf(1)}, {Dimension: 3, Variance: math.NaN()}, {Dimension: -1, Variance: 1}} {
		if g := r.Grid(); g != nil {
			t.Errorf("%+v has grid %v", r, g)
		}
		if _, err := r.Release(context.Background(), mat.NewDense(1, 3, nil), nil, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v releases: %v, want ErrParameter", r, err)
		}
	}
}

// Proof returns the certificate of the design's sensitivity if one was kept.
func TestProofsOfDesigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(143, 2))
	sigma, psi := mvg.DrawCovariance(t, 3, 1, rng), mvg.DrawCovariance(t, 3, 1, rng)
	crossed := must.Be(mvg.NewDesign(t.Context(), must.Be(mvg.NewGram(3, 1.5, query.Replace, .5)), sigma, psi))
	if p, err := crossed.Proof(); p != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, "no certificate if its covariances differ") {
		t.Errorf("two covariances: %v, error %v", p, err)
	}
	widths := make([]float64, 20+2) // above 2²⁰ vertices the package only bounds the maximum
	for i := range widths {
		widths[i] = 1 + rng.Float64()
	}
	box := must.Be(mvg.NewBox(1, widths))
	d := must.Be(mvg.NewDesign(t.Context(), box, mvg.DrawCovariance(t, len(widths), 1, rng), must.Be(mvg.NewIsotropic(1, 1))))
	p, err := d.Proof()
	if err != nil || len(p.Signs) != len(widths) || len(p.Dominating) != len(widths) {
		t.Fatalf("proof %+v, error %v", p, err)
	}
	for i, s := range p.Signs {
		if s != 1 && s != -1 || p.Dominating[i].Sign() <= 0 {
			t.Errorf("row %d has sign %d and dominating entry %v", i, s, p.Dominating[i])
		}
	}
}
