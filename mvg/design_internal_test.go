package mvg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// scaled accepts a design that meets the limit exactly. Optimal reports the precisions of the design that it returns.
func TestScaledAcceptsDesignAtLimit(t *testing.T) {
	o := of33columns()
	o.s, o.n = must.Be(NewBox(1, []float64{1, 0.5})), 1
	sigma := must.Be(NewDirectional([]float64{2, 3}, nil))
	d := must.Be(NewDesign(t.Context(), o.s, sigma, unitNoise(1)))
	o.mu = evidence.Certified{Lo: d.norm.hi, Hi: d.norm.hi}
	got, err := o.scaled(func(float64) (Covariance, Covariance, error) { return sigma, unitNoise(1), nil })
	if err != nil || got.norm.hi != d.norm.hi {
		t.Errorf("a design at the limit is rejected: error %v", err)
	}
	designs := 0
	for _, objective := range []Objective{LeastError, MostInformation} {
		eps := must.Be(evidence.NewEpsilon("eps", 1))
		out := must.Be(Optimal(t.Context(), o.s, Goal{objective, []float64{1e6, 7e6}}, Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Directions: symmetric.Eye(2)}))
		if out.Design == nil {
			continue // some directions are withheld
		}
		for i, v := range out.Design.Sigma().Variances() {
			if out.Precisions[i] != 1/v {
				t.Errorf("precision %d is reported as %v, the design has %v", i, out.Precisions[i], 1/v)
			}
		}
		designs++
	}
	if designs == 0 {
		t.Error("no optimum has a design, so precisions are unchecked")
	}
}

// A function that fails returns only zero values with its error. relaxation.spectrum returns nil if a sum overflows or
// underflows.
func TestErrorsReturnZeroValues(t *testing.T) {
	good := RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}
	for name, c := range map[string]rankOneCurve{
		"tolerance":   {good, 0},
		"dimension":   {RankOne{Dimension: 1, Sensitivity: 1, Variance: 1}, 0.1},
		"sensitivity": {RankOne{Dimension: 3, Sensitivity: -1, Variance: 1}, 0.1},
		"variance":    {RankOne{Dimension: 3, Sensitivity: 1, Variance: math.Inf(1)}, 0.1},
		"small":       {RankOne{Dimension: 3, Sensitivity: 1e-120, Variance: 1}, 0.1},
		"large":       {RankOne{Dimension: 3, Sensitivity: 1e120, Variance: 1}, 0.1},
	} {
		if v, err := c.shift(); v != 0 || err == nil {
			t.Errorf("%s: a shift of %v, error %v", name, v, err)
		}
		if v, err := c.Delta(t.Context(), evidence.Epsilon{}); v != nil || err == nil {
			t.Errorf("%s: δ = %v, error %v", name, v, err)
		}
		if v, err := c.Epsilon(t.Context(), evidencetest.Delta(0.1)); v != nil || err == nil {
			t.Errorf("%s: ε = %v, error %v", name, v, err)
		}
	}
	for name, c := range map[string]struct {
		k    mat.Matrix
		m, n int
	}{"order": {symmetric.Eye(3), 2, 2}, "not symmetric": {mat.NewDense(2, 2, []float64{1, 1, 0, 1}), 2, 1}, "zero": {mat.NewDense(2, 2, nil), 2, 1}, "trace": {mat.NewDense(2, 2, []float64{0, 1, 1, 0}), 2, 1}} {
		if psi, sigma, residual, err := NearestKronecker(c.k, c.m, c.n); psi != nil || sigma != nil || residual != 0 || err == nil {
			t.Errorf("%s: %v and %v, %v apart, error %v", name, psi, sigma, residual, err)
		}
	}
	for _, scale := range []float64{1e200, 1e-200, 1} {
		g := newRelaxation([]float64{1}, []*mat.Dense{mat.NewDense(1, 2, []float64{scale, 0}), mat.NewDense(1, 2, []float64{0, scale})})
		a, u := g.spectrum(0, []float64{1, 1})
		if scale == 1 != (a != nil) || (a == nil) != (u == nil) {
			t.Errorf("vectors of size %v have the spectrum %v", scale, a)
		}
	}
}

// Scaling compares the upper bound of the whitened sensitivity with the lower bound of μ. The gap between the two is
// rounding only, however wide the enclosure of the sensitivity.
func TestScaleIsConservative(t *testing.T) {
	b, sigma, _ := frustrated(t, 8)
	m, n := b.Shape()
	fits := func(what string, d *Design, mu float64) {
		t.Helper()
		if d.norm.hi > mu || d.norm.hi < mu*(1-1e-12) {
			t.Errorf("%s: whitened sensitivity up to %v, want just below %v", what, d.norm.hi, mu)
		}
	}
	w := sigma.Directions()
	for _, mu := range []float64{1, 0.3} {
		d := must.Be(Params{Directions: w}.scale(t.Context(), b, sigma.Variances(), mu))
		fits("given directions", d, mu)
		if d.norm.lo > 0.99*d.norm.hi {
			t.Errorf("sensitivity in [%v, %v], want a wide interval", d.norm.lo, d.norm.hi)
		}
		o := &optimizer{ctx: t.Context(), s: b, mu: evidence.Certified{Lo: mu, Hi: 2 * mu}}
		asked := 0
		d = must.Be(o.scaled(func(k float64) (Covariance, Covariance, error) {
			asked++
			scaled := mat.NewSymDense(m, nil)
			scaled.ScaleSym(k, sigma.Matrix())
			c, err := NewDense(scaled)
			return c, unitNoise(n), err
		}))
		fits("an optimum", d, mu)
		if asked > 4 {
			t.Errorf("%d scales are tried, want at most 4", asked)
		}
	}
	rng := rand.New(rand.NewPCG(303, 1))
	narrow := 0
	for range 60 {
		eps, delta := must.Be(evidence.NewEpsilon("eps", math.Exp(rng.NormFloat64()))), math.Exp(-1-10*rng.Float64())
		mu := must.Be(gaussian.Mu(eps, evidencetest.Delta(delta)))
		if mu.Lo < mu.Hi {
			narrow++
		}
		for mode := Unimodal; mode <= Equimodal; mode++ {
			fits("a ball", must.Be(NewTight(t.Context(), must.Be(NewBall(2, 2, BallOptions{S2: math.Exp(rng.NormFloat64()), Gamma: 1e3})), Params{Epsilon: eps, Delta: evidencetest.Delta(delta), Mode: mode})), mu.Lo)
		}
	}
	if narrow < 30 {
		t.Errorf("only %d of 60 μ are intervals of positive width", narrow)
	}
}

// If a variance overflows or underflows, the error names the smallest and the largest variance.
func TestVariancesBeyondFloat64(t *testing.T) {
	for _, c := range []struct {
		s2, mu   float64
		from, to string
	}{
		{1e79, 1, "the variances would be from 1", "e+158 to +Inf, want"},
		{7e-163, 1, "the variances would be from 0 to 4.9406", "e-174, want"},
	} {
		d, err := Params{}.scale(t.Context(), must.Be(NewBall(2, 1, BallOptions{S2: c.s2, Gamma: 1e90})), []float64{0.1, 1e150}, c.mu)
		if d != nil || !errors.Is(err, evidence.ErrParameter) || !ErrorContains(err, c.from) || !ErrorContains(err, c.to) {
			t.Errorf("s2 = %v: %v, error %v, want %s…%s", c.s2, d, err, c.from, c.to)
		}
	}
}
