package display

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

// HeatSpec describes one heat map.
type HeatSpec struct {
	Title, XLabel, YLabel string // units belong in the label text: "epsilon (nats)"
	ValueLabel            string // meaning of the colours, beside the colour bar

	// Values holds one row per y and one column per x. NaN means no value, and
	// is drawn striped.
	Values [][]float64

	// X and Y are the centres of the columns and rows, strictly monotone. Nil
	// means 0, 1, 2, …; larger values lie to the right and up.
	X, Y       []float64
	LogX, LogY bool

	// Center, if given, has the neutral colour of a diverging scale.
	Center *float64
	Scale  Scale

	Width, Height float64 // of the page in points; 0 means the default size
}

// GridSpec describes several heat maps on one colour scale. The panels' own
// ValueLabel, Center and Scale are not used.
type GridSpec struct {
	Title      string
	Panels     []HeatSpec // row by row
	Columns    int        // panels a row; 0 means 2, or 1 for a single panel
	ValueLabel string
	Center     *float64
	Scale      Scale

	Width, Height float64 // of the page in points; 0 means the default size
}

// HeatMap is one heat map, or a grid of them on one colour scale.
type HeatMap struct {
	picture
	title      string
	panels     []*panel
	columns    int
	valueLabel string
	scale      *colorScale
	gaps       bool // some cell has no value

	width, height float64 // 0 means the default size
}

// panel is one matrix in its frame. xs and ys are edges of cells, ascending;
// rows of values ascend with y.
type panel struct {
	title, xlabel, ylabel string
	x, y                  axis
	xs, ys                []float64 // edges in warped coordinates, scaled to [0, 1]
	values                [][]float64
}

// NewHeatMap returns a heat map. It returns an error wrapping evidence.ErrParameter if the matrix is empty, ragged,
// infinite somewhere or NaN everywhere. Coordinates must match it and be strictly monotone, and values on a
// logarithmic scale must be positive. A page must be at least 108 points wide and high, and at most 7200 long.
func NewHeatMap(s HeatSpec) (*HeatMap, error) {
	return newHeatMap(GridSpec{
		Panels: []HeatSpec{s}, Columns: 1,
		ValueLabel: s.ValueLabel, Center: s.Center, Scale: s.Scale, Width: s.Width, Height: s.Height,
	}, func(int) string { return "" })
}

// NewGrid returns a grid of heat maps on one colour scale. Errors are those of NewHeatMap, with the name of the
// panel.
func NewGrid(s GridSpec) (*HeatMap, error) {
	return newHeatMap(s, func(k int) string { return fmt.Sprintf("panels[%d].", k) })
}

