package repl

import (
	"strings"

	"go.starlark.net/syntax"
)

// Input says how far a piece of source has come.
type Input int

const (
	InputComplete   Input = iota // it can run (or fail)
	InputIncomplete              // brackets, a string or a line are open
	InputBlock                   // a block that further lines could extend; a blank line ends it
)

// Completeness says whether source, the lines entered so far without the last
// newline, can run. It never runs anything.
func Completeness(source string) Input {
	if strings.TrimSpace(source) == "" {
		return InputComplete
	}
	st := scan(source)
	switch {
	case st.quote != "" && len(st.quote) == 3, st.depth > 0, st.continued:
		return InputIncomplete
	case st.quote != "": // a string that its line did not close: an error
		return InputComplete
	}
	lines := strings.Split(source, "\n")
	last := lines[len(lines)-1]
	if !st.block {
		return InputComplete
	}
	if strings.TrimSpace(last) == "" && len(lines) > 1 {
		return InputComplete
	}
	return InputBlock
}

// scanned is what a look at the characters of source tells.
type scanned struct {
	depth     int    // open brackets
	quote     string // the quote of an open string
	continued bool   // the last line ends in a backslash
	block     bool   // some line is indented, or ends in a colon
}

// scan looks for open brackets and strings.
func scan(source string) scanned {
	var st scanned
	lineStart, colon := true, false
	for i := 0; i < len(source); i++ {
		c := source[i]
		if st.quote != "" {
			switch {
			case c == '\\':
				i++
			case strings.HasPrefix(source[i:], st.quote):
				i += len(st.quote) - 1
				st.quote = ""
			case c == '\n' && len(st.quote) == 1:
				st.quote = ""
			}
			lineStart = false
			continue
		}
		st.continued = false
		switch {
		case c == '\n':
			st.block = st.block || colon && st.depth == 0
			lineStart, colon = true, false
			continue
		case c == '#':
			for i+1 < len(source) && source[i+1] != '\n' {
				i++
			}
			continue
		case c == '"' || c == '\'':
			st.quote = string(c)
			if triple := strings.Repeat(st.quote, 3); strings.HasPrefix(source[i:], triple) {
				st.quote = triple
				i += 2
			}
		case c == '(' || c == '[' || c == '{':
			st.depth++
		case c == ')' || c == ']' || c == '}':
			st.depth = max(0, st.depth-1)
		case c == '\\' && (i+1 == len(source) || source[i+1] == '\n'):
			st.continued = i+1 == len(source)
			i++
			lineStart = false
			continue
		}
		if c == ' ' || c == '\t' {
			if lineStart && st.depth == 0 && i > 0 && nonBlank(source[i:]) {
				st.block = true
			}
			continue
		}
		lineStart = false
		colon = c == ':'
	}
	st.block = st.block || colon && st.depth == 0
	return st
}

// nonBlank reports whether the first line of text has more than blanks.
func nonBlank(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line) != ""
}

// Dedent removes the indentation that all lines share, as a pasted block has,
// and turns tabs at the start of lines into four blanks.
func Dedent(source string) string {
	lines := strings.Split(source, "\n")
	common := -1
	for i, line := range lines {
		body := strings.TrimLeft(line, " \t")
		indent := strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    ")
		lines[i] = indent + body
		if body == "" {
			lines[i] = ""
			continue
		}
		if common < 0 || len(indent) < common {
			common = len(indent)
		}
	}
	for i, line := range lines {
		if line != "" && common > 0 {
			lines[i] = line[common:]
		}
	}
	return strings.Join(lines, "\n")
}

// finalExpression returns the offset at which the expression statement that
// ends source starts, −1 where it ends in something else.
func finalExpression(source string) int {
	f, err := dialect.Parse("<input>", source, 0)
	if err != nil || len(f.Stmts) == 0 {
		return -1
	}
	last, ok := f.Stmts[len(f.Stmts)-1].(*syntax.ExprStmt)
	if !ok {
		return -1
	}
	start, _ := last.Span()
	offset := 0
	for i, line := range strings.SplitAfter(source, "\n") {
		if i+1 == int(start.Line) {
			runes := []rune(line)
			return offset + len(string(runes[:min(int(start.Col)-1, len(runes))]))
		}
		offset += len(line)
	}
	return -1
}
