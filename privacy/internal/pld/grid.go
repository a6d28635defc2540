package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// grid is the set of points offset + n·step.
type grid struct{ step, offset float64 }

func (g grid) at(n int64) float64 { return g.offset + float64(float64(n)*g.step) }

func (g grid) floor(l float64) int64 { return int64(math.Floor((l - g.offset) / g.step)) }

// fits reports whether losses from lo to hi fit the longest transform, so that their indices are exact.
func (g grid) fits(lo, hi float64) bool {
	return (hi-lo)/g.step < 1<<mostLevels && max(math.Abs(lo), math.Abs(hi))/g.step < 1<<50
}

// sum is a positive number v·e^ref.
type sum struct{ v, ref float64 }

func (s *sum) add(v, ref float64) {
	switch {
	case s.v == 0:
		s.v, s.ref = v, ref
	case ref-s.ref > 300:
		s.v, s.ref = v+s.v*elementary.Exp(s.ref-ref), ref
	default:
		s.v += v * elementary.Exp(ref-s.ref)
	}
}

func (s sum) log() float64 {
	if s.v <= 0 {
		return math.Inf(-1)
	}
	return s.ref + math.Log(s.v)
}

// logs returns the logarithms of sums that have a relative error of err, rounded up for side 1 and down for side −1.
func logs(sums []sum, err, side float64) []float64 {
	out := make([]float64, len(sums))
	for j, s := range sums {
		if out[j] = s.log(); s.v > 0 {
			out[j] += side * (err + 16*u*(math.Abs(out[j])+math.Abs(s.ref)+1))
		}
	}
	return out
}
