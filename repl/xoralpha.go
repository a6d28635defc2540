package repl

import (
	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/optimize"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// alphaTable sets the law of an alpha solution beside its baselines.
func alphaTable(c *script.Call, s *alphaSolution) (any, error) {
	rows := [][]starlark.Value{
		{starlark.String("Algorithm 1's form, alpha = " + display.Number(s.Alpha, 6)), script.Known(s.Claimed), script.Known(s.Smallest), script.Known(s.FlipRate)},
		{starlark.String("randomised response"), starlark.None, script.Known(s.Smallest), script.Known(s.Response)},
	}
	if best, err := optimalRate(c, s); err != nil {
		return nil, err
	} else if best != nil {
		rows = append(rows, []starlark.Value{starlark.String("optimal among all noise laws"), starlark.None, script.Known(s.Smallest), script.Known(best)})
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
	return newFigure(c, tableClass, t, script.Fields(map[string]starlark.Value{"title": starlark.String(""), "header": script.Strings(header), "rows": data})), nil
}

// optimalRate returns the least flip rate of any noise law at the solution's
// smallest ε, nil where there are too many bits to tell.
func optimalRate(c *script.Call, s *alphaSolution) (evidence.Number, error) {
	const most = 10 // bits
	q := s.problem
	if q.N > most || q.P > most || q.N*q.P > most {
		return nil, nil
	}
	eps, err := evidence.NewEpsilon("eps", s.Smallest.Hi)
	if err != nil {
		return nil, err
	}
	law, err := optimize.NewOptimalNoise(c.Context, q.N, q.P, eps, xor.FlipBits(min(q.Sensitivity, q.N*q.P)))
	if err != nil {
		return nil, err
	}
	return law.FlipRate(), nil
}
