package repl

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/repl/display"

	"go.starlark.net/starlark"
)

// figure is a table or picture as a script value.
type figure struct {
	display.Figure
	caps display.Caps // of the session's terminal, without colour and images: what str prints
	data starlark.Value
}

// Figure returns the table or picture that a value is, nil for any other.
func Figure(v starlark.Value) display.Figure {
	if o, ok := v.(*object[*figure]); ok {
		return o.v.Figure
	}
	return nil
}

// newFigure wraps a figure. data stands for it in JSON.
func newFigure(c *call, k *class[*figure], f display.Figure, data starlark.Value) starlark.Value {
	caps := c.session.Terminal
	caps.Colors, caps.Images = display.NoColor, display.NoImages
	return k.of(c, &figure{Figure: f, caps: caps, data: data})
}

func figureClass(name, help, example, formats, file string) *class[*figure] {
	return &class[*figure]{
		name: name, help: help, example: example,
		show: func(f *figure) string {
			text := f.Terminal(f.caps)
			return text[:max(0, len(text)-1)] // print adds a newline
		},
		draw: func(f *figure, caps display.Caps) string { return f.Terminal(caps) },
		json: func(f *figure) starlark.Value { return f.data },
		attrs: []attr[*figure]{{
			name: "save", params: "path",
			help:    "Write the figure to a file, whole or not at all, in the format that the end of the path names: " + formats + ". A notebook shows it, too.",
			example: fmt.Sprintf("%s.save(%q)", example, file),
			run: func(c *call, f *figure) (starlark.Value, error) {
				path := c.string("path")
				data, err := f.Encode(path)
				if err == nil {
					err = c.session.write(path, data)
				}
				if err != nil {
					return nil, err
				}
				if c.session.OnWrite != nil {
					c.session.OnWrite(path)
				}
				if c.session.OnSave != nil {
					c.session.OnSave(f.Figure)
				}
				return starlark.None, nil
			},
		}},
	}
}

var (
	tableClass   = figureClass("table", "Rows of text and numbers under a header. print shows it as text.", `table([[1, 2.5]], header=["n", "x"])`, ".csv, .html or .txt", "table.csv")
	lineClass    = figureClass("line_plot", "Curves in one frame. print draws it with characters; the prompt in colour, where the terminal has it.", "line_plot([[1, 4, 9, 16]])", ".svg, .png or .pdf", "figure.svg")
	heatmapClass = figureClass("heatmap", "A matrix in colours. print draws it with characters; the prompt in colour, where the terminal has it.", "heatmap([[1, 2], [3, 4]])", ".svg, .png or .pdf", "figure.svg")
)

// figureBuiltins make tables and pictures.
func figureBuiltins() []builtin {
	return []builtin{
		{
			name: "table", params: `rows, header=[], title="", digits=6`,
			help:    "A table of the given rows (a list of lists, or a matrix). Floats show so many significant digits, evidence no more than its bounds support; None is an empty cell. It is a value: print it, or save it as .csv, .html or .txt.",
			example: `print(table([["purest", ln(3)], ["ladder", 2]], header=["mechanism", "eps"], title="Claims"))`,
			run:     makeTable,
		},
		{
			name: "line_plot", params: `series, x=None, title="", xlabel="", ylabel="", log=False, points=False, equal=False`,
			help:    `Curves. series is a list of numbers, a list of such lists, or a dict from names to lists; a tuple (xs, ys) in place of a list has its own x. x defaults to 0, 1, 2, …. Evidence counts by its value, and estimates are drawn with their confidence band; None and nan leave a gap. log is "x", "y" or "xy" (True means "y"). points names the series that are drawn as points without a line; True means all. equal=True makes a unit as long on either axis, so that circles are round in pictures (characters are only nearly square). Give units in the labels: xlabel="eps (nats)".`,
			example: `line_plot({"e^-x": [math.exp(-x) for x in range(10)]}, title="Decay", log=True)`,
			run:     makeLinePlot,
		},
		{
			name: "heatmap", params: `rows, x=None, y=None, title="", xlabel="", ylabel="", center=None, label=""`,
			help:    "A matrix as colours: one row per y, one column per x. x and y are the centres of the columns and rows, ascending or descending, 0, 1, 2, … where left out. center takes the neutral colour of a diverging scale (1 for ratios, whose scale is then logarithmic). label says what the colours mean. None and nan are no value.",
			example: `heatmap([[0.5, 1], [1, 2]], x=[0.1, 0.2], y=[1, 2], center=1, xlabel="eps (nats)", label="ratio")`,
			run:     makeHeatmap,
		},
		{
			name: "heatmaps", params: `panels, x=None, y=None, title="", xlabel="", ylabel="", center=None, label="", columns=2`,
			help:    "Several matrices as colours on one scale: panels is a dict from titles to matrices, drawn row by row. The other parameters are those of heatmap, for all of them.",
			example: `heatmaps({"a": [[0.5, 1], [1, 2]], "b": [[1, 4], [2, 1]]}, center=1, label="ratio")`,
			run:     makeHeatmaps,
		},
	}
}

