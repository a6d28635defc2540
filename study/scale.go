package study

import (
	"math"
	"slices"
)

// Scale is the range of trial values that a chart shows, and the kind of its axis.
type Scale struct {
	Lo, Hi       float64 // range of the values shown
	Log          bool
	Below, Above int // numbers of values outside, which are drawn at the edge
}

// decades is the least ratio of the values shown for which the axis is logarithmic.
const decades = 100

// NewScale returns the axis scale for the values of complete trials. It is logarithmic if all displayed values are
// positive and span a factor of 100 or more. Values farther from the interquartile range than three times its width
// are left out, because one bad trial would compress all others. The best values are never left out.
func NewScale(values []float64, maximize bool) Scale {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return Scale{}
	}
	s := Scale{Lo: sorted[0], Hi: sorted[len(sorted)-1]}
	s.Log = s.Lo > 0 && s.Hi/s.Lo >= decades
	warp := func(v float64) float64 {
		if s.Log {
			return math.Log(v)
		}
		return v
	}
	const enough = 8 // with fewer values quartiles are not meaningful
	if len(sorted) >= enough {
		low, high := warp(sorted[len(sorted)/4]), warp(sorted[len(sorted)-1-len(sorted)/4])
		reach := 3 * (high/2 - low/2) * 2
		inside := slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool {
			if reach == 0 { // half of the values are equal, so the width gives no scale
				return false
			}
			return !maximize && warp(v) > high+reach || maximize && warp(v) < low-reach
		})
		s.Lo, s.Hi = inside[0], inside[len(inside)-1]
		s.Log = s.Lo > 0 && s.Hi/s.Lo >= decades // the displayed values may not need a logarithm
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

// Beyond returns the nearest edge of the scale for each value outside it, and NaN for the other values.
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
