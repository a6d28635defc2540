package repl

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const (
	frameParams = `title: string="", xlabel: string="", ylabel: string=""`
	sizeHelp    = " size is the page size in inches, a pair (width, height) from 1.5 to 100, for example for a column of a paper; the font size stays the same. In titles, labels and names ^ and _ make superscripts and subscripts, as in 10^{-3} and σ_{max}. e^-x, ε_0 and P_max need no braces; an _ after a name of several letters stays."
	heatParams  = `x: numbers=None, y: numbers=None, ` + frameParams + `, center: finite=None, label: string=""`
	sizeParam   = `, size: size=None`
)

// figureBuiltins returns the built-ins that make pictures.
func figureBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`line_plot(series: series, *, x: gapped=None, `+frameParams+`, log: bool|"x"|"y"|"xy"=False, points: bool|strings=False, equal: bool=False, xlim: interval=None, ylim: interval=None, size: size=None) -> line_plot`,
			`Curves. series is a list of numbers, a list of such lists, or a dict from names to lists; a tuple (xs, ys) instead of a list has its own x. x is keyword-only and defaults to 0, 1, 2, …: line_plot([4, 5, 9], x=[1, 2, 3]). Evidence is drawn at its value, and estimates with their confidence band; None and nan leave a gap. log is "x", "y" or "xy" (True means "y"); on a logarithmic axis 0 leaves a gap, and a band that reaches 0 extends to the bottom. xlim and ylim are the limits of the axes, pairs (lo, hi); curves are clipped there. points names the series drawn as points without a line; True means all. equal=True gives both axes the same unit length, so circles are round in pictures (characters are only nearly square). Give units in the labels: xlabel="eps (nats)".`+sizeHelp,
			`line_plot({"e^-x": [math.exp(-x) for x in range(10)]}, title="Decay", log=True)`,
			func(c *script.Call) (any, error) {
				spec := display.LineSpec{Title: c.Text("title"), XLabel: c.Text("xlabel"), YLabel: c.Text("ylabel"), Equal: c.Bool("equal"), Series: c.Arg("series").([]display.Series)}
				spec.X, _ = c.Arg("x").([]float64)
				switch axes := c.Arg("log").(type) {
				case bool:
					spec.LogY = axes
				case string:
					spec.LogX, spec.LogY = axes != "y", axes != "x"
				}
				spec.XLimits, _ = c.Arg("xlim").(*[2]float64)
				spec.YLimits, _ = c.Arg("ylim").(*[2]float64)
				spec.Width, spec.Height = pageSize(c)
				scatter(c, spec.Series)
				return drawn(c, given(c, "title", "x", "series"))(display.NewLinePlot(spec))
			}),
		script.Func("heatmap(rows: gapped_rows, "+heatParams+sizeParam+") -> heatmap",
			"A matrix as colours: one row per y, one column per x. x and y are the centres of the columns and rows, ascending or descending, by default 0, 1, 2, …. center is the value with the neutral colour of a diverging scale (1 for ratios, whose scale is then logarithmic). label names the quantity of the colours. None and nan are missing values."+sizeHelp,
			`heatmap([[0.5, 1], [1, 2]], x=[0.1, 0.2], y=[1, 2], center=1, xlabel="eps (nats)", label="ratio")`,
			func(c *script.Call) (any, error) {
				spec := heatSpec(c)
				spec.Values = c.Arg("rows").([][]float64)
				return drawn(c, given(c, "title", "x", "y", "rows"))(display.NewHeatMap(spec))
			}),
		script.Func("heatmaps(panels: panels, "+heatParams+", columns: int[1..64]=2"+sizeParam+") -> heatmap",
			"Several matrices as colours on one scale: panels is a dict from titles to matrices, drawn row by row. The other parameters are those of heatmap and apply to all panels.",
			`heatmaps({"a": [[0.5, 1], [1, 2]], "b": [[1, 4], [2, 1]]}, center=1, label="ratio")`,
			func(c *script.Call) (any, error) {
				all := heatSpec(c)
				grid := display.GridSpec{Title: all.Title, Columns: c.Int("columns"), ValueLabel: all.ValueLabel, Center: all.Center, Width: all.Width, Height: all.Height}
				for _, p := range c.Arg("panels").([]display.HeatSpec) {
					panel := all
					panel.Title, panel.Values = p.Title, p.Values
					grid.Panels = append(grid.Panels, panel)
				}
				return drawn(c, given(c, "title", "x", "y", "panels"))(display.NewGrid(grid))
			}),
	}
}

