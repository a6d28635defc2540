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
	Y    []float64 // NaN leaves a gap

	// Lower and Upper, given together, bound Y: a certified enclosure or a
	// confidence interval, drawn as a band. NaN leaves a gap.
	Lower, Upper []float64

	Markers bool // a mark at each point
	NoLine  bool // marks alone, for scattered points
}

// LineSpec describes a line plot.
type LineSpec struct {
	Title, XLabel, YLabel string // units belong in the label text: "epsilon (nats)"
	X                     []float64
	Series                []Series
	LogX, LogY            bool
	Equal                 bool // a unit is as long on either axis, for shapes; not with a logarithm
}

// LinePlot is a set of curves in one frame.
type LinePlot struct {
	title, xlabel, ylabel string
	series                []Series
	x, y                  axis
	equal                 bool
}

// NewLinePlot returns a line plot. It returns an error wrapping evidence.ErrParameter,
// naming the series, where there is no series, lengths differ, x is not finite,
// a value is infinite, a series is NaN everywhere, a band lacks a side or has
// Lower > Upper, or a logarithmic axis meets a value that is not positive or one that shall be
// equal to the other.
func NewLinePlot(s LineSpec) (*LinePlot, error) {
	if len(s.Series) == 0 {
		return nil, parameter.Errorf("series is empty, want at least one")
	}
	if s.Equal && (s.LogX || s.LogY) {
		return nil, parameter.Errorf("equal axes are linear, want no logarithm")
	}
	p := &LinePlot{title: clean(s.Title), xlabel: clean(s.XLabel), ylabel: clean(s.YLabel), equal: s.Equal}
	xlo, xhi := math.Inf(1), math.Inf(-1)
	ylo, yhi := xlo, xhi
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
		for i, x := range c.X {
			xlo, xhi = min(xlo, x), max(xhi, x)
			for _, y := range c.at(i) {
				if !math.IsNaN(y) {
					ylo, yhi = min(ylo, y), max(yhi, y)
				}
			}
		}
	}
	p.x, p.y = newAxis(xlo, xhi, s.LogX, 0.02), newAxis(ylo, yhi, s.LogY, 0.05)
	if s.Equal { // over a square, equal lengths are equal units
		half := max(p.x.hi/2-p.x.lo/2, p.y.hi/2-p.y.lo/2)
		p.x, p.y = p.x.around(half), p.y.around(half)
	}
	return p, nil
}

// at returns the value and the bounds at point i.
func (c *Series) at(i int) []float64 {
	if c.Lower == nil {
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
		return parameter.Errorf("%s: x has %d values and y %d, want as many", name, len(c.X), len(c.Y))
	}
	if (c.Lower == nil) != (c.Upper == nil) {
		return parameter.Errorf("%s: lower and upper bounds come together or not at all", name)
	}
	if c.Lower != nil && (len(c.Lower) != len(c.Y) || len(c.Upper) != len(c.Y)) {
		return parameter.Errorf("%s: lower has %d values, upper %d and y %d, want as many", name, len(c.Lower), len(c.Upper), len(c.Y))
	}
	for i, x := range c.X {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return parameter.Errorf("%s: x[%d] = %s, want a finite number", name, i, Number(x, 0))
		}
		if logX && !(x > 0) {
			return parameter.Errorf("%s: x[%d] = %s, want a positive number on a logarithmic axis", name, i, Number(x, 0))
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
			if logY && v <= 0 {
				return parameter.Errorf("%s: %s[%d] = %s, want a positive number on a logarithmic axis, or nan for a gap", name, side.name, i, Number(v, 0))
			}
			some = some || !math.IsNaN(v)
		}
	}
	if !some {
		return parameter.Errorf("%s: y has no number, only nan", name)
	}
	for i := range c.Lower {
		if c.Lower[i] > c.Upper[i] {
			return parameter.Errorf("%s: lower[%d] = %s exceeds upper[%d] = %s", name, i, Number(c.Lower[i], 0), i, Number(c.Upper[i], 0))
		}
	}
	return nil
}

// runs returns the half-open ranges of points between gaps of the given values.
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