func makeTable(c *call) (starlark.Value, error) {
	digits := c.int("digits", 1, 17)
	var header []string
	for _, v := range c.list("header") {
		header = append(header, cellText(v, digits))
	}
	var rows [][]string
	data := starlark.NewList(nil)
	for i, v := range c.list("rows") {
		cells, ok := elements(v)
		if !ok {
			c.fail(fmt.Sprintf("rows[%d]", i), v, "a list of cells")
		}
		row := make([]string, len(cells))
		for j, cell := range cells {
			row[j] = cellText(cell, digits)
		}
		rows = append(rows, row)
		_ = data.Append(starlark.NewList(cells)) // not frozen
	}
	return c.table(c.string("title"), header, rows, data)
}

// table returns a table of texts, which scripts read as data.
func (c *call) table(title string, header []string, rows [][]string, data *starlark.List) (starlark.Value, error) {
	t, err := display.NewTable(display.TableSpec{Title: title, Header: header, Rows: rows})
	if err != nil {
		return nil, err
	}
	return newFigure(c, tableClass, t, fieldsOf(map[string]starlark.Value{
		"title": starlark.String(title), "header": stringList(header), "rows": data,
	})), nil
}

// cellText prints a value for a table.
func cellText(v starlark.Value, digits int) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return ""
	case starlark.String:
		return string(v)
	case starlark.Float:
		return display.Number(float64(v), digits)
	case *Evidence:
		if n, ok := v.number.(evidence.Certified); ok && !n.Loss && evidence.IsWide(v.number) {
			return evidence.Ends(v.number) // of a loss the upper end is meant
		}
		if evidence.Supported(v.number) < digits {
			return evidence.Digits(v.number)
		}
		return display.Number(v.Float(), digits)
	}
	text, err := textOf(v, nil)
	if err != nil {
		panic(thrown{err})
	}
	return text
}

// drawn reads numbers for a picture: None is nan, and so is nan itself.
func drawn(c *call, name string, vs []starlark.Value) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		f, ok := nearestFloat(v)
		switch {
		case v == starlark.None:
			f = math.NaN()
		case !ok:
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a number, or None for a gap")
		}
		out[i] = f
	}
	return out
}

func makeLinePlot(c *call) (starlark.Value, error) {
	spec := display.LineSpec{Title: c.string("title"), XLabel: c.string("xlabel"), YLabel: c.string("ylabel")}
	switch v := c.value("log").(type) {
	case starlark.Bool:
		spec.LogY = bool(v)
	default:
		axes := c.choice("log", "x", "y", "xy")
		spec.LogX, spec.LogY = axes != "y", axes != "x"
	}
	if c.given("x") {
		spec.X = drawn(c, "x", c.list("x"))
	}
	spec.Equal = c.bool("equal")
	scattered := scatteredSeries(c)
	for _, s := range namedSeries(c) {
		one := oneSeries(c, s)
		one.NoLine = scattered(s.name)
		spec.Series = append(spec.Series, one)
	}
	p, err := display.NewLinePlot(spec)
	if err != nil {
		return nil, err
	}
	return newFigure(c, lineClass, p, fieldsOf(map[string]starlark.Value{
		"title": c.value("title"), "x": c.value("x"), "series": c.value("series"),
	})), nil
}

