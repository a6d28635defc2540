package display

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

// Series is one curve.
type Series struct {
	Name string
	X    []float64 // nil: the X of the specification
	Y    []float64 // NaN is a gap, and so is 0 on a logarithmic axis

	// Lower and Upper, given together, bound Y: a certified enclosure or a
	// confidence interval, drawn as a band. NaN leaves a gap. A lower end of 0 on a
	// logarithmic axis reaches its foot.
	Lower, Upper []float64

	Markers bool // a mark at each point
	NoLine  bool // marks only, for scatter plots
}

// LineSpec describes a line plot.
type LineSpec struct {
	Title, XLabel, YLabel string // units belong in the label text: "epsilon (nats)"
	X                     []float64
	Series                []Series
	LogX, LogY            bool
	Equal                 bool // a unit has the same length on both axes, for shapes; not with a logarithmic axis

	// XLimits and YLimits, if given, are the ends of the axes; anything beyond is clipped. Without YLimits the y
	// axis spans the values within XLimits.
	XLimits, YLimits *[2]float64

	Width, Height float64 // page size in points (1/72 inch); 0 is the default size
}

// LinePlot is a set of curves in one frame.
type LinePlot struct {
	picture
	title, xlabel, ylabel string
	series                []Series
	x, y                  axis
	equal                 bool
	width, height         float64 // 0 means the default size
}

// NewLinePlot returns a line plot. It returns an error wrapping evidence.ErrParameter, naming the series, if there is
// no series, lengths differ, x is not finite, a value is infinite, or a series is NaN everywhere. A band needs both
// sides with Lower ≤ Upper. A logarithmic axis must not have a negative value or only zeros, or be equal to the other
// axis. Limits must ascend, and be positive on a logarithmic axis. A page must be at least 108 points wide and high,
// and at most 7200 long.
func NewLinePlot(s LineSpec) (*LinePlot, error) {
	if len(s.Series) == 0 {
		return nil, parameter.Errorf("series is empty, want at least one")
	}
	if s.Equal && (s.LogX || s.LogY) {
		return nil, parameter.Errorf("equal axes are linear, want no logarithmic axis with them")
	}
	if err := s.checkFrame(); err != nil {
		return nil, err
	}
	p := &LinePlot{title: clean(s.Title), xlabel: clean(s.XLabel), ylabel: clean(s.YLabel), equal: s.Equal, width: s.Width, height: s.Height}
	p.picture = picture{p}
	for k, in := range s.Series {
		c := Series{
			Name: clean(in.Name), X: slices.Clone(in.X), Y: slices.Clone(in.Y),
			Lower: slices.Clone(in.Lower), Upper: slices.Clone(in.Upper),
			Markers: in.Markers || in.NoLine, NoLine: in.NoLine,
		}
		name := fmt.Sprintf("series[%d]", k)
		if c.Name != "" {
			name += fmt.Sprintf(" (%s)", c.Name)
		}
		if c.X == nil {
			c.X = slices.Clone(s.X)
		}
		if err := c.check(name, s.LogX, s.LogY); err != nil {
			return nil, err
		}
		p.series = append(p.series, c)
	}
	xlo, xhi, ylo, yhi := p.span(s.LogY, s.XLimits)
	if !(ylo <= yhi) { // no values are within the limits
		xlo, xhi, ylo, yhi = p.span(s.LogY, nil)
	}
	if !(ylo <= yhi) {
		return nil, parameter.Errorf("series: no point has two positive numbers, want one on logarithmic axes")
	}
	p.x, p.y = newAxis(xlo, xhi, s.LogX, 0.02).limited(s.XLimits), newAxis(ylo, yhi, s.LogY, 0.05).limited(s.YLimits)
	for k := range p.series {
		for i, lower := range p.series[k].Lower {
			if s.LogY && lower == 0 {
				p.series[k].Lower[i] = p.y.lo
			}
		}
	}
	if s.Equal { // the axes span a square, so equal ranges give equal units
		half := max(p.x.hi/2-p.x.lo/2, p.y.hi/2-p.y.lo/2)
		p.x, p.y = p.x.around(half), p.y.around(half)
	}
	return p, nil
}

// checkFrame checks limits and size.
func (s *LineSpec) checkFrame() error {
	for _, l := range []struct {
		name   string
		limits *[2]float64
		log    bool
	}{{"xlim", s.XLimits, s.LogX}, {"ylim", s.YLimits, s.LogY}} {
		switch {
		case l.limits == nil:
		case s.Equal:
			return parameter.Errorf("equal axes take their range from the curves, want no %s", l.name)
		case !(l.limits[0] < l.limits[1]) || math.IsInf(l.limits[0], 0) || math.IsInf(l.limits[1], 0) || narrow(l.limits[0], l.limits[1], l.log):
			return parameter.Errorf("%s = (%s, %s), want two finite numbers, the smaller one first", l.name, Number(l.limits[0], 0), Number(l.limits[1], 0))
		case l.log && !(l.limits[0] > 0):
			return parameter.Errorf("%s = (%s, %s), want positive numbers on a logarithmic axis", l.name, Number(l.limits[0], 0), Number(l.limits[1], 0))
		}
	}
	return checkSize(s.Width, s.Height)
}

