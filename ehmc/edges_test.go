package ehmc_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func TestSamplersRefuseOtherLengths(t *testing.T) {
	q := randomLaw(t, 5, 1, false, rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 4, 5, 6} {
		makers := map[string]func() error{
			"gibbs": func() error { _, err := ehmc.NewGibbs(q, make([]bool, n), rand.NewPCG(1, 1)); return err },
			"gaussian": func() error {
				_, err := ehmc.NewGaussian(q, make([]bool, n), ehmc.GaussianOptions{Turns: 1}, rand.NewPCG(1, 1))
				return err
			},
		}
		for name, make := range makers {
			if err := make(); errors.Is(err, evidence.ErrParameter) != (n != 5) {
				t.Errorf("%s from %d bits of 5 gives %v", name, n, err)
			}
		}
	}
}

// counting counts its steps.
type counting struct {
	steps int
	state *ehmc.State
}

func (c *counting) Step() ehmc.Info    { c.steps++; return ehmc.Info{} }
func (c *counting) State() *ehmc.State { return c.state }

func TestRunKeepsEveryThinStep(t *testing.T) {
	q := randomLaw(t, 2, 1, false, rand.NewPCG(1, 1))
	for _, c := range []struct{ burn, n, thin int }{{0, 3, 1}, {7, 3, 4}, {2, 5, 0}, {2, 5, -3}, {4, 0, 9}} {
		s := &counting{state: must.Be(ehmc.NewRandomState(q, rand.NewPCG(1, 1)))}
		var at []int
		if err := ehmc.Run(context.Background(), s, c.burn, c.n, c.thin, func(x *ehmc.State) error {
			if x != s.state {
				t.Error("another state is visited than the sampler's")
			}
			at = append(at, s.steps)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(at) != c.n {
			t.Fatalf("%+v: %d states are kept", c, len(at))
		}
		for i, steps := range at {
			if want := c.burn + (i+1)*max(1, c.thin); steps != want {
				t.Errorf("%+v: state %d is kept after %d steps, want %d", c, i, steps, want)
			}
		}
		if len(at) == 0 && s.steps != c.burn {
			t.Errorf("%+v: %d steps", c, s.steps)
		}
	}
	s, enough := &counting{}, errors.New("enough")
	visits := 0
	err := ehmc.Run(context.Background(), s, 1, 10, 2, func(*ehmc.State) error {
		if visits++; visits == 3 {
			return enough
		}
		return nil
	})
	if err != enough || visits != 3 || s.steps != 7 {
		t.Errorf("visit's error at its third call gives %v after %d visits and %d steps, want it after 3 and 7", err, visits, s.steps)
	}
}

// Fair bits are the source's, each used once, the lowest first.
func TestRandomStateUsesEveryBitOnce(t *testing.T) {
	for _, d := range []int{1, 5, 63, 64, 65, 128, 130} {
		src := rand.NewPCG(uint64(d), 8)
		words := []uint64{src.Uint64(), src.Uint64(), src.Uint64()}
		next := src.Uint64()
		used := (d + 63) / 64
		if used < 3 {
			next = words[used]
		}
		again := rand.NewPCG(uint64(d), 8)
		s := must.Be(ehmc.NewRandomState(randomLaw(t, d, .1, false, rand.NewPCG(1, 1)), again))
		ones := 0
		for k, on := range s.Bits {
			if want := words[k/64]>>(k%64)&1 == 1; on != want {
				t.Fatalf("%d bits: bit %d is %v", d, k, on)
			}
			if on {
				ones++
			}
		}
		if got := again.Uint64(); got != next || s.Ones() != ones {
			t.Errorf("%d bits: %d ones, want %d, and %d words are to be used", d, s.Ones(), ones, used)
		}
	}
}

// Chains that do not move have nothing to compare but where they stand.
func TestDiagnoseOfConstantChains(t *testing.T) {
	flat := func(v float64) []float64 { return []float64{v, v, v, v, v, v} }
	for _, c := range []struct {
		chains [][]float64
		rhat   float64
	}{
		{[][]float64{flat(2), flat(2)}, 1},
		{[][]float64{flat(2), flat(3)}, math.Inf(1)},
		{[][]float64{{0, 0, 0, 1, 1, 1}}, math.Inf(1)}, // its halves stand apart
	} {
		d, err := ehmc.Diagnose(c.chains)
		if err != nil {
			t.Fatal(err)
		}
		all := float64(6 * len(c.chains)) // no draw beyond the first tells anything
		if d.RHat != c.rhat || d.Tau != all || d.EffectiveSize != 1 {
			t.Errorf("%v: %+v, want R̂ = %v, τ = %v and one effective draw", c.chains, d, c.rhat, all)
		}
	}
}

// Two states, all draws in one: the distance is ½, the noise √(¼/n), McDiarmid's
// radius √(1/n)/2 + √(ln(1/α)/2n).
func TestTotalVariationInClosedForm(t *testing.T) {
	for _, n := range []int{1, 2, 10, 400, 1e6} {
		const alpha = 1e-3
		draws := float64(n)
		d, err := ehmc.TotalVariation([]float64{.5, .5}, []int{n, 0}, alpha)
		if err != nil {
			t.Fatal(err)
		}
		noise, radius := .5/math.Sqrt(draws), .5/math.Sqrt(draws)+math.Sqrt(math.Log(1/alpha)/2/draws)
		want := [3]float64{math.Max(0, .5-noise), math.Max(0, .5-radius), math.Min(1, .5+radius)}
		for i, got := range [3]float64{d.Sampler.Value, d.Sampler.Lo, d.Sampler.Hi} {
			if math.Abs(got-want[i]) > 1e-11 {
				t.Errorf("%d draws: %+v, want value and ends %v", n, d, want)
			}
		}
		if d.Plain != .5 || math.Abs(d.Noise-noise) > 1e-12 || d.Sampler.Draws != n || d.Sampler.Confidence > 1-alpha || d.Sampler.Confidence < 1-alpha-1e-15 {
			t.Errorf("%d draws: %+v", n, d)
		}
	}
}

// The confidence of a distance is at most what it is asked for, in rationals, and hardly less.
func TestConfidenceIsNotRoundedUp(t *testing.T) {
	for _, alpha := range []float64{.5, .1, 1e-3, 1e-6, 3e-9, 1e-17, 1 - 0x1p-53} {
		d, err := ehmc.TotalVariation([]float64{.5, .5}, []int{3, 4}, alpha)
		if err != nil {
			t.Fatal(err)
		}
		gap := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFloat64(alpha))
		gap.Sub(gap, new(big.Rat).SetFloat64(d.Sampler.Confidence))
		if v, _ := gap.Float64(); gap.Sign() < 0 || v > 0x1p-52 {
			t.Errorf("α = %g: the confidence is %v, off by %g", alpha, d.Sampler.Confidence, v)
		}
	}
}
