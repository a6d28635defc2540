package study

import (
	"math"
	"slices"
)

// Range is what a parameter may be.
type Range struct {
	Low, High float64  // of numbers
	Log       bool     // near coordinates mean near logarithms
	Whole     bool     // whole numbers
	Choices   []string // labels, in the order of their coordinates; nil of numbers
}

// At returns the coordinate of a number, or of the number of a choice, in [0, 1]: the
// middle of its share where the range is discrete.
func (r Range) At(v float64) float64 {
	switch {
	case r.Choices != nil:
		return (v + 0.5) / float64(len(r.Choices))
	case r.Whole:
		return (v - r.Low + 0.5) / (r.High - r.Low + 1)
	case r.Low == r.High:
		return 0.5
	case r.Log:
		return (math.Log(v) - math.Log(r.Low)) / (math.Log(r.High) - math.Log(r.Low))
	}
	return (v - r.Low) / (r.High - r.Low)
}

// Scale is the part of the values of trials that a picture shows, and how.
type Scale struct {
	Lo, Hi       float64 // of the values shown
	Log          bool
	Below, Above int // values beyond, which are drawn at the edge
}

// decades is from how large a ratio of values on a picture has a logarithmic axis.
const decades = 100

// NewScale returns the scale of the values of complete trials: logarithmic where all
// that is shown is positive and spans a factor of 100 or more. Values farther from the
// middle half of all than three times its width are left out, but never the best ones:
// one bad trial would make all others one line. log, if not nil, chooses the axis.
func NewScale(values []float64, maximize bool, log *bool) Scale {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return Scale{}
	}
	s := Scale{Lo: sorted[0], Hi: sorted[len(sorted)-1]}
	if log != nil {
		s.Log = *log && s.Lo > 0
	} else {
		s.Log = s.Lo > 0 && s.Hi/s.Lo >= decades
	}
	warp := func(v float64) float64 {
		if s.Log {
			return math.Log(v)
		}
		return v
	}
	const enough = 8 // below so many there is no middle half to speak of
	if len(sorted) >= enough {
		low, high := warp(sorted[len(sorted)/4]), warp(sorted[len(sorted)-1-len(sorted)/4])
		reach := 3 * (high/2 - low/2) * 2
		inside := slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool {
			if reach == 0 { // half of all are the same: nothing tells what is far
				return false
			}
			return !maximize && warp(v) > high+reach || maximize && warp(v) < low-reach
		})
		s.Lo, s.Hi = inside[0], inside[len(inside)-1]
		if log == nil { // what is shown may need no logarithm
			s.Log = s.Lo > 0 && s.Hi/s.Lo >= decades
		}
	}
	for _, v := range values {
		if v < s.Lo {
			s.Below++
		} else if v > s.Hi {
			s.Above++
		}
	}
	return s
}

// At returns where a value stands, 0 at the lower end and 1 at the upper one; ends where
// it is beyond, and the middle where all are the same.
func (s Scale) At(v float64) float64 {
	lo, hi := s.Lo, s.Hi
	if v = min(max(v, lo), hi); s.Log {
		lo, hi, v = math.Log(lo), math.Log(hi), math.Log(v)
	}
	if !(hi/2-lo/2 > 0) || math.IsInf(hi/2-lo/2, 0) {
		return 0.5
	}
	return (v/2 - lo/2) / (hi/2 - lo/2)
}

// Beyond returns the edge of the scale where a value lies beyond it, and NaN elsewhere.
func (s Scale) Beyond(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		if out[i] = math.NaN(); !s.Shows(v) {
			out[i] = min(max(v, s.Lo), s.Hi)
		}
	}
	return out
}

// Shows reports whether a value lies within the scale.
func (s Scale) Shows(v float64) bool { return v >= s.Lo && v <= s.Hi }