// figureKinds returns the kinds of data in tables and pictures.
func figureKinds() []script.Kind {
	return []script.Kind{
		script.KindOf("gapped", gappedList),
		script.KindOf("interval", axisEnds),
		script.KindOf("size", axisEnds),
		script.KindOf("gapped_rows", gappedRows),
		script.KindOf("series", seriesOf),
		script.KindOf("panels", func(c *script.Call, name string, v starlark.Value) (out []display.HeatSpec) {
			d, ok := v.(*starlark.Dict)
			if !ok || d.Len() == 0 {
				c.Fail(name, v, "a dict from titles to matrices")
			}
			for _, item := range d.Items() {
				rows := gappedRows(c, fmt.Sprintf("%s[%s]", name, script.Brief(item[0])), item[1])
				out = append(out, display.HeatSpec{Title: cellText(item[0], 6), Values: rows})
			}
			return out
		}),
	}
}

// figure is a table or picture as a script value.
type figure struct {
	display.Figure
	caps display.Caps // the session's terminal without colour and images, as str needs it
	data starlark.Value
}

// Shown returns the figure itself.
func (f *figure) Shown() display.Figure { return f.Figure }

// drawn returns a function that makes a script value of a figure. data represents it in JSON.
func drawn(c *script.Call, data map[string]any) func(display.Figure, error) (any, error) {
	caps := c.Session.Terminal
	caps.Colors, caps.Images = display.NoColor, display.NoImages
	return func(f display.Figure, err error) (any, error) { return &figure{f, caps, script.ToValue(data)}, err }
}

// given returns the arguments of the named parameters.
func given(c *script.Call, parameters ...string) map[string]any {
	out := make(map[string]any)
	for _, name := range parameters {
		out[name] = c.Value(name)
	}
	return out
}

// shownText returns what print shows.
func shownText(f *figure) string {
	text := f.Terminal(f.caps)
	return text[:max(0, len(text)-1)] // print adds a newline
}

func figureClass(name, what, help, example, formats, file string) *script.Class[*figure] {
	return &script.Class[*figure]{
		Name: name, Help: help, Example: example,
		Show: shownText,
		Draw: func(f *figure, caps display.Caps) string { return f.Terminal(caps) },
		JSON: func(f *figure) starlark.Value { return f.data },
		Attrs: []script.Attr[*figure]{script.Do("save(path: string) -> none",
			"Writes the "+what+" to a file atomically, in the format of the path's extension: "+formats+". A missing folder is created. A notebook also shows the "+what+".",
			fmt.Sprintf("%s.save(%q)", example, file),
			func(c *script.Call, f *figure) (any, error) {
				path := c.Text("path")
				stop(c.SaveFile(path, must(f.Encode(path))))
				if c.Session.OnSave != nil {
					c.Session.OnSave(f.Figure)
				}
				return nil, nil
			})},
	}
}

var (
	reportClass  = figureClass("report", "page", "A page on one mechanism: its numbers, each with its evidence, its source and the line of script that reproduces it. print shows it as text.", mechanismSetup+"m.report()", ".html, .tex or .txt", "report.html")
	lineClass    = figureClass("line_plot", "figure", "Curves in one frame. print draws it with characters; the prompt draws it in colour if the terminal can.", "line_plot([[1, 4, 9, 16]])", ".svg, .png or .pdf", "figure.svg")
	heatmapClass = figureClass("heatmap", "figure", "A matrix in colours. print draws it with characters; the prompt draws it in colour if the terminal can.", "heatmap([[1, 2], [3, 4]])", ".svg, .png or .pdf", "figure.svg")
)

