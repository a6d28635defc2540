package gaussian_test

import (
	"dpworkbench/internal/must"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// What is refused is refused with its parameter, its value and its range, at either end of what is taken, by whoever is asked.
func TestRefusedParameters(t *testing.T) {
	one := epsilon(t, 1)
	small, large := math.Nextafter(1e-307, 0), math.Nextafter(1e153, math.Inf(1))
	d := must.For(gaussian.NewDiscrete(big.NewRat(4, 1)))(t)
	million := must.For(gaussian.NewDiscrete(big.NewRat(1e12, 1)))(t)
	for _, c := range []struct {
		do   func() (any, error)
		want string // nothing where it is taken
	}{
		{func() (any, error) { return gaussian.Delta(one, 0, 1) }, "sigma = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Delta(one, 1, -1) }, "sensitivity = -1, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), math.Inf(1), 1) }, "sigma = +Inf, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, math.NaN()) }, "sensitivity = NaN, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidence.Delta{}, 0, 1) }, "sigma = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(small), 1, 1) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, large) }, "sigma = 1, want at least the sensitivity 1.0000000000000002e+153 over 1e+153"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, 1e153) }, ""},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(1e-307), 1, 1) }, ""},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(small), interval.Int(1)) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Float(2e153)) }, "mu = 2e+153, the sensitivity in standard deviations of the noise, want at most 1e+153"},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Between(0, 2e153)) }, "mu = 2e+153, the sensitivity in standard deviations of the noise, want at most 1e+153"},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Float(1e153)) }, ""},
		{func() (any, error) { return gaussian.Mu(one, evidencetest.Delta(small)) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.Mu(epsilon(t, 1.1e20), evidencetest.Delta(0.1)) }, "eps = 1.1e+20, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.Mu(epsilon(t, 0.9e-300), evidencetest.Delta(0.1)) }, "eps = 9e-301, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.Mu(epsilon(t, 1e20), evidencetest.Delta(0.1)) }, ""},
		{func() (any, error) { return gaussian.Mu(epsilon(t, 1e-300), evidencetest.Delta(0.1)) }, ""},
		{func() (any, error) { return gaussian.Mu(one, evidencetest.Delta(1e-307)) }, ""},
		{func() (any, error) { return gaussian.Sigma(one, evidencetest.Delta(0.1), 0) }, "sensitivity = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Sigma(one, evidence.Delta{}, 1) }, "delta = 0, want 0 < delta < 1"},
		{func() (any, error) { return gaussian.FastMu(epsilon(t, 1e21), evidencetest.Delta(0.1)) }, "eps = 1e+21, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.NewDiscrete(big.NewRat(1, 1<<20)) }, ""},
		{func() (any, error) {
			return gaussian.NewDiscrete(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100)))
		}, ""},
		{func() (any, error) { return gaussian.NewDiscrete(big.NewRat(1, 1<<20+1)) }, "sigma² = 1/1048577, want 2^-20…2^100, in squared steps"},
		{func() (any, error) { return d.Masses(0, 1<<20+1) }, "n = 1048577, want 0…2^20"},
		{func() (any, error) { return d.Masses(0, -1) }, "n = -1, want 0…2^20"},
		{func() (any, error) { return d.Masses(1<<60+1, 1) }, "from = 1152921504606846977, want -2^60…2^60"},
		{func() (any, error) { return d.Masses(-1<<60-1, 1) }, "from = -1152921504606846977, want -2^60…2^60"},
		{func() (any, error) { return d.Masses(1<<60, 1) }, ""},
		{func() (any, error) { return d.Masses(-1<<60, 0) }, ""},
		{func() (any, error) { return d.Delta(one, 0) }, "shift = 0, want 1…1000·sigma"},
		{func() (any, error) { return d.Delta(one, 2001) }, "shift = 2001, want 1…1000·sigma"},
		{func() (any, error) { return d.Delta(one, 2000) }, ""},
		{func() (any, error) { return million.Delta(one, 1e9+1) }, "shift = 1000000001, want 1…1000·sigma"},
	} {
		v, err := c.do()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v, want it taken", err)
		case c.want != "" && (!errors.Is(err, evidence.ErrParameter) || err.Error() != c.want || !reflect.ValueOf(v).IsZero()):
			t.Errorf("%v, error %v, want %q", v, err, c.want)
		}
	}
}

// At δ = 0 the least ε is infinite but where there is no difference, at each end of an enclosure by itself.
func TestPureEpsilon(t *testing.T) {
	for _, c := range []struct {
		mu     interval.Interval
		lo, hi float64
	}{
		{interval.Int(0), 0, 0}, {interval.Float(1e-300), math.Inf(1), math.Inf(1)},
		{interval.Between(0, 1), 0, math.Inf(1)}, {interval.Between(-1, 0), 0, 0}, {interval.Between(-1, 1), 0, math.Inf(1)},
	} {
		if got, err := gaussian.EpsilonAt(evidence.Delta{}, c.mu); err != nil || got.Lo != c.lo || got.Hi != c.hi || got.Side != evidence.Up {
			t.Errorf("μ in %v: ε in [%v, %v], side %v, %v, want [%v, %v]", c.mu, got.Lo, got.Hi, got.Side, err, c.lo, c.hi)
		}
	}
	if got, err := gaussian.Epsilon(evidence.Delta{}, 2, 1); err != nil || !math.IsInf(got.Lo, 1) || !math.IsInf(got.Hi, 1) || got.Float() != got.Hi {
		t.Errorf("δ = 0: %v, %v, want infinity", got, err)
	}
}
