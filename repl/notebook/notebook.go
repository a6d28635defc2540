// Package notebook turns scripts into Jupyter notebooks (nbformat 4.5). The script remains the source: a notebook's
// cells are computed from it, and a test compares them.
package notebook

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dpworkbench/script"

	"go.starlark.net/syntax"
)

// Cell is a cell of a notebook.
type Cell struct {
	Code   bool // Starlark; Markdown otherwise
	Source string
}

// Info is a notebook's metadata.
type Info struct {
	Script string `json:"script"`
	Date   string `json:"date,omitempty"` // the date of the outputs
}

// Cells cuts a script into cells. A comment with blank lines around it becomes text. It becomes a heading if it is a
// single line, or if its first line begins or ends with dashes, and the title if it opens the script. A text of several
// lines that the script prints becomes text too, since it would otherwise appear twice. A cell of code ends before a
// text, and after a paragraph that does more than define names. Paths below notebooks/ become relative to that folder.
func Cells(file, source string) ([]Cell, error) {
	f, err := script.Parse(file, source)
	if err != nil {
		return nil, err
	}
	c := &cutter{lines: strings.Split(source, "\n")}
	previous := 0 // the last line of the previous statement
	for i, stmt := range f.Stmts {
		start, end := stmt.Span()
		c.between(previous+1, int(start.Line)-1)
		first := max(int(start.Line), previous+1) // after a statement on the same line
		alone := first == int(start.Line)
		previous = max(previous, int(end.Line))
		if i+1 < len(f.Stmts) {
			next, _ := f.Stmts[i+1].Span()
			alone = alone && int(next.Line) > previous
		}
		if text, ok := printed(stmt); ok && alone && strings.HasSuffix(c.lines[previous-1], ")") {
			c.endCode()
			c.cells = append(c.cells, Cell{Source: text})
			continue
		}
		c.take(first, previous)
		if acts(stmt) {
			c.acting = true
		}
	}
	c.between(previous+1, len(c.lines))
	c.endCode()
	return c.cells, nil
}

// printed returns, as Markdown, the text that a statement prints. ok is false unless the statement only prints a text
// of several lines.
func printed(stmt syntax.Stmt) (text string, ok bool) {
	expression, ok := stmt.(*syntax.ExprStmt)
	if !ok {
		return "", false
	}
	call, ok := expression.X.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	if name, ok := call.Fn.(*syntax.Ident); !ok || name.Name != "print" {
		return "", false
	}
	literal, ok := call.Args[0].(*syntax.Literal)
	if !ok || literal.Token != syntax.STRING {
		return "", false
	}
	text = strings.Trim(literal.Value.(string), "\n")
	return plainMarkdown.Replace(text), strings.Contains(text, "\n")
}

// plainMarkdown escapes the characters with a meaning inside a line of Markdown.
var plainMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "$", `\$`)

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
	code   []string // the lines of the current cell
	acting bool     // the cell does more than define names
}

// take adds the lines from first to last, counted from 1, to the cell's code.
func (c *cutter) take(first, last int) {
	if first <= last {
		c.code = append(c.code, c.lines[first-1:min(last, len(c.lines))]...)
	}
}

// between handles the lines between two statements, which are blank or comments.
func (c *cutter) between(first, last int) {
	apart := first == 1 // separated from the previous statement
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

// title matches the part of a text that can be a heading.
var title = regexp.MustCompile(`^.+?(?:[:.?] |[:.]?$)`)

// rule matches the dashes that mark a section's heading in a script.
var rule = regexp.MustCompile(`^-{4,} | -{4,}$`)

// text turns comment lines into Markdown.
func (c *cutter) text(comment []string) string {
	var out []string
	for _, line := range comment {
		line = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "), " ")
		if strings.HasPrefix(line, "  ") {
			line = "  " + line // four blanks: preformatted
		}
		out = append(out, line)
	}
	heading := rule.ReplaceAllString(out[0], "")
	heading = rule.ReplaceAllString(heading, "") // removes dashes on both sides
	switch {
	case len(c.cells) == 0:
		return opening(out)
	case heading != out[0]:
		return strings.TrimRight("## "+capitalized(heading)+"\n\n"+strings.Trim(strings.Join(out[1:], "\n"), "\n"), "\n")
	case len(out) == 1 && !strings.HasSuffix(out[0], ":"):
		return "## " + strings.TrimSuffix(out[0], ".")
	}
	return strings.Join(out, "\n")
}

// opening turns a script's first comment into a title and the text that follows it.
func opening(lines []string) string {
	end := slices.Index(append(lines, ""), "")
	paragraph := strings.Join(lines[:end], " ")
	heading := title.FindString(paragraph)
	rest := capitalized(strings.TrimPrefix(paragraph, heading))
	if rest != "" {
		rest += "\n"
	}
	return strings.TrimRight("# "+strings.TrimRight(heading, ":. ")+"\n\n"+strings.TrimLeft(rest+strings.Join(lines[end:], "\n"), "\n"), "\n")
}

func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Encode returns a notebook without outputs.
func Encode(cells []Cell, info Info) []byte {
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
	data, _ := json.MarshalIndent(map[string]any{ // cannot fail: strings and numbers only
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{
			"dpworkbench": info,
			"kernelspec":  map[string]any{"display_name": "dpworkbench", "language": "starlark", "name": "dpworkbench"},
		},
	}, "", " ")
	return append(data, '\n')
}