// gapped returns a reader of numbers for a picture. None and nan are read as gaps.
func gapped(c *script.Call) func(name string, v starlark.Value) float64 {
	return func(name string, v starlark.Value) float64 {
		if v == starlark.None {
			return math.NaN()
		}
		f, ok := script.NearestFloat(v)
		if !ok {
			c.Fail(name, v, "a number, or None for a gap")
		}
		return f
	}
}

func gappedList(c *script.Call, name string, v starlark.Value) []float64 {
	return script.ListOf(c, name, v, gapped(c))
}

func gappedRows(c *script.Call, name string, v starlark.Value) [][]float64 {
	return script.RowsOf(c, name, v, gapped(c))
}

// seriesOf reads a single curve, a list of curves, or a dict from names to curves.
func seriesOf(c *script.Call, name string, v starlark.Value) (out []display.Series) {
	switch v := v.(type) {
	case *starlark.Dict:
		for _, item := range v.Items() {
			s := curve(c, fmt.Sprintf("%s[%s]", name, script.Brief(item[0])), item[1])
			s.Name = cellText(item[0], 6)
			out = append(out, s)
		}
		return out
	case starlark.Tuple:
	default:
		if vs, _ := script.Elements(v); len(vs) > 0 && isList(vs[0]) {
			return script.ListOf(c, name, v, func(name string, v starlark.Value) display.Series { return curve(c, name, v) })
		}
	}
	return []display.Series{curve(c, name, v)}
}

func isList(v starlark.Value) bool { _, ok := script.Elements(v); return ok }

// curve reads one curve: a list of y, or a tuple (xs, ys).
func curve(c *script.Call, name string, v starlark.Value) (out display.Series) {
	if pair, ok := v.(starlark.Tuple); ok && len(pair) == 2 && isList(pair[0]) && isList(pair[1]) {
		out.X = gappedList(c, name+"[0]", pair[0])
		name, v = name+"[1]", pair[1]
	}
	ys := elements(c, name, v, "a list of numbers")
	out.Y = gappedList(c, name, v)
	for i, v := range ys {
		if e, ok := v.(*script.Evidence); ok && e.Number().Kind() == evidence.KindEstimated {
			if out.Lower == nil {
				out.Lower, out.Upper = slices.Clone(out.Y), slices.Clone(out.Y)
			}
			out.Lower[i], out.Upper[i] = e.Number().Bounds()
		}
	}
	return out
}

// scatter draws the series named by the parameter points as points without a line.
func scatter(c *script.Call, series []display.Series) {
	names, some := c.Arg("points").([]string)
	for i := range series {
		series[i].NoLine = !some && c.Bool("points") || slices.Contains(names, series[i].Name)
	}
	for _, name := range names {
		if !slices.ContainsFunc(series, func(s display.Series) bool { return s.Name == name }) {
			c.Fail("points", starlark.String(name), "names of the series")
		}
	}
}

// axisEnds reads the ends of an axis.
func axisEnds(c *script.Call, name string, v starlark.Value) *[2]float64 {
	var out [2]float64
	for i, x := range elements(c, name, v, "a pair (lo, hi)", 2) {
		f, ok := script.NearestFloat(x)
		if !ok {
			c.Fail(name, v, "a pair (lo, hi) of numbers")
		}
		out[i] = f
	}
	return &out
}

// pageSize reads the size of a picture in points, 0 by default.
func pageSize(c *script.Call) (width, height float64) {
	if !c.Given("size") {
		return 0, 0
	}
	const inch, least, most = 72, 1.5, 100
	size := *c.Arg("size").(*[2]float64)
	for _, length := range size {
		if !(length >= least && length <= most) {
			c.Fail("size", c.Value("size"), "a pair (width, height) in inches, each from 1.5 to 100")
		}
	}
	return inch * size[0], inch * size[1]
}

// heatSpec reads the common parameters of heatmap and heatmaps.
func heatSpec(c *script.Call) display.HeatSpec {
	spec := display.HeatSpec{
		Title: c.Text("title"), XLabel: c.Text("xlabel"), YLabel: c.Text("ylabel"), ValueLabel: c.Text("label"),
		X: c.Floats("x"), Y: c.Floats("y"),
	}
	spec.Width, spec.Height = pageSize(c)
	if c.Given("center") {
		center := c.Float("center")
		spec.Center = &center
	}
	return spec
}
