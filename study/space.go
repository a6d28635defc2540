package study

import (
	"math"
	"slices"

	"dpworkbench/internal/parameter"

	"github.com/c-bata/goptuna"
)

// A sampler proposes coordinates in [0, 1], and the functions below map them to a parameter's range and back.
// goptuna's own samplers never reach the upper end of a range of integers, and its CMA-ES does not handle scales.

// floatRange returns the range [lo, hi] of a real parameter. If log is set, the coordinate is linear in the logarithm.
func floatRange(name string, lo, hi float64, log bool) (any, error) {
	if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return nil, parameter.Errorf("range of %q = [%g, %g], want finite numbers lo ≤ hi", name, lo, hi)
	}
	if !log {
		if math.IsInf(hi-lo, 0) {
			return nil, parameter.Errorf("range of %q = [%g, %g], want a finite width", name, lo, hi)
		}
		return goptuna.UniformDistribution{Low: lo, High: hi}, nil
	}
	if !(lo > 0) {
		return nil, parameter.Errorf("range of %q = [%g, %g], want a positive lo where log=True", name, lo, hi)
	}
	return goptuna.LogUniformDistribution{Low: lo, High: hi}, nil
}

// intRange returns the range lo … hi of an integer parameter.
func intRange(name string, lo, hi int) (any, error) {
	const most = 1 << 53
	if lo > hi || lo < -most || hi > most {
		return nil, parameter.Errorf("range of %q = %d … %d, want lo ≤ hi within ±2^53", name, lo, hi)
	}
	return goptuna.IntUniformDistribution{Low: lo, High: hi}, nil
}

// choices returns the range of a parameter that takes one of the labels.
func choices(name string, labels []string) (any, error) {
	if len(labels) == 0 {
		return nil, parameter.Errorf("choices of %q = [], want at least one", name)
	}
	for i, label := range labels {
		if slices.Contains(labels[:i], label) {
			return nil, parameter.Errorf("choices of %q hold %q twice", name, label)
		}
	}
	return goptuna.CategoricalDistribution{Choices: labels}, nil
}

// width returns the number of values of a discrete range, and 0 for a real range.
func width(distribution any) float64 {
	switch d := distribution.(type) {
	case goptuna.IntUniformDistribution:
		return float64(d.High) - float64(d.Low) + 1
	case goptuna.CategoricalDistribution:
		return float64(len(d.Choices))
	}
	return 0
}

// scaled reports whether close coordinates give close values.
func scaled(distribution any) bool {
	switch distribution.(type) {
	case goptuna.UniformDistribution, goptuna.LogUniformDistribution, goptuna.IntUniformDistribution:
		return true
	}
	return false
}

// fromUnit returns the internal value at coordinate u ∈ [0, 1].
func fromUnit(distribution any, u float64) float64 {
	u = min(max(u, 0), 1)
	switch d := distribution.(type) {
	case goptuna.UniformDistribution:
		return min(max(d.Low+float64(u*(d.High-d.Low)), d.Low), d.High)
	case goptuna.LogUniformDistribution:
		lo, hi := math.Log(d.Low), math.Log(d.High)
		return min(max(math.Exp(lo+float64(u*(hi-lo))), d.Low), d.High)
	case goptuna.IntUniformDistribution:
		return float64(d.Low) + min(math.Floor(u*width(d)), width(d)-1)
	}
	n := width(distribution)
	return max(0, min(math.Floor(u*n), n-1))
}

// toUnit returns the coordinate of an internal value. If the range is discrete, it is the midpoint of the value's
// part of [0, 1].
func toUnit(distribution any, v float64) float64 {
	switch d := distribution.(type) {
	case goptuna.UniformDistribution:
		if d.High == d.Low {
			return 0.5
		}
		return (v - d.Low) / (d.High - d.Low)
	case goptuna.LogUniformDistribution:
		if d.High == d.Low {
			return 0.5
		}
		return (math.Log(v) - math.Log(d.Low)) / (math.Log(d.High) - math.Log(d.Low))
	case goptuna.IntUniformDistribution:
		return (v - float64(d.Low) + 0.5) / width(d)
	}
	return (v + 0.5) / width(distribution)
}
