package repl

import (
	"fmt"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// cellsOf returns the header and the rows of the table.
func (r *comparison) cellsOf() (header []string, rows [][]any) {
	header = []string{"mechanism", "claimed ε", "exact ε"}
	for _, kind := range r.kinds {
		header = append(header, kind, kind+" / first")
	}
	for i, e := range r.rows {
		row := []any{e.name, e.claimed, e.exact}
		for _, kind := range r.kinds {
			row = append(row, e.errors[kind], e.ratios[kind])
		}
		if r.eps != nil {
			row = append([]any{r.eps[i/len(r.of)]}, row...)
		}
		rows = append(rows, row)
	}
	if r.eps != nil {
		header = append([]string{"ε"}, header...)
	}
	return header, rows
}

// rowOf returns a row as a dict.
func rowOf(header []string, row []any) any {
	d := starlark.NewDict(len(row))
	for i, v := range row {
		stop(d.SetKey(starlark.String(header[i]), script.ToValue(v)))
	}
	return d
}

// perDataset returns the table of two mechanisms on finite queries, with a row for each dataset.
func (r *comparison) perDataset(c *script.Call) (any, error) {
	if r.two == nil {
		c.Fail("per", c.Value("per"), `"mechanism": "dataset" needs two mechanisms on finite queries`)
	}
	a, b := r.two.Mechanisms()
	rows := lists.Of(a.Query().Size(), func(x int) []any {
		stop(c.Context.Err())
		return []any{scriptPlace(a.Query().Space().Dataset(x)), mechanism.Distortion(a, x), mechanism.Distortion(b, x), r.two.Ratio(x)}
	})
	header := []string{"dataset", a.Name(), b.Name(), "ratio"}
	if a.Name() == b.Name() {
		header[2] += " (2)"
	}
	return newTable(c, "", header, rows, 6)
}

// certifiable returns the comparison of two mechanisms on finite queries, nil for others.
func (r *comparison) certifiable() any {
	if r.two == nil {
		return nil
	}
	return *r.two
}

// draw plots the ratios of the first kind of error over ε.
func (r *comparison) draw(c *script.Call) (any, error) {
	if r.eps == nil {
		ask := *r.ask
		ask.c = c
		at, eps := ask.target(r.of[0]), []evidence.Epsilon(nil)
		for _, k := range [][2]int64{{1, 4}, {1, 2}, {3, 4}, {1, 1}, {3, 2}, {2, 1}, {3, 1}, {4, 1}} {
			eps = append(eps, at.Ratio(k[0], k[1]))
		}
		r = ask.sweep(r.of, eps)
	}
	kind := r.kinds[0]
	x := lists.Each(r.eps, evidence.Epsilon.Value)
	series := make([]display.Series, len(r.of))
	data := map[string]any{"eps": x}
	of := map[string]int{}
	for i, m := range r.of {
		series[i].Name, _ = script.MadeBy(m)
		of[series[i].Name]++
	}
	for i, m := range r.of {
		if of[series[i].Name] > 1 { // mechanisms with the same name are distinguished by their arguments
			series[i].Name = script.Made(m)
		}
	}
	for i, e := range r.rows {
		s := &series[i%len(r.of)]
		ratio, _ := starlark.AsFloat(e.ratios[kind])
		if v, ok := e.ratios[kind].(*script.Evidence); ok {
			ratio = v.Number().Float()
		}
		s.Y = append(s.Y, ratio)
		data[s.Name] = s.Y
	}
	return drawn(c, data)(display.NewLinePlot(display.LineSpec{Title: "Mechanisms at equal exact ε", XLabel: "exact ε (nats)", YLabel: kind + " / that of the first", X: x, Series: series}))
}

// ofTwo returns an attribute that only comparisons of two mechanisms on finite queries have.
func ofTwo(declaration, help string, f func(two *mechanism.Comparison) any) script.Attr[*comparison] {
	return script.Get(declaration, help, "", func(r *comparison) any { return f(r.two) }).
		If(func(r *comparison) bool { return r.two != nil }, "only comparisons of two mechanisms on finite queries have it: see .rows")
}

// summary summarises the ratios of two mechanisms.
type summary struct{ mean, least, largest evidence.Number }

// summaryOf returns an attribute of the ratios of two mechanisms on finite queries.
func summaryOf(name, help string, part func(s summary) evidence.Number) script.Attr[*comparison] {
	return script.Do(name+" -> evidence", help+" Exact if the distortions are rational and not too long, otherwise certified.", "", func(c *script.Call, r *comparison) (any, error) {
		found, err := c.Self().(*script.Object).Cached("summary", func() (any, error) {
			mean, least, largest, err := r.two.Summary(c.Context)
			return summary{mean, least, largest}, err
		})
		if err != nil {
			return nil, err
		}
		return part(found.(summary)), nil
	}).If(func(r *comparison) bool { return r.two != nil }, "only comparisons of two mechanisms on finite queries have it: see .rows")
}

var comparisonClass = &script.Class[*comparison]{
	Name: "comparison", Help: "Mechanisms that answer the same question, side by side.", Setup: querySetup + "c = compare(purest(q, 1), ladder(q, 2))\n",
	Show: func(r *comparison) string {
		if r.two == nil {
			return fmt.Sprintf("<comparison of %d mechanisms: see .table()>", len(r.of))
		}
		return fmt.Sprintf("<%s against %s: better on %s of %d datasets, mean ratio %s, from %s to %s>", r.rows[0].name, r.rows[1].name,
			evidence.FormatFloat(r.two.Better, 4), len(r.two.Ratios), evidence.FormatFloat(r.two.Mean, 5), evidence.FormatFloat(r.two.Min, 4), evidence.FormatFloat(r.two.Max, 4))
	},
	Attrs: []script.Attr[*comparison]{
		script.Do(`table(per: "mechanism"|"dataset"="mechanism") -> table`, `The comparison as a table: a row for each mechanism, or in a sweep for each ε and mechanism. Ratios are relative to the first mechanism's error. per="dataset", for two mechanisms on finite queries, has a row for each dataset: its name, the expected distortion of both mechanisms, and their ratio P_a/P_b as in c.ratios, all exact or certified. Python's c.to_pandas() returns the table by dataset if there is one.`, "()", func(c *script.Call, r *comparison) (any, error) {
			if c.Text("per") == "dataset" {
				return r.perDataset(c)
			}
			header, rows := r.cellsOf()
			return newTable(c, "", header, rows, 6)
		}),
		script.Get("rows -> list", `The rows of the table as dicts, by the names of its columns: "mechanism", "claimed ε", "exact ε", the errors, and their ratios to the first one's. In a sweep "ε" is the requested ε.`, compareSetup+"print(c.rows[1][\"mean error / first\"])", func(r *comparison) any {
			header, rows := r.cellsOf()
			return script.Each(rows, func(row []any) any { return rowOf(header, row) })
		}),
		script.Do("plot() -> line_plot", "The ratios of errors to the first mechanism's, plotted over the common exact ε: that of the sweep, otherwise from a quarter of the first one's ε to four times it.", compareSetup+"print(c.plot())", func(c *script.Call, r *comparison) (any, error) { return r.draw(c) }),
		ofTwo("ratios -> list", "P_a/P_b for every dataset: below 1 if a is better, 1 if both are 0, inf if only P_b is 0. Floats; table(per=\"dataset\") has them with their evidence.", func(t *mechanism.Comparison) any { return t.Ratios }),
		ofTwo("better -> number", "The fraction of datasets whose ratio is below 1 by more than 1e-9.", func(t *mechanism.Comparison) any { return t.Better }),
		summaryOf("mean", "The mean of P_a/P_b over all datasets.", func(s summary) evidence.Number { return s.mean }),
		summaryOf("min", "The least P_a/P_b of a dataset.", func(s summary) evidence.Number { return s.least }),
		summaryOf("max", "The largest P_a/P_b of a dataset.", func(s summary) evidence.Number { return s.largest }),
		script.Do("ratio_to_optimum -> evidence", "The expected distortion of a under a uniform prior, divided by that of the optimal mechanism at the smallest ε of a: 1 if a cannot be improved. Certified; inf if a is not private.", "", func(c *script.Call, r *comparison) (any, error) {
			return optimize.RatioToOptimum(c.Context, r.first)
		}).If(func(r *comparison) bool { return r.two != nil }, "only comparisons of two mechanisms on finite queries have it"),
	},
}
