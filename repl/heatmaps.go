package repl

import (
	"fmt"

	"dpworkbench/repl/display"

	"go.starlark.net/starlark"
)

// makeHeatmaps draws several matrices on one colour scale.
func makeHeatmaps(c *call) (starlark.Value, error) {
	panels, ok := c.value("panels").(*starlark.Dict)
	if !ok || panels.Len() == 0 {
		c.fail("panels", c.value("panels"), "a dict from titles to matrices")
	}
	spec := display.GridSpec{Title: c.string("title"), Columns: c.int("columns", 1, 64), ValueLabel: c.string("label")}
	var x, y []float64
	if c.given("x") {
		x = c.floats("x")
	}
	if c.given("y") {
		y = c.floats("y")
	}
	if c.given("center") {
		center := c.finite("center")
		spec.Center = &center
	}
	data := make(map[string]starlark.Value)
	for _, item := range panels.Items() {
		panel := display.HeatSpec{Title: cellText(item[0], 6), XLabel: c.string("xlabel"), YLabel: c.string("ylabel"), X: x, Y: y}
		where := fmt.Sprintf("panels[%s]", brief(item[0]))
		rows, ok := elements(item[1])
		if !ok {
			c.fail(where, item[1], "a matrix")
		}
		for i, v := range rows {
			row, ok := elements(v)
			if !ok {
				c.fail(fmt.Sprintf("%s[%d]", where, i), v, "a list of numbers")
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
	return newFigure(c, heatmapClass, h, fieldsOf(map[string]starlark.Value{
		"title": c.value("title"), "x": c.value("x"), "y": c.value("y"), "panels": fieldsOf(data),
	})), nil
}
