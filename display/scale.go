package display

import (
	"cmp"
	"math"
	"slices"
)

// Scale says how values are spread over colours or along an axis.
type Scale int

const (
	// ScaleAuto is logarithmic where a positive centre is given and every value
	// is positive, so that a ratio and its inverse lie equally far from 1, and
	// linear elsewhere.
	ScaleAuto Scale = iota
	ScaleLinear
	ScaleLog
)

// colorScale maps values to colours. The axis spans the values and the centre,
// and is what the colour bar shows. A diverging scale gives the same strength
// of colour to values equally far from the centre on either side, however far
// each side reaches; so the bar may end in a paler colour on one side.
type colorScale struct {
	axis
	diverging bool
	center    float64
	reach     float64 // the largest warped distance from the centre; diverging only
	colors    *colorMap
}

// newColorScale spans the values lo…hi. It trusts that the values, and the
// centre, are positive where the scale is logarithmic.
func newColorScale(lo, hi float64, center *float64, log bool) *colorScale {
	if center == nil {
		return &colorScale{axis: newAxis(lo, hi, log, 0), colors: sequentialMap()}
	}
	c := *center
	s := &colorScale{diverging: true, center: c, colors: divergingMap()}
	s.axis = newAxis(min(lo, c), max(hi, c), log, 0)
	s.reach = max(s.warp(s.hi)-s.warp(c), s.warp(c)-s.warp(s.lo))
	return s
}

// level returns the place of v in the colour map, in [0, levels-1] before
// rounding, or NaN.
func (s *colorScale) level(v float64) float64 {
	t := 0.0
	if s.diverging {
		t = 0.5 + 0.5*(s.warp(v)-s.warp(s.center))/s.reach
	} else {
		t = s.at(v)
	}
	if math.IsNaN(t) {
		return t
	}
	return min(max(t, 0), 1) * (levels - 1)
}

// barLevel returns the place in the colour map at the fraction t of the bar.
func (s *colorScale) barLevel(t float64) float64 {
	l, h := s.warp(s.lo), s.warp(s.hi)
	x := l + t*(h-l)
	if s.log {
		x = math.Exp(x)
	}
	return s.level(x)
}

// barTicks returns the ticks of a colour bar of the given length, ascending; see
// axis.fit for the units. The centre is always among them, then both ends, to
// three digits, then round values where there is room.
func (s *colorScale) barTicks(length, gap float64, most int, width func(string) float64) []tick {
	var out []tick
	add := func(t tick) {
		middle, half := s.at(t.value)*length, width(t.label)/2
		for _, o := range out {
			if math.Abs(s.at(o.value)*length-middle) < half+width(o.label)/2+gap {
				return
			}
		}
		out = append(out, t)
	}
	if s.diverging {
		add(tick{s.center, Number(s.center, 4)})
	}
	add(tick{s.lo, Number(s.lo, 3)})
	add(tick{s.hi, Number(s.hi, 3)})
	for _, t := range s.fit(length, gap, most, false, width) {
		add(t)
	}
	slices.SortFunc(out, func(a, b tick) int { return cmp.Compare(a.value, b.value) })
	return out
}
