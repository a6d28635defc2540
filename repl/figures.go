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

// figure is a table or picture as a script value.
type figure struct {
	display.Figure
	caps display.Caps // of the session's terminal, without colour and images: what str prints
	data starlark.Value
}

// Shown is the figure itself.
func (f *figure) Shown() display.Figure { return f.Figure }

// newFigure wraps a figure. data stands for it in JSON.
func newFigure(c *script.Call, k *script.Class[*figure], f display.Figure, data starlark.Value) starlark.Value {
	caps := c.Session.Terminal
	caps.Colors, caps.Images = display.NoColor, display.NoImages
	return k.Of(c, &figure{Figure: f, caps: caps, data: data})
}

func figureClass(name, help, example, formats, file string) *script.Class[*figure] {
	return &script.Class[*figure]{
		Name: name, Help: help, Example: example,
		Show: func(f *figure) string {
			text := f.Terminal(f.caps)
			return text[:max(0, len(text)-1)] // print adds a newline
		},
		Draw: func(f *figure, caps display.Caps) string { return f.Terminal(caps) },
		JSON: func(f *figure) starlark.Value { return f.data },
		Attrs: []script.Attr[*figure]{{
			Name: "save", Params: "path",
			Help:    "Write the figure to a file, whole or not at all, in the format that the end of the path names: " + formats + ". A notebook shows it, too.",
			Example: fmt.Sprintf("%s.save(%q)", example, file),
			Run: func(c *script.Call, f *figure) (any, error) {
				path := c.Text("path")
				data, err := f.Encode(path)
				if err == nil {
					err = c.Session.Write(path, data)
				}
				if err != nil {
					return nil, err
				}
				if c.Session.OnWrite != nil {
					c.Session.OnWrite(path)
				}
				if c.Session.OnSave != nil {
					c.Session.OnSave(f.Figure)
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
func figureBuiltins() []script.Builtin {
	return []script.Builtin{
		{
			Name: "table", Params: `rows, header=[], title="", digits=6`,
			Help:    "A table of the given rows (a list of lists, or a matrix). Floats show so many significant digits, evidence no more than its bounds support; None is an empty cell. It is a value: print it, or save it as .csv, .html or .txt.",
			Example: `print(table([["purest", ln(3)], ["ladder", 2]], header=["mechanism", "eps"], title="Claims"))`,
			Run:     makeTable,
		},
		{
			Name: "line_plot", Params: `series, x=None, title="", xlabel="", ylabel="", log=False, points=False, equal=False`,
			Help:    `Curves. series is a list of numbers, a list of such lists, or a dict from names to lists; a tuple (xs, ys) in place of a list has its own x. x defaults to 0, 1, 2, …. Evidence counts by its value, and estimates are drawn with their confidence band; None and nan leave a gap. log is "x", "y" or "xy" (True means "y"). points names the series that are drawn as points without a line; True means all. equal=True makes a unit as long on either axis, so that circles are round in pictures (characters are only nearly square). Give units in the labels: xlabel="eps (nats)".`,
			Example: `line_plot({"e^-x": [math.exp(-x) for x in range(10)]}, title="Decay", log=True)`,
			Run:     makeLinePlot,
		},
		{
			Name: "heatmap", Params: `rows, x=None, y=None, title="", xlabel="", ylabel="", center=None, label=""`,
			Help:    "A matrix as colours: one row per y, one column per x. x and y are the centres of the columns and rows, ascending or descending, 0, 1, 2, … where left out. center takes the neutral colour of a diverging scale (1 for ratios, whose scale is then logarithmic). label says what the colours mean. None and nan are no value.",
			Example: `heatmap([[0.5, 1], [1, 2]], x=[0.1, 0.2], y=[1, 2], center=1, xlabel="eps (nats)", label="ratio")`,
			Run:     makeHeatmap,
		},
		{
			Name: "heatmaps", Params: `panels, x=None, y=None, title="", xlabel="", ylabel="", center=None, label="", columns=2`,
			Help:    "Several matrices as colours on one scale: panels is a dict from titles to matrices, drawn row by row. The other parameters are those of heatmap, for all of them.",
			Example: `heatmaps({"a": [[0.5, 1], [1, 2]], "b": [[1, 4], [2, 1]]}, center=1, label="ratio")`,
			Run:     makeHeatmaps,
		},
	}
}

func makeTable(c *script.Call) (any, error) {
	digits := c.Int("digits", 1, 17)
	var header []string
	for _, v := range c.List("header") {
		header = append(header, cellText(v, digits))
	}
	var rows [][]string
	data := starlark.NewList(nil)
	for i, v := range c.List("rows") {
		cells, ok := script.Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("rows[%d]", i), v, "a list of cells")
		}
		row := make([]string, len(cells))
		for j, cell := range cells {
			row[j] = cellText(cell, digits)
		}
		rows = append(rows, row)
		_ = data.Append(starlark.NewList(cells)) // not frozen
	}
	return table(c, c.Text("title"), header, rows, data)
}

// table returns a table of texts, which scripts read as data.
func table(c *script.Call, title string, header []string, rows [][]string, data *starlark.List) (any, error) {
	t, err := display.NewTable(display.TableSpec{Title: title, Header: header, Rows: rows})
	if err != nil {
		return nil, err
	}
	return newFigure(c, tableClass, t, script.Fields(map[string]starlark.Value{
		"title": starlark.String(title), "header": script.Strings(header), "rows": data,
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
	case *script.Evidence:
		if n, ok := v.Number().(evidence.Certified); ok && !n.Loss && evidence.IsWide(v.Number()) {
			return evidence.Ends(v.Number()) // of a loss the upper end is meant
		}
		if evidence.Supported(v.Number()) < digits {
			return evidence.Digits(v.Number())
		}
		return display.Number(v.Float(), digits)
	}
	text, err := script.TextOf(v, nil)
	if err != nil {
		script.Throw(err)
	}
	return text
}

// drawn reads numbers for a picture: None is nan, and so is nan itself.
func drawn(c *script.Call, name string, vs []starlark.Value) []float64 {
	out := make([]float64, len(vs))
	for i, v := range vs {
		f, ok := script.NearestFloat(v)
		switch {
		case v == starlark.None:
			f = math.NaN()
		case !ok:
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a number, or None for a gap")
		}
		out[i] = f
	}
	return out
}

func makeLinePlot(c *script.Call) (any, error) {
	spec := display.LineSpec{Title: c.Text("title"), XLabel: c.Text("xlabel"), YLabel: c.Text("ylabel")}
	switch v := c.Value("log").(type) {
	case starlark.Bool:
		spec.LogY = bool(v)
	default:
		axes := c.Choice("log", "x", "y", "xy")
		spec.LogX, spec.LogY = axes != "y", axes != "x"
	}
	if c.Given("x") {
		spec.X = drawn(c, "x", c.List("x"))
	}
	spec.Equal = c.Bool("equal")
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
	return newFigure(c, lineClass, p, script.Fields(map[string]starlark.Value{
		"title": c.Value("title"), "x": c.Value("x"), "series": c.Value("series"),
	})), nil
}

// scatteredSeries reads the parameter points.
func scatteredSeries(c *script.Call) func(name string) bool {
	if all, ok := c.Value("points").(starlark.Bool); ok {
		return func(string) bool { return bool(all) }
	}
	names := c.Texts("points")
	for _, name := range names {
		if !slices.ContainsFunc(namedSeries(c), func(s namedValue) bool { return s.name == name }) {
			c.Fail("points", starlark.String(name), "names of the series")
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
func namedSeries(c *script.Call) []namedValue {
	v := c.Value("series")
	if d, ok := v.(*starlark.Dict); ok {
		var out []namedValue
		for _, item := range d.Items() {
			out = append(out, namedValue{cellText(item[0], 6), fmt.Sprintf("series[%s]", script.Brief(item[0])), item[1]})
		}
		return out
	}
	vs := c.List("series")
	if _, tuple := v.(starlark.Tuple); !tuple && len(vs) > 0 {
		if _, nested := script.Elements(vs[0]); nested {
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
func oneSeries(c *script.Call, s namedValue) display.Series {
	out := display.Series{Name: s.name}
	if pair, ok := s.v.(starlark.Tuple); ok && len(pair) == 2 {
		xs, ok1 := script.Elements(pair[0])
		ys, ok2 := script.Elements(pair[1])
		if ok1 && ok2 {
			out.X = drawn(c, s.path+"[0]", xs)
			s.v, s.path = starlark.NewList(ys), s.path+"[1]"
		}
	}
	ys, ok := script.Elements(s.v)
	if !ok {
		c.Fail(s.path, s.v, "a list of numbers")
	}
	out.Y = drawn(c, s.path, ys)
	estimated := false
	lower, upper := make([]float64, len(ys)), make([]float64, len(ys))
	for i, v := range ys {
		lower[i], upper[i] = out.Y[i], out.Y[i]
		if e, ok := v.(*script.Evidence); ok && e.Number().Kind() == evidence.KindEstimated {
			estimated = true
			lower[i], upper[i] = e.Number().Bounds()
		}
	}
	if estimated {
		out.Lower, out.Upper = lower, upper
	}
	return out
}

func makeHeatmap(c *script.Call) (any, error) {
	spec := display.HeatSpec{
		Title: c.Text("title"), XLabel: c.Text("xlabel"), YLabel: c.Text("ylabel"), ValueLabel: c.Text("label"),
	}
	for i, v := range c.List("rows") {
		row, ok := script.Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("rows[%d]", i), v, "a list of numbers")
		}
		spec.Values = append(spec.Values, drawn(c, fmt.Sprintf("rows[%d]", i), row))
	}
	if c.Given("x") {
		spec.X = c.Floats("x")
	}
	if c.Given("y") {
		spec.Y = c.Floats("y")
	}
	if c.Given("center") {
		center := c.Finite("center")
		spec.Center = &center
	}
	h, err := display.NewHeatMap(spec)
	if err != nil {
		return nil, err
	}
	return newFigure(c, heatmapClass, h, script.Fields(map[string]starlark.Value{
		"title": c.Value("title"), "x": c.Value("x"), "y": c.Value("y"), "rows": c.Value("rows"),
	})), nil
}
