package continuous_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/privacy"
)

// Profile, moments and mass match midpoint sums of the density, at all shifts in V. The largest δ at ε is the
// requested one. The midpoint rule errs by less than 1e-5, since cells end where the density or its slope jumps.
func TestTruncatedLaplaceByItsDensity(t *testing.T) {
	type noise struct{ eps, delta, width float64 }
	for _, c := range cases.Of([]noise{{1, 0.01, 2}}, []noise{{1, 0.01, 2}, {0.3, 0.5, 1}, {2, 0.25, 1}}) {
		q := queryOf(t, "0", fmt.Sprint(c.width))
		m := must.For(continuous.NewTruncatedLaplace(q, evidencetest.Epsilon(c.eps), evidencetest.Delta(c.delta)))(t)
		reach := c.width / c.eps * math.Log1p(math.Expm1(c.eps)/(2*c.delta)) // Geng and others
		encloses(t, "truncation", m.Truncation(), reach)
		peak := must.For(m.Density(new(big.Rat)))(t).Float()
		density := func(r float64) float64 {
			if math.Abs(r) > reach {
				return 0
			}
			return peak * math.Exp(-math.Abs(r)*c.eps/c.width)
		}
		for _, r := range []float64{reach * 0.9, -reach * 1.1} {
			if got := must.For(m.Density(new(big.Rat).SetFloat64(r)))(t).Float(); math.Abs(got-density(r)) > 1e-12 {
				t.Errorf("%s: density(%v) = %v, want %v", m.Name(), r, got, density(r))
			}
		}
		integral := func(shift float64, f func(r float64) float64) (sum float64) {
			ends := []float64{-reach, shift - reach, 0, shift, reach, shift + reach}
			slices.Sort(ends)
			for i, b := range ends[1:] {
				step := (b - ends[i]) / 4000
				for k := range 4000 {
					sum += f(ends[i]+(float64(k)+0.5)*step) * step
				}
			}
			return sum
		}
		near := func(what string, got evidence.Number, want float64) {
			if lo, hi := got.Bounds(); !(lo-1e-5 < want && want < hi+1e-5) {
				t.Errorf("%s: %s %v, want %v", m.Name(), what, got, want)
			}
		}
		near("mass", evidence.Exact{Value: big.NewRat(1, 1)}, integral(0, density))
		near("E|noise|", m.Distortion(), integral(0, func(r float64) float64 { return math.Abs(r) * density(r) }))
		near("E noise²", m.SecondMoment(), integral(0, func(r float64) float64 { return r * r * density(r) }))
		account := must.For(privacy.Of(t.Context(), m))(t)
		pairs := must.For(must.For(m.Pairs(t.Context()))(t).Pair(t.Context(), 0))(t)
		for _, at := range []float64{c.eps / 3, c.eps, c.eps + 1} {
			worst := 0.0
			for _, shift := range []float64{c.width / 3, c.width} {
				worst = max(worst, integral(shift, func(r float64) float64 { return max(density(r)-math.Exp(at)*density(r-shift), 0) }))
			}
			got := must.For(account.Delta(t.Context(), evidencetest.Epsilon(at)))(t)
			near(fmt.Sprintf("δ(%v)", at), got, worst)
			bound := must.For(pairs.Delta(t.Context(), evidencetest.Epsilon(at)))(t)
			if lo, _ := got.Bounds(); bound.Enclosure.Mid() < lo*(1-1e-12) || bound.Enclosure.Mid() > lo+1e-5 {
				t.Errorf("%s: the pair has δ(%v) = %v, want %v", m.Name(), at, bound.Enclosure, got)
			}
		}
		if lo, hi := must.For(m.Privacy().Delta(t.Context(), evidencetest.Epsilon(c.eps)))(t).Bounds(); !(lo <= c.delta && c.delta <= hi && hi-lo <= 1e-15) {
			t.Errorf("%s: δ(ε) is in [%v, %v]", m.Name(), lo, hi)
		}
		for delta, want := range map[float64]float64{c.delta: c.eps, c.delta * 0.999: math.Inf(1)} {
			if got := must.For(m.Privacy().Epsilon(t.Context(), evidencetest.Delta(delta)))(t).Float(); got != want {
				t.Errorf("%s: ε(%v) = %v, want %v", m.Name(), delta, got, want)
			}
		}
		const n = 1 << 14
		for k, draws := range [][]float64{must.For(m.Noise(n, rand.NewPCG(1, 2)))(t), must.For(continuous.Release(t.Context(), m, new(big.Rat), n, nil, rand.NewPCG(3, 4)))(t)} {
			law, uniform, counts := make([]float64, 20), make([]float64, 20), make([]int, 20)
			for k := range 2000 {
				law[k/100] += density(reach*(float64(k)+0.5)/1000-reach) * reach / 1000
				uniform[k/100] += 1. / 2000
			}
			for _, r := range draws {
				counts[min(int((r/reach+1)*10), 19)]++
			}
			stattest.Tells(t, fmt.Sprint(m.Name(), []string{" simulated", " released"}[k]), counts, law, uniform, 1e-9)
		}
	}
	// Two uses have the infinity mass 1 − (1 − δ)².
	m := must.For(continuous.NewTruncatedLaplace(queryOf(t, "1", "1"), evidencetest.LogEpsilon(3, 1), evidencetest.Delta(0.1)))(t)
	two := must.For(must.For(privacy.Of(t.Context(), m))(t).Compose(2))(t)
	if lo, hi := must.For(two.Delta(t.Context(), evidencetest.Epsilon(3)))(t).Bounds(); !(lo <= 0.19 && 0.19 <= hi && hi-lo < 1e-9) {
		t.Errorf("two uses: δ(3) is in [%v, %v], want 0.19", lo, hi)
	}
	for _, delta := range []float64{0, 0.51} {
		if _, err := continuous.NewTruncatedLaplace(queryOf(t, "1", "1"), evidencetest.LogEpsilon(3, 1), evidencetest.Delta(delta)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("δ = %v: %v", delta, err)
		}
	}
}
