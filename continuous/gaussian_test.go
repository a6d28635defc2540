package continuous_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// The profile equals that of two normal laws at distance Δ/σ, computed by erfc. Moments and densities are those of N(0,
// σ²). Several uses compose to one with the sum of (Δ/σ)².
func TestGaussianProfile(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		ends  []string
		sigma string
		mu    float64
	}{{[]string{"1", "1"}, "2", 0.5}, {[]string{"1", "1", "3", "3"}, "3/2", 2}, {[]string{"0", "1/3"}, "1/7", 7.0 / 3}} {
		sigma := fractionOf(t, c.sigma)
		s, _ := sigma.Float64()
		m := must.For(continuous.NewGaussian(queryOf(t, c.ends...), sigma))(t)
		for _, eps := range []float64{0.01, 1, 3} {
			upper := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
			want := upper(eps/c.mu-c.mu/2) - math.Exp(eps)*upper(eps/c.mu+c.mu/2)
			d := must.For(m.Privacy().Delta(ctx, evidencetest.Epsilon(eps)))(t)
			if math.Abs(d.Float()-want) > 1e-13 {
				t.Errorf("σ = %s: δ(%g) = %v, want %g", c.sigma, eps, d, want)
			}
			back := must.For(m.Privacy().Epsilon(ctx, evidencetest.Delta(d.Float())))(t)
			if math.Abs(back.Float()-eps) > 1e-9*eps {
				t.Errorf("σ = %s: ε at δ(%g) is %v", c.sigma, eps, back)
			}
			encloses(t, "density", must.For(m.Density(new(big.Rat).SetFloat64(eps)))(t), math.Exp(-eps*eps/2/s/s)/s/math.Sqrt(2*math.Pi))
		}
		encloses(t, "E|noise|", m.Distortion(), s*math.Sqrt(2/math.Pi))
		encloses(t, "E noise²", m.SecondMoment(), s*s)
		uses := must.For(privacy.Compose(ctx, []*privacy.Account{must.For(privacy.Of(ctx, m))(t)}, []int{9}))(t)
		encloses(t, "ρ of nine uses", must.For(uses.ZCDP(ctx))(t), 9*c.mu*c.mu/2)
		if e := must.For(m.Privacy().Epsilon(ctx, evidence.Delta{}))(t); !math.IsInf(e.Float(), 1) || !math.IsInf(m.ClaimedEpsilon().Float(), 1) {
			t.Errorf("the smallest ε is %v, claimed %v", e, m.ClaimedEpsilon())
		}
	}
}

// The analytic σ satisfies δ, and a σ smaller by a relative 1e-14 does not. Sensitivities that are not float64s are
// included.
func TestAnalyticGaussianIsLeast(t *testing.T) {
	ctx, eps := t.Context(), evidencetest.Epsilon(0.7)
	for _, sensitivity := range []string{"1", "1/3", "1e-9"} {
		q := must.For(continuous.NewSensitivity(fractionOf(t, sensitivity)))(t)
		m := must.For(continuous.NewAnalyticGaussian(q, eps, evidencetest.Delta(1e-6)))(t)
		sigma := m.Sigma().(evidence.Exact).Value
		less := must.For(continuous.NewGaussian(q, new(big.Rat).Mul(sigma, fractionOf(t, "0.99999999999999"))))(t)
		most := must.For(m.Privacy().Delta(ctx, eps))(t)
		over := must.For(less.Privacy().Delta(ctx, eps))(t)
		if lo, _ := most.Bounds(); lo > 1e-6 {
			t.Errorf("Δ = %s: δ is %v", sensitivity, most)
		}
		if lo, _ := over.Bounds(); lo <= 1e-6 {
			t.Errorf("Δ = %s: δ of less noise is %v", sensitivity, over)
		}
	}
}

