package display

import (
	"slices"
	"strings"

	"dpworkbench/internal/lists"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
)

// columnGap is the number of blanks between columns.
const columnGap = 2

// Terminal renders the table as text of at most c.Width columns. If it is too wide, it wraps text, the widest
// column first. If even the least widths do not fit, it splits the table into blocks of columns, each of which
// repeats the first column.
func (t *Table) Terminal(c Caps) string {
	c = c.sized()
	grid := make([][]string, 0, len(t.rows)+1)
	header := t.header
	if header == nil {
		header = make([]string, len(t.right))
	}
	for _, row := range append([][]string{header}, t.rows...) {
		line := lists.Of(len(row), func(j int) string { return clean(row[j]) })
		grid = append(grid, line)
	}
	var out strings.Builder
	if t.title != "" {
		for _, line := range wrap(t.title, c.Width, columns) {
			if c.Colors != NoColor {
				line = "\x1b[1m" + line + "\x1b[0m"
			}
			out.WriteString(line + "\n")
		}
		out.WriteString("\n")
	}
	for k, block := range t.blocks(grid, c.Width) {
		if k > 0 {
			out.WriteString("\n")
		}
		t.block(&out, grid, block, c)
	}
	return out.String()
}

// column is one column of a block, wrapped at its width.
type column struct{ index, width int }

// blocks divides the columns among blocks that fit the width.
func (t *Table) blocks(grid [][]string, width int) [][]column {
	natural, least := make([]int, len(t.right)), make([]int, len(t.right))
	for j := range natural {
		for i, row := range grid {
			w := cellWidth(row[j])
			natural[j] = max(natural[j], w)
			if i > 0 && t.right[j] { // a number cannot be wrapped
				least[j] = max(least[j], w)
				continue
			}
			least[j] = max(least[j], longestWord(row[j]))
		}
		natural[j] = max(natural[j], 1)
		// A number or a long word may be broken if it is longer than a third of the line.
		least[j] = max(1, min(least[j], max(width/3, 8)))
	}
	total := func(block []column) int {
		sum := -columnGap
		for _, c := range block {
			sum += c.width + columnGap
		}
		return sum
	}
	var blocks [][]column
	var block []column
	for j := range natural {
		next := column{j, least[j]}
		if len(block) > 0 && total(append(slices.Clone(block), next)) > width {
			blocks = append(blocks, block)
			block = nil
			if total([]column{{0, least[0]}, next}) <= width {
				block = []column{{0, least[0]}}
			}
		}
		block = append(block, next)
	}
	blocks = append(blocks, block)
	for _, block := range blocks {
		widen(block, natural, width-total(block))
	}
	return blocks
}

// widen distributes the spare width. It gives each unit to the narrowest column that needs more, so that only the
// widest columns wrap.
func widen(block []column, natural []int, spare int) {
	for ; spare > 0; spare-- {
		k := -1
		for i, c := range block {
			if c.width < natural[c.index] && (k < 0 || c.width < block[k].width) {
				k = i
			}
		}
		if k < 0 {
			return
		}
		block[k].width++
	}
}

func longestWord(s string) int {
	longest := 0
	for _, word := range strings.Fields(s) {
		longest = max(longest, cellWidth(word))
	}
	return longest
}

// cellWidth returns the number of terminal columns of s: the larger of our count and tablewriter's, which counts
// combining characters separately.
func cellWidth(s string) int { return max(columns(s), twwidth.WidthWithOptions(s, twwidth.Options{})) }

// block writes some columns of the grid, its header first. Cells are wrapped
// here; tablewriter aligns them and draws the rules.
func (t *Table) block(out *strings.Builder, grid [][]string, block []column, c Caps) {
	lineWidth := -columnGap
	align := make(tw.Alignment, len(block))
	for k, col := range block {
		lineWidth += col.width + columnGap
		align[k] = tw.AlignLeft
		if t.right[col.index] {
			align[k] = tw.AlignRight
		}
	}
	rule := "-"
	if c.Unicode {
		rule = "─"
	}
	var text strings.Builder
	w := tablewriter.NewTable(&text,
		tablewriter.WithEastAsian(tw.Off), // otherwise ε counts as two columns in some locales
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithPadding(tw.Padding{Right: strings.Repeat(" ", columnGap), Overwrite: true}),
		tablewriter.WithRendition(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbolCustom("house").WithRow(rule).WithColumn("").WithCenter(rule).
				WithMidLeft("").WithMidRight("").WithHeaderLeft("").WithHeaderMid(rule).WithHeaderRight(""),
			Settings: tw.Settings{
				Separators: tw.Separators{ShowHeader: tw.On, BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On},
			},
		}),
	)
	head := 0 // lines of the header
	for i, row := range grid {
		cells := lists.Of(len(block), func(k int) string { return strings.Join(wrap(row[block[k].index], block[k].width, cellWidth), "\n") })
		switch {
		case i > 0:
			w.Append(cells)
		case t.header != nil:
			w.Header(cells)
			for _, c := range cells {
				head = max(head, strings.Count(c, "\n")+1)
			}
		}
	}
	w.Render()
	if len(grid) == 1 && t.header != nil { // tablewriter omits the rule below a header without rows
		text.WriteString(strings.Repeat(rule, lineWidth+columnGap) + "\n")
	}
	for line := range strings.Lines(text.String()) {
		head--
		line = strings.TrimRight(line, " \n")
		if head == -1 && t.header != nil { // extend the rule under the padding
			line = strings.TrimSuffix(line, strings.Repeat(rule, columnGap))
		}
		out.WriteString(line + "\n")
	}
}
