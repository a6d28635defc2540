package study

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"

	"github.com/c-bata/goptuna"
	"pgregory.net/rapid"
)

// Invalid ranges are rejected, and ranges at the limits are accepted.
func TestRanges(t *testing.T) {
	const most = 1 << 53
	float := func(lo, hi float64, log bool) error { _, err := floatRange("x", lo, hi, log); return err }
	whole := func(lo, hi int) error { _, err := intRange("x", lo, hi); return err }
	choice := func(labels ...string) error { _, err := choices("x", labels); return err }
	for i, err := range []error{
		float(1, 0, false), float(math.NaN(), 0, false), float(0, math.NaN(), false), float(math.Inf(-1), 0, false), float(0, math.Inf(1), false),
		float(-math.MaxFloat64, math.MaxFloat64, false), float(0, 1, true), float(-1, 1, true), float(2, 1, true), float(1, math.Inf(1), true),
		whole(1, 0), whole(-most-1, 0), whole(0, most+1), choice(), choice("a", "b", "a"),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("range %d: %v", i, err)
		}
	}
	for i, err := range []error{
		float(1, 1, false), float(-1, 1, false), float(1, 1, true), float(math.SmallestNonzeroFloat64, math.MaxFloat64, true), float(0, math.MaxFloat64, false),
		whole(0, 0), whole(-most, most), choice("a"), choice("a", "b"),
	} {
		if err != nil {
			t.Errorf("range %d: %v", i, err)
		}
	}
}

// toUnit inverts fromUnit, for a discrete range up to half of a value's part of [0, 1]. Every coordinate gives a value
// of the range, and holds rejects values outside.
func TestValuesAndCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo, wide := rapid.IntRange(-50, 50).Draw(t, "lo"), rapid.IntRange(0, 40).Draw(t, "width")
		a, b := float64(lo), float64(lo+wide)
		labels := make([]string, wide+1)
		for i := range labels {
			labels[i] = strconv.Itoa(i)
		}
		for _, d := range []any{
			goptuna.UniformDistribution{Low: a, High: b}, goptuna.LogUniformDistribution{Low: math.Exp(a / 10), High: math.Exp(b / 10)},
			goptuna.IntUniformDistribution{Low: lo, High: lo + wide}, goptuna.CategoricalDistribution{Choices: labels},
		} {
			u := rapid.Float64Range(0, 1).Draw(t, "u")
			v := fromUnit(d, u)
			back := toUnit(d, v)
			if !holds(d, v) || !(back >= 0 && back <= 1) {
				t.Fatalf("%#v: coordinate %g gives %g, whose coordinate is %g", d, u, v, back)
			}
			if n := width(d); n > 0 && (v != math.Trunc(v) || math.Abs(back-u) > 0.5/n+1e-12) || n == 0 && wide > 0 && math.Abs(back-u) > 1e-9 {
				t.Fatalf("%#v: coordinate %g comes back as %g", d, u, back)
			}
			first, last := fromUnit(d, -1), fromUnit(d, 2)
			if first != fromUnit(d, 0) || last != fromUnit(d, 1) || first > v || v > last {
				t.Fatalf("%#v: ends %g and %g around %g", d, first, last, v)
			}
			for _, outside := range []float64{first - 1, last + 1, math.NaN()} {
				if holds(d, outside) {
					t.Fatalf("%#v holds %g", d, outside)
				}
			}
		}
	})
	for d, v := range map[any]float64{goptuna.UniformDistribution{Low: 2, High: 2}: 2, goptuna.LogUniformDistribution{Low: 2, High: 2}: 2} {
		if u := toUnit(d, v); u != 0.5 {
			t.Errorf("%#v: the only value has the coordinate %g, want the middle", d, u)
		}
	}
	if holds(7, 0) {
		t.Error("the non-range 7 contains a value")
	}
	for _, c := range []struct {
		d    any
		v    float64
		want bool
	}{
		{goptuna.LogUniformDistribution{Low: 0, High: 1}, 0.5, false},
		{goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 5, true}, {goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 0, false},
		{goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 6, false}, {goptuna.StepIntUniformDistribution{Low: 1, High: 5, Step: 2}, 1, true},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 1, true}, {goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 0, true},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, 1.5, false}, {goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0.5}, -1, false},
		{goptuna.DiscreteUniformDistribution{Low: 0, High: 1, Q: 0}, 1, false},
	} {
		if got := holds(c.d, c.v); got != c.want {
			t.Errorf("%#v holds %g: %t", c.d, c.v, got)
		}
	}
}