func newHeatMap(s GridSpec, where func(panel int) string) (*HeatMap, error) {
	if len(s.Panels) == 0 {
		return nil, parameter.Errorf("panels is empty, want at least one")
	}
	if s.Columns < 0 {
		return nil, parameter.Bad("columns", s.Columns, "at least 1, or 0 for the default")
	}
	if err := checkSize(s.Width, s.Height); err != nil {
		return nil, err
	}
	h := &HeatMap{title: clean(s.Title), valueLabel: clean(s.ValueLabel), columns: s.Columns, width: s.Width, height: s.Height}
	h.picture = picture{h}
	if h.columns == 0 {
		h.columns = 2
	}
	h.columns = min(h.columns, len(s.Panels))
	lo, hi := math.Inf(1), math.Inf(-1)
	for k, spec := range s.Panels {
		p, err := newPanel(spec, where(k))
		if err != nil {
			return nil, err
		}
		for _, row := range p.values {
			for _, v := range row {
				if math.IsNaN(v) {
					h.gaps = true
					continue
				}
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		h.panels = append(h.panels, p)
	}
	log, err := chooseLog(s, lo, hi)
	if err != nil {
		return nil, err
	}
	h.scale = newColorScale(lo, hi, s.Center, log)
	return h, nil
}

// headings returns the overall title, and whether each panel has a title of its own below it; a single heat map
// does not.
func (h *HeatMap) headings() (title string, each bool) {
	if len(h.panels) == 1 && h.title == "" {
		return h.panels[0].title, false
	}
	return h.title, true
}

// chooseLog reports whether colours follow the logarithm of the values, which span lo…hi.
func chooseLog(s GridSpec, lo, hi float64) (bool, error) {
	if lo > hi {
		return false, parameter.Errorf("every entry of values is nan, want at least one number")
	}
	if c := s.Center; c != nil && (math.IsNaN(*c) || math.IsInf(*c, 0)) {
		return false, parameter.Errorf("center = %s, want a finite number", Number(*c, 0))
	}
	switch s.Scale {
	case ScaleAuto:
		return s.Center != nil && *s.Center > 0 && lo > 0, nil
	case ScaleLinear:
		return false, nil
	case ScaleLog:
		if lo <= 0 {
			return false, parameter.Errorf("values holds %s, want only positive values on a logarithmic scale", Number(lo, 0))
		}
		if s.Center != nil && !(*s.Center > 0) {
			return false, parameter.Errorf("center = %s, want a positive number on a logarithmic scale", Number(*s.Center, 0))
		}
		return true, nil
	}
	return false, parameter.Bad("scale", s.Scale, "ScaleAuto, ScaleLinear or ScaleLog")
}

func newPanel(s HeatSpec, where string) (*panel, error) {
	if len(s.Values) == 0 || len(s.Values[0]) == 0 {
		return nil, parameter.Errorf("%svalues is empty, want at least one row and one column", where)
	}
	columns := len(s.Values[0])
	p := &panel{title: clean(s.Title), xlabel: clean(s.XLabel), ylabel: clean(s.YLabel)}
	for i, row := range s.Values {
		if len(row) != columns {
			return nil, parameter.Errorf("%svalues[%d] has %d columns, want %d as in the first row", where, i, len(row), columns)
		}
		for j, v := range row {
			if math.IsInf(v, 0) {
				return nil, parameter.Errorf("%svalues[%d][%d] = %s, want a finite number, or nan for no value", where, i, j, Number(v, 0))
			}
		}
		p.values = append(p.values, slices.Clone(row))
	}
	var err error
	var turn bool
	if p.x, p.xs, turn, err = cells(s.X, columns, s.LogX, where+"x"); err != nil {
		return nil, err
	}
	if turn {
		for _, row := range p.values {
			slices.Reverse(row)
		}
	}
	if p.y, p.ys, turn, err = cells(s.Y, len(p.values), s.LogY, where+"y"); err != nil {
		return nil, err
	}
	if turn {
		slices.Reverse(p.values)
	}
	return p, nil
}

// cells returns the axis of n cells with the given centres, and the edges of the cells on it, ascending from 0 to
// 1. Edges are midway between centres, geometrically on a logarithmic axis. turn reports that the centres descend.
func cells(centers []float64, n int, log bool, name string) (a axis, edges []float64, turn bool, err error) {
	if centers == nil {
		centers = make([]float64, n)
		for i := range centers {
			centers[i] = float64(i)
		}
	}
	if len(centers) != n {
		return a, nil, false, parameter.Errorf("%s has %d coordinates, values has %d along it", name, len(centers), n)
	}
	c := slices.Clone(centers)
	turn = n > 1 && c[0] > c[1]
	if turn {
		slices.Reverse(c)
	}
	for i, v := range c {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return a, nil, false, parameter.Errorf("%s holds %s, want finite numbers", name, Number(v, 0))
		case i > 0 && !(v > c[i-1]):
			return a, nil, false, parameter.Errorf("%s holds %s beside %s, want coordinates that strictly rise or fall", name, Number(c[i-1], 0), Number(v, 0))
		case log && !(v > 0):
			return a, nil, false, parameter.Errorf("%s holds %s, want positive numbers on a logarithmic axis", name, Number(v, 0))
		}
	}
	a.log, a.centers = log, slices.Clone(c)
	for i, v := range c {
		c[i] = a.warp(v)
	}
	edges = make([]float64, n+1)
	for i := 1; i < n; i++ {
		edges[i] = c[i-1]/2 + c[i]/2
	}
	if n == 1 {
		edges[0], edges[1] = c[0]-0.5, c[0]+0.5
	} else {
		edges[0], edges[n] = c[0]-(edges[1]-c[0]), c[n-1]+(c[n-1]-edges[n-1])
	}
	lo, hi := edges[0], edges[n]
	if narrow(lo, hi, false) || math.IsInf(hi-lo, 0) {
		return a, nil, false, parameter.Errorf("%s spans %s to %s, which is too narrow or too wide to draw", name, Number(centers[0], 0), Number(centers[n-1], 0))
	}
	for i, e := range edges {
		edges[i] = (e - lo) / (hi - lo)
	}
	a.lo, a.hi = lo, hi
	if log {
		a.lo, a.hi = math.Exp(lo), math.Exp(hi)
	}
	return a, edges, turn, nil
}