// scatteredSeries reads the parameter points.
func scatteredSeries(c *call) func(name string) bool {
	if all, ok := c.value("points").(starlark.Bool); ok {
		return func(string) bool { return bool(all) }
	}
	names := c.strings("points")
	for _, name := range names {
		if !slices.ContainsFunc(namedSeries(c), func(s namedValue) bool { return s.name == name }) {
			c.fail("points", starlark.String(name), "names of the series")
		}
	}
	return func(name string) bool { return slices.Contains(names, name) }
}

// namedValue is one curve before its numbers are read.
type namedValue struct {
	name, path string
	v          starlark.Value
}

// namedSeries takes the parameter series apart.
func namedSeries(c *call) []namedValue {
	v := c.value("series")
	if d, ok := v.(*starlark.Dict); ok {
		var out []namedValue
		for _, item := range d.Items() {
			out = append(out, namedValue{cellText(item[0], 6), fmt.Sprintf("series[%s]", brief(item[0])), item[1]})
		}
		return out
	}
	vs := c.list("series")
	if _, tuple := v.(starlark.Tuple); !tuple && len(vs) > 0 {
		if _, nested := elements(vs[0]); nested {
			var out []namedValue
			for i, v := range vs {
				out = append(out, namedValue{"", fmt.Sprintf("series[%d]", i), v})
			}
			return out
		}
	}
	return []namedValue{{"", "series", v}}
}

// oneSeries reads one curve: a list of y, or a tuple (xs, ys).
func oneSeries(c *call, s namedValue) display.Series {
	out := display.Series{Name: s.name}
	if pair, ok := s.v.(starlark.Tuple); ok && len(pair) == 2 {
		xs, ok1 := elements(pair[0])
		ys, ok2 := elements(pair[1])
		if ok1 && ok2 {
			out.X = drawn(c, s.path+"[0]", xs)
			s.v, s.path = starlark.NewList(ys), s.path+"[1]"
		}
	}
	ys, ok := elements(s.v)
	if !ok {
		c.fail(s.path, s.v, "a list of numbers")
	}
	out.Y = drawn(c, s.path, ys)
	estimated := false
	lower, upper := make([]float64, len(ys)), make([]float64, len(ys))
	for i, v := range ys {
		lower[i], upper[i] = out.Y[i], out.Y[i]
		if e, ok := v.(*Evidence); ok && e.number.Kind() == evidence.KindEstimated {
			estimated = true
			lower[i], upper[i] = e.number.Bounds()
		}
	}
	if estimated {
		out.Lower, out.Upper = lower, upper
	}
	return out
}

func makeHeatmap(c *call) (starlark.Value, error) {
	spec := display.HeatSpec{
		Title: c.string("title"), XLabel: c.string("xlabel"), YLabel: c.string("ylabel"), ValueLabel: c.string("label"),
	}
	for i, v := range c.list("rows") {
		row, ok := elements(v)
		if !ok {
			c.fail(fmt.Sprintf("rows[%d]", i), v, "a list of numbers")
		}
		spec.Values = append(spec.Values, drawn(c, fmt.Sprintf("rows[%d]", i), row))
	}
	if c.given("x") {
		spec.X = c.floats("x")
	}
	if c.given("y") {
		spec.Y = c.floats("y")
	}
	if c.given("center") {
		center := c.finite("center")
		spec.Center = &center
	}
	h, err := display.NewHeatMap(spec)
	if err != nil {
		return nil, err
	}
	return newFigure(c, heatmapClass, h, fieldsOf(map[string]starlark.Value{
		"title": c.value("title"), "x": c.value("x"), "y": c.value("y"), "rows": c.value("rows"),
	})), nil
}
