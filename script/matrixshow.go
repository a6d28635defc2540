package script

import (
	"fmt"
	"strings"

	"dpworkbench/display"

	"github.com/clipperhouse/displaywidth"
)

// The largest numbers of rows and columns of a matrix that the prompt shows.
const (
	shownRows    = 8
	shownColumns = 64
)

// show formats a matrix for a terminal: as many columns side by side as fit, then the remaining ones below.
func (m *Matrix) show(width int) string {
	text := fmt.Sprintf("<matrix %d x %d>", len(m.rows), m.cols)
	if len(m.rows) == 0 {
		return text
	}
	rows := m.rows[:min(shownRows, len(m.rows))]
	columns := min(shownColumns, m.cols)
	cells := make([][]string, columns) // by column; the cells of a column are equally wide
	for j := range cells {
		if m.names != nil {
			cells[j] = append(cells[j], heading(m.names[j]))
		}
		for _, row := range rows {
			cells[j] = append(cells[j], fmt.Sprintf("%.5g", row[j]))
		}
		wide := 0
		for _, c := range cells[j] {
			wide = max(wide, displaywidth.String(c))
		}
		for i, c := range cells[j] {
			cells[j][i] = strings.Repeat(" ", wide-displaywidth.String(c)) + c
		}
	}
	for from := 0; from < columns; {
		to, used := from, 1
		for to < columns && (to == from || used+2+displaywidth.String(cells[to][0]) <= width) {
			used += 2 + displaywidth.String(cells[to][0])
			to++
		}
		if to-from < m.cols {
			text += fmt.Sprintf("\n columns %d to %d", from, to-1)
		}
		for i := range cells[from] {
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

// heading returns the displayed name of a column, cut if it is long.
func heading(name string) string {
	const most = 16 // columns
	return displaywidth.TruncateString(display.Line(name), most, "…")
}