// checkSize checks the page size: 1.5 to 100 inches, or 0 for the default.
func checkSize(width, height float64) error {
	const least, most = 108, 7200
	for _, length := range []float64{width, height} {
		if length != 0 && !(length >= least && length <= most) {
			return parameter.Errorf("size = %s points by %s, want from %d to %d in each direction", Number(width, 0), Number(height, 0), least, most)
		}
	}
	return nil
}

// span returns the ranges of x and y over the points whose x is within limits, if these are given. On a logarithmic
// axis only positive values count.
func (l *LinePlot) span(logY bool, limits *[2]float64) (xlo, xhi, ylo, yhi float64) {
	xlo, xhi = math.Inf(1), math.Inf(-1)
	ylo, yhi = xlo, xhi
	for _, c := range l.series {
		for i, x := range c.X {
			if math.IsNaN(x) || limits != nil && !(x >= limits[0] && x <= limits[1]) {
				continue
			}
			xlo, xhi = min(xlo, x), max(xhi, x)
			for _, y := range c.at(i) {
				if !math.IsNaN(y) && !(logY && y == 0) {
					ylo, yhi = min(ylo, y), max(yhi, y)
				}
			}
		}
	}
	return xlo, xhi, ylo, yhi
}

// banded reports whether a series has bounds. A series has either both bounds or none.
func (c *Series) banded() bool { return c.Lower != nil }

// at returns the value and the bounds at point i.
func (c *Series) at(i int) []float64 {
	if !c.banded() {
		return c.Y[i : i+1]
	}
	return []float64{c.Y[i], c.Lower[i], c.Upper[i]}
}

func (c *Series) check(name string, logX, logY bool) error {
	if len(c.Y) == 0 {
		return parameter.Errorf("%s: y is empty, want at least one point", name)
	}
	if c.X == nil {
		c.X = make([]float64, len(c.Y))
		for i := range c.X {
			c.X[i] = float64(i)
		}
	}
	if len(c.X) != len(c.Y) {
		return parameter.Errorf("%s: x has %d values and y %d, want the same number", name, len(c.X), len(c.Y))
	}
	if (c.Lower == nil) != (c.Upper == nil) {
		return parameter.Errorf("%s: only one of lower and upper is given, want both or neither", name)
	}
	if c.banded() && (len(c.Lower) != len(c.Y) || len(c.Upper) != len(c.Y)) {
		return parameter.Errorf("%s: lower has %d values, upper %d and y %d, want the same number", name, len(c.Lower), len(c.Upper), len(c.Y))
	}
	for i, x := range c.X {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return parameter.Errorf("%s: x[%d] = %s, want a finite number", name, i, Number(x, 0))
		}
		if logX && x < 0 {
			return parameter.Errorf("%s: x[%d] = %s, want a positive number on a logarithmic axis, or 0 for a gap", name, i, Number(x, 0))
		}
	}
	some := false
	for _, side := range []struct {
		name   string
		values []float64
	}{{"y", c.Y}, {"lower", c.Lower}, {"upper", c.Upper}} {
		for i, v := range side.values {
			if math.IsInf(v, 0) {
				return parameter.Errorf("%s: %s[%d] = %s, want a finite number, or nan for a gap", name, side.name, i, Number(v, 0))
			}
			if logY && v < 0 {
				return parameter.Errorf("%s: %s[%d] = %s, want a positive number on a logarithmic axis, or 0 or nan for a gap", name, side.name, i, Number(v, 0))
			}
			some = some || !math.IsNaN(v)
		}
	}
	if !some {
		return parameter.Errorf("%s: every entry of y is nan, want at least one number", name)
	}
	for i := range c.Lower {
		if c.Lower[i] > c.Upper[i] {
			return parameter.Errorf("%s: lower[%d] = %s exceeds upper[%d] = %s", name, i, Number(c.Lower[i], 0), i, Number(c.Upper[i], 0))
		}
	}
	c.leaveGaps(logX, logY)
	return nil
}

// leaveGaps turns values that a logarithmic axis cannot show into gaps.
func (c *Series) leaveGaps(logX, logY bool) {
	for i := range c.X {
		if logX && c.X[i] == 0 {
			c.X[i], c.Y[i] = math.NaN(), math.NaN()
			if c.banded() {
				c.Lower[i], c.Upper[i] = math.NaN(), math.NaN()
			}
		}
		if logY && c.Y[i] == 0 {
			c.Y[i] = math.NaN()
		}
		if logY && c.banded() && c.Upper[i] == 0 {
			c.Lower[i], c.Upper[i] = math.NaN(), math.NaN()
		}
	}
}

// runs returns the half-open ranges of indices between gaps in any of the given lists.
func runs(values ...[]float64) [][2]int {
	var out [][2]int
	n := len(values[0])
	for i := 0; i < n; i++ {
		start := i
		for i < n && !slices.ContainsFunc(values, func(v []float64) bool { return math.IsNaN(v[i]) }) {
			i++
		}
		if i > start {
			out = append(out, [2]int{start, i})
		}
	}
	return out
}
