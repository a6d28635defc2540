package repl

import (
	"fmt"

	"dpworkbench/display"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// makeHeatmaps draws several matrices on one colour scale.
func makeHeatmaps(c *script.Call) (any, error) {
	panels, ok := c.Value("panels").(*starlark.Dict)
	if !ok || panels.Len() == 0 {
		c.Fail("panels", c.Value("panels"), "a dict from titles to matrices")
	}
	spec := display.GridSpec{Title: c.Text("title"), Columns: c.Int("columns", 1, 64), ValueLabel: c.Text("label")}
	var x, y []float64
	if c.Given("x") {
		x = c.Floats("x")
	}
	if c.Given("y") {
		y = c.Floats("y")
	}
	if c.Given("center") {
		center := c.Finite("center")
		spec.Center = &center
	}
	data := make(map[string]starlark.Value)
	for _, item := range panels.Items() {
		panel := display.HeatSpec{Title: cellText(item[0], 6), XLabel: c.Text("xlabel"), YLabel: c.Text("ylabel"), X: x, Y: y}
		where := fmt.Sprintf("panels[%s]", script.Brief(item[0]))
		rows, ok := script.Elements(item[1])
		if !ok {
			c.Fail(where, item[1], "a matrix")
		}
		for i, v := range rows {
			row, ok := script.Elements(v)
			if !ok {
				c.Fail(fmt.Sprintf("%s[%d]", where, i), v, "a list of numbers")
			}
			panel.Values = append(panel.Values, drawn(c, fmt.Sprintf("%s[%d]", where, i), row))
		}
		spec.Panels = append(spec.Panels, panel)
		data[panel.Title] = item[1]
	}
	h, err := display.NewGrid(spec)
	if err != nil {
		return nil, err
	}
	return newFigure(c, heatmapClass, h, script.Fields(map[string]starlark.Value{
		"title": c.Value("title"), "x": c.Value("x"), "y": c.Value("y"), "panels": script.Fields(data),
	})), nil
}
