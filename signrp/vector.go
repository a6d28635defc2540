package signrp

import (
	"math"

	"dpworkbench/internal/parameter"
)

// checkVector returns an error wrapping evidence.ErrParameter unless u has p
// entries, all in [−1, 1].
func checkVector(name string, u []float64, p int) error {
	if len(u) != p {
		return parameter.Errorf("%s has %d entries, want p = %d", name, len(u), p)
	}
	if allWithin(u) {
		return nil
	}
	for i, v := range u {
		if !(math.Abs(v) <= 1) {
			return parameter.Errorf("%s[%d] = %g, want a number in [-1, 1]", name, i, v)
		}
	}
	return nil
}

// allWithinGo is allWithin in Go. As integers, the bits of float64s without the sign have the order of the absolute
// values, and NaN is the largest. So the integer difference 1 − |v| has its top bit set if v is outside [−1, 1].
func allWithinGo(u []float64) bool {
	const one = 0x3FF0_0000_0000_0000
	outside := uint64(0)
	for _, v := range u {
		outside |= one - math.Float64bits(v)&^(1<<63)
	}
	return outside>>63 == 0
}

// Clip returns u with every entry clamped to [−1, 1]. It returns an error wrapping evidence.ErrParameter if an
// entry is NaN.
func Clip(name string, u []float64) ([]float64, error) {
	out := make([]float64, len(u))
	for i, v := range u {
		if math.IsNaN(v) {
			return nil, parameter.Errorf("%s[%d] = NaN, want a number", name, i)
		}
		out[i] = math.Max(-1, math.Min(1, v))
	}
	return out, nil
}
