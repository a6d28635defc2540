package repl

import (
	"dpworkbench/repl/display"

	"go.starlark.net/starlark"
)

// alphaTable sets the law of an alpha solution beside its baselines.
func alphaTable(c *call, s *alphaSolution) (starlark.Value, error) {
	rows := [][]starlark.Value{
		{starlark.String("Algorithm 1's form, alpha = " + display.Number(s.Alpha, 6)), known(s.Claimed), known(s.Smallest), known(s.FlipRate)},
		{starlark.String("randomised response"), starlark.None, known(s.Smallest), known(s.Response)},
	}
	header := []string{"noise", "claimed ε", "smallest ε", "flip rate"}
	data, text := starlark.NewList(nil), make([][]string, len(rows))
	for i, row := range rows {
		_ = data.Append(starlark.NewList(row)) // not frozen
		for _, cell := range row {
			text[i] = append(text[i], cellText(cell, 6))
		}
	}
	t, err := display.NewTable(display.TableSpec{Header: header, Rows: text})
	if err != nil {
		return nil, err
	}
	return newFigure(c, tableClass, t, fieldsOf(map[string]starlark.Value{"title": starlark.String(""), "header": stringList(header), "rows": data})), nil
}
