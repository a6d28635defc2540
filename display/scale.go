package display

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/evidence"
)

// Scale tells how values map to colours or positions.
type Scale int

const (
	// ScaleAuto is logarithmic if a positive centre is given and every value is positive, so that a ratio and its
	// inverse are equally far from 1. Otherwise it is linear.
	ScaleAuto Scale = iota
	ScaleLinear
	ScaleLog
)

// colorScale maps values to colours. The axis spans the values and the centre, and is shown by the colour bar. A
// diverging scale gives equal intensity to values equally far from the centre, however far each side extends; so
// the bar may end in a paler colour on one side.
type colorScale struct {
	axis
	diverging bool
	center    float64
	reach     float64 // the largest warped distance from the centre; diverging only
	colors    *colorMap
}

// newColorScale returns a scale for the values lo…hi. If the scale is logarithmic, the values and the centre must be
// positive.
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

// Number formats v with the given number of significant digits, or with as few
// as determine v where digits < 1. It drops trailing zeros, writes "inf",
// "-inf" and "nan", and turns to scientific notation ("1.5e-7") below 1e-4 and
// from the larger of 1e6 and 10^digits (1e15 for digits < 1) on. Below that bound the integer part is
// never rounded: Number(1044.4, 3) is "1044".
func Number(v float64, digits int) string {
	return number(evidence.Rounded(v, evidence.Neither), digits)
}

// Evidence formats evidence as Number formats a float64, rounded to its safe side. An enclosure that has no safe side,
// and whose ends have no digit in common, is formatted by its ends: "[0.49, 0.51]".
func Evidence(n evidence.Number, digits int) string { return evidence.Print(n, digits, number) }

func number(v evidence.Decimal, digits int) string {
	digits = min(digits, 17)
	precision := digits - 1
	if digits < 1 {
		precision = -1
	}
	// The exponent is read after rounding: 9.9996 to four digits is 10.
	scientific := v.Text('e', precision)
	mantissa, exponent, finite := strings.Cut(scientific, "e")
	if !finite {
		return strings.ToLower(strings.TrimPrefix(scientific, "+"))
	}
	exp, _ := strconv.Atoi(exponent)
	largest := max(6, digits)
	if digits < 1 {
		largest = 15
	}
	switch {
	case strings.Trim(mantissa, "-0.") == "":
		return "0"
	case exp < -4 || exp >= largest:
		return trimZeros(mantissa) + "e" + strconv.Itoa(exp)
	case digits < 1:
		return v.Text('f', -1)
	}
	return trimZeros(v.Text('f', max(0, digits-1-exp)))
}

// trimZeros drops the zeros that end a decimal fraction.
func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