// Gaussian noise for a known sensitivity shares its dominating pairs with other mechanisms of that sensitivity. Noise
// for a query shares them only with mechanisms for the same neighboring set. Both can be subsampled.
func TestGaussianSharesPairs(t *testing.T) {
	ctx, two := t.Context(), big.NewRat(2, 1)
	account := func(m privacy.Private, err error) *privacy.Account {
		return must.For(privacy.Of(ctx, must.For(m, err)(t)))(t)
	}
	known := must.For(continuous.NewSensitivity(big.NewRat(1, 1)))(t)
	laplace := account(continuous.NewLaplace(queryOf(t, "1", "1"), evidencetest.Epsilon(0.5)))
	for name, c := range map[string]struct {
		of    *continuous.Linear
		bound bool
	}{"sensitivity": {known, false}, "same query": {queryOf(t, "1", "1"), false}, "other query": {queryOf(t, "1", "1", "2", "2"), true}} {
		a := account(continuous.NewGaussian(c.of, two))
		if all := must.For(privacy.Compose(ctx, []*privacy.Account{a, laplace}, []int{2, 1}))(t); all.IsBound() != c.bound {
			t.Errorf("%s: bound is %v", name, all.IsBound())
		}
		for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
			sampled := must.For(privacy.Subsample(ctx, a, big.NewRat(1, 100), kind))(t)
			mu, _ := new(big.Rat).Quo(c.of.Sensitivity().Value, two).Float64()
			normal := privacy.New(privacy.NormalPairs("normal", "test", interval.Float(mu)))
			x, y := must.For(sampled.Delta(ctx, evidencetest.Epsilon(0.1)))(t), must.For(must.For(privacy.Subsample(ctx, normal, big.NewRat(1, 100), kind))(t).Delta(ctx, evidencetest.Epsilon(0.1)))(t)
			if x.Float() != y.Float() {
				t.Errorf("%s, %s: δ = %v, want that of normal laws, %v", name, kind, x, y)
			}
		}
	}
}

func TestGaussianRefusals(t *testing.T) {
	q := queryOf(t, "1", "1")
	for name, err := range map[string]error{
		"σ = 0":      errorOf(continuous.NewGaussian(q, new(big.Rat))),
		"σ < 0":      errorOf(continuous.NewGaussian(q, big.NewRat(-1, 1))),
		"σ < 1e-150": errorOf(continuous.NewGaussian(q, fractionOf(t, "1e-151"))),
		"σ > 1e150":  errorOf(continuous.NewGaussian(q, fractionOf(t, "1e151"))),
		"no float":   errorOf(continuous.NewGaussian(queryOf(t, "1e-400", "1e-400"), fractionOf(t, "1e-400"))),
		"δ = 0":      errorOf(continuous.NewAnalyticGaussian(q, evidencetest.Epsilon(1), evidence.Delta{})),
		"Δ = 0":      errorOf(continuous.NewSensitivity(new(big.Rat))),
		"layers":     errorOf(must.For(continuous.NewGaussian(q, big.NewRat(1, 1)))(t).Layers(t.Context(), 3)),
		"−1 draws":   errorOf(must.For(continuous.NewGaussian(q, big.NewRat(1, 1)))(t).Noise(-1, nil)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }

// This composes 500 uses each of Gaussian noise, Laplace noise, and Gaussian noise on sampled records, whose two
// directions are separate. NumPy prototypes of the accountant enclose ε at 10⁻⁶ by [6.460280, 6.460514]. With a
// different query the pairs may not coincide, so ε is only an upper bound.
func TestNoiseSharesPairsOfSampledRecords(t *testing.T) {
	ctx := t.Context()
	account := func(m privacy.Private, err error) *privacy.Account {
		return must.For(privacy.Of(ctx, must.For(m, err)(t)))(t)
	}
	gaussian := func(sigma int64) *privacy.Account {
		return account(continuous.NewGaussian(must.For(continuous.NewSensitivity(big.NewRat(1, 1)))(t), big.NewRat(sigma, 1)))
	}
	sampled := must.For(privacy.Subsample(ctx, gaussian(1), big.NewRat(1, 100), privacy.Poisson))(t)
	laplace := account(continuous.NewLaplace(queryOf(t, "1", "1"), evidencetest.Epsilon(0.05)))
	other := account(continuous.NewLaplace(queryOf(t, "1", "2"), evidencetest.Epsilon(0.05)))
	for _, c := range []struct {
		parts []*privacy.Account
		times []int
		bound bool
	}{
		{[]*privacy.Account{laplace, gaussian(40), sampled}, []int{500, 500, 500}, false},
		{[]*privacy.Account{must.For(privacy.Compose(ctx, []*privacy.Account{laplace, sampled}, []int{250, 500}))(t), gaussian(40), other}, []int{1, 500, 250}, true},
	} {
		all := must.For(privacy.Compose(ctx, c.parts, c.times))(t)
		lo, hi := must.For(all.Epsilon(ctx, evidencetest.Delta(1e-6)))(t).Bounds()
		if all.IsBound() != c.bound || hi < 6.460280 || hi > 6.4612 || !c.bound && (lo > 6.460514 || lo < 6.4597) || c.bound && lo > 5 || all.Relation() != query.AddRemove {
			t.Errorf("%s: ε in [%g, %g], a bound: %t, for neighbors of %q", all.Name(), lo, hi, all.IsBound(), all.Relation())
		}
	}
}
