package ehmc_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/internal/must"
)

// An autoregressive chain x' = ρx + noise has τ = (1 + ρ)/(1 − ρ).
func TestDiagnose(t *testing.T) {
	const rho = .8
	var chains [][]float64
	for c := range uint64(4) {
		rng := rand.New(rand.NewPCG(c, 1))
		x := make([]float64, 40000)
		v := rng.NormFloat64() / math.Sqrt(1-rho*rho)
		for i := range x {
			v = rho*v + rng.NormFloat64()
			x[i] = v
		}
		chains = append(chains, x)
	}
	d := must.Be(ehmc.Diagnose(chains))
	if want := (1 + rho) / (1 - rho); math.Abs(d.Tau/want-1) > .1 {
		t.Errorf("τ = %g, want %g ± 10 %% (about 5 standard errors)", d.Tau, want)
	}
	if math.Abs(d.RHat-1) > .01 {
		t.Errorf("R̂ = %g for chains of one law", d.RHat)
	}
	for i := range chains[0] {
		chains[0][i] += 5
	}
	if d, _ = ehmc.Diagnose(chains); d.RHat < 1.2 {
		t.Errorf("a shifted chain has R̂ = %g", d.RHat)
	}
}

// chainOfFour returns the law of an attractive chain of four bits.
func chainOfFour() *ehmc.Dense {
	return must.Be(ehmc.NewDense([][]float64{{-1, .9, 0, 0}, {.9, -1, .9, 0}, {0, .9, -1, .9}, {0, 0, .9, -1}}))
}

// The expected values for these short chains were computed in rational arithmetic by another program. A chain of odd
// length drops its middle draw. The autocorrelation sum stops at the first pair that is not positive, and pairs never
// increase.
func TestDiagnoseShortChains(t *testing.T) {
	for _, c := range []struct {
		chains               [][]float64
		mean, tau, size, hat float64
	}{
		{[][]float64{{1, 2, 3, 5}}, 2.75, 2.0, 2.0, 1.7320508075688772},
		{[][]float64{{1, 2, 3, 5}, {2, 2, 4, 1}}, 2.5, 0.7966397701969122, 10.042180040826448, 1.0801234497346435},
		{[][]float64{{0, 1, 2, 3, 10, 12, 13, 14}}, 6.875, 6.730392156862745, 1.188638018936635, 5.095452518043551},
		{[][]float64{{0, 1, 2, 10, 12, 13}}, 6.333333333333333, 2.9415708812260535, 2.039726473461413, 5.89915248150105},
		{[][]float64{{0, 1, 0, 1, 2, 30, 31, 30, 31, 33}}, 15.9, 6.984766907419567, 1.4316870029517381, 20.380471936725026},
		{[][]float64{{1, 5, 1, 6, 2, 7, 9}, {3, 1, 4, 1, 5, 9, 2}}, 4.083333333333333, 0.744921859773347, 16.109072169866472, 1.0406982029961502},
		{[][]float64{{0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1, 0, 0, 1, 2, 3, 4, 3, 2}}, 1.65, 2.6056808688387636, 7.6755370310997115, 0.9504715810665221},
		{[][]float64{{0, 1, 3, 2, 4, 6, 5, 7, 7, 6, 8, 9, 8, 10, 12, 11, 12, 14, 13, 15, 15, 16, 14, 13}, {4, 4, 5, 5, 6, 7, 9, 8, 7, 6, 7, 8, 6, 5, 4, 4, 3, 2, 1, 1, 2, 3, 2, 1}}, 6.6875, 18.16295183237332, 2.64274223942199, 2.2},
		{[][]float64{{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}}, 0.0, 0.6160483210529383, 51.94397729273281, 0.9354143466934853},
		{[][]float64{{5, 1, 4, 4, 3, 0, 2, 6, 6, 7, 1, 2, 0, 1, 9, 9, 8, 9, 7, 5, 6, 4, 4, 5, 0, 1, 1, 0, 2, 2, 3, 7}}, 3.875, 1.8548717948717948, 17.25186618744816, 0.9701132362356938},
	} {
		d := must.Be(ehmc.Diagnose(c.chains))
		for i, pair := range [4][2]float64{{d.Mean, c.mean}, {d.Tau, c.tau}, {d.EffectiveSize, c.size}, {d.RHat, c.hat}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12*(1+math.Abs(pair[1])) {
				t.Errorf("%v: %+v, statistic %d: want %v", c.chains, d, i, pair[1])
			}
		}
	}
}

// Constant chains have R̂ = 1 if all are equal, +Inf otherwise, and a single effective draw.
func TestDiagnoseConstantChains(t *testing.T) {
	flat := func(v float64) []float64 { return []float64{v, v, v, v, v, v} }
	for _, c := range []struct {
		chains [][]float64
		rhat   float64
	}{
		{[][]float64{flat(2), flat(2)}, 1},
		{[][]float64{flat(2), flat(3)}, math.Inf(1)},
		{[][]float64{{0, 0, 0, 1, 1, 1}}, math.Inf(1)}, // its halves differ
	} {
		d := must.Be(ehmc.Diagnose(c.chains))
		all := float64(6 * len(c.chains)) // draws after the first carry no information
		if d.RHat != c.rhat || d.Tau != all || d.EffectiveSize != 1 {
			t.Errorf("%v: %+v, want R̂ = %v, τ = %v and one effective draw", c.chains, d, c.rhat, all)
		}
	}
}
