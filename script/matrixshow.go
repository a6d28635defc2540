package script

import (
	"fmt"
	"slices"
	"strings"
)

// How much of a matrix the prompt shows.
const (
	shownRows    = 8
	shownColumns = 64
)

// show writes a matrix for a terminal: its columns side by side as far as a line goes,
// then those that are left below.
func (m *Matrix) show(width int) string {
	text := fmt.Sprintf("<matrix %d x %d>", len(m.rows), m.cols)
	if len(m.rows) == 0 {
		return text
	}
	rows := m.rows[:min(shownRows, len(m.rows))]
	columns := min(shownColumns, m.cols)
	cells := make([][]string, columns) // by column, of one width
	for j := range cells {
		for _, row := range rows {
			cells[j] = append(cells[j], fmt.Sprintf("%.5g", row[j]))
		}
		wide := len(slices.MaxFunc(cells[j], func(a, b string) int { return len(a) - len(b) }))
		for i, c := range cells[j] {
			cells[j][i] = fmt.Sprintf("%*s", wide, c)
		}
	}
	for from := 0; from < columns; {
		to, used := from, 1
		for to < columns && (to == from || used+2+len(cells[to][0]) <= width) {
			used += 2 + len(cells[to][0])
			to++
		}
		if to-from < m.cols {
			text += fmt.Sprintf("\n columns %d to %d", from, to-1)
		}
		for i := range rows {
			text += "\n "
			for j := from; j < to; j++ {
				text += "  " + cells[j][i]
			}
		}
		if len(rows) < len(m.rows) {
			text += "\n   …"
		}
		from = to
	}
	if columns < m.cols {
		text += fmt.Sprintf("\n and %d more columns", m.cols-columns)
	}
	return strings.TrimRight(text, " ")
}
