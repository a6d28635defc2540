// Package notebook turns scripts into Jupyter notebooks (nbformat 4.5). The
// script stays the original: a notebook's cells follow from it, and a test
// compares them.
package notebook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"dpworkbench/repl"

	"go.starlark.net/syntax"
)

// Cell is a cell of a notebook.
type Cell struct {
	Code   bool // Starlark; Markdown otherwise
	Source string
}

// Info is kept in a notebook's metadata.
type Info struct {
	Script string `json:"script"`
	Date   string `json:"date,omitempty"` // of the outputs
}

// Cells cuts a script. A comment that stands alone, with blank lines around it,
// becomes text: a section's heading where it is one line, and the title where it
// opens the script. A cell of code ends before a text, and after a paragraph that
// does more than define names. Paths below notebooks/ become relative to it.
func Cells(file, source string) ([]Cell, error) {
	f, err := repl.Parse(file, source)
	if err != nil {
		return nil, err
	}
	c := &cutter{lines: strings.Split(source, "\n")}
	previous := 0 // the last line of the statement before
	for _, stmt := range f.Stmts {
		start, end := stmt.Span()
		c.between(previous+1, int(start.Line)-1)
		previous = max(previous, int(end.Line))
		c.take(int(start.Line), previous)
		if acts(stmt) {
			c.acting = true
		}
	}
	c.between(previous+1, len(c.lines))
	c.endCode()
	return c.cells, nil
}

// acts reports whether a statement does more than define names.
func acts(stmt syntax.Stmt) bool {
	switch stmt.(type) {
	case *syntax.AssignStmt, *syntax.DefStmt, *syntax.LoadStmt:
		return false
	}
	return true
}

type cutter struct {
	lines  []string
	cells  []Cell
	code   []string // of the cell being gathered
	acting bool     // it does more than define names
}

// take adds lines first to last to the code, counted from 1.
func (c *cutter) take(first, last int) {
	if first <= last {
		c.code = append(c.code, c.lines[first-1:min(last, len(c.lines))]...)
	}
}

// between looks at the lines between two statements, which are blank or comments.
func (c *cutter) between(first, last int) {
	apart := first == 1 // from the statement before
	for first <= last {
		if strings.TrimSpace(c.lines[first-1]) == "" {
			apart = true
			if c.acting {
				c.endCode()
			} else if len(c.code) > 0 {
				c.code = append(c.code, "")
			}
			first++
			continue
		}
		block := first
		for block <= last && strings.HasPrefix(c.lines[block-1], "#") {
			block++
		}
		alone := apart && block > first && (block > last && block > len(c.lines) || block <= last && strings.TrimSpace(c.lines[block-1]) == "")
		if !alone {
			block = max(block, first+1)
			c.take(first, block-1)
		} else {
			c.endCode()
			c.cells = append(c.cells, Cell{Source: c.text(c.lines[first-1 : block-1])})
		}
		first = block
	}
}

func (c *cutter) endCode() {
	source := strings.Trim(strings.Join(c.code, "\n"), "\n")
	c.code, c.acting = nil, false
	if source != "" {
		c.cells = append(c.cells, Cell{true, strings.ReplaceAll(source, `"notebooks/`, `"`)})
	}
}

// title is the part of a text that can stand as a heading.
var title = regexp.MustCompile(`^(.+?)(?:[:.] |[:.]?$)`)

// text turns comment lines into Markdown.
func (c *cutter) text(comment []string) string {
	var out []string
	for _, line := range comment {
		line = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "), " ")
		if strings.HasPrefix(line, "  ") {
			line = "  " + line // four blanks: as it stands
		}
		out = append(out, line)
	}
	switch joined := strings.Join(out, " "); {
	case len(c.cells) == 0:
		heading := strings.TrimRight(title.FindStringSubmatch(joined)[1], ".:")
		return "# " + heading + "\n\n" + strings.Join(out, "\n")
	case len(out) == 1:
		return "## " + strings.TrimSuffix(out[0], ".")
	}
	return strings.Join(out, "\n")
}

// Encode returns a notebook without outputs.
func Encode(cells []Cell, info Info) ([]byte, error) {
	list := make([]any, len(cells))
	for i, c := range cells {
		cell := map[string]any{
			"cell_type": "markdown", "id": fmt.Sprintf("cell-%d", i+1), "metadata": map[string]any{},
			"source": strings.SplitAfter(c.Source, "\n"),
		}
		if c.Code {
			cell["cell_type"], cell["execution_count"], cell["outputs"] = "code", nil, []any{}
		}
		list[i] = cell
	}
	info.Script = filepath.Base(info.Script)
	data, err := json.MarshalIndent(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{
			"dpworkbench": info,
			"kernelspec":  map[string]any{"display_name": "dpworkbench", "language": "starlark", "name": "dpworkbench"},
		},
	}, "", " ")
	return append(data, '\n'), err
}

// Decode returns the cells of a notebook.
func Decode(data []byte) ([]Cell, error) {
	var n struct {
		Cells []struct {
			Type   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, err
	}
	cells := make([]Cell, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = Cell{c.Type == "code", strings.Join(c.Source, "")}
	}
	return cells, nil
}
