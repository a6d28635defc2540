package script

import (
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/syntax"
)

// Input tells whether a piece of source is complete.
type Input int

const (
	InputComplete   Input = iota // it can run (or fail)
	InputIncomplete              // brackets, a string or a line are open
	InputBlock                   // a block that further lines could extend; a blank line ends it
)

// Completeness reports whether source, the lines entered so far without the last newline, is complete. It runs
// nothing.
func Completeness(source string) Input {
	st := scan(source)
	switch {
	case len(st.quote) == 3, len(st.open) > 0, st.continued:
		return InputIncomplete
	case !st.block || st.blank:
		return InputComplete
	case !st.indented && !st.colon: // a statement after the block
		return InputComplete
	}
	return InputBlock
}

// scanned is the result of a scan of the characters of source.
type scanned struct {
	open      []int  // offsets of open brackets
	quote     string // the quote of an open string
	continued bool   // the last line ends in a backslash
	block     bool   // some statement is indented, or ends in a colon
	indented  bool   // the last statement starts indented
	colon     bool   // the last statement ends in a colon, so far
	blank     bool   // the last line is empty
}

// scan looks for open brackets and strings, and where statements start.
func scan(source string) scanned {
	var st scanned
	start, column := true, 0 // before the first character of a statement
	st.blank = true
	for i := 0; i < len(source); i++ {
		c := source[i]
		if st.quote != "" {
			switch {
			case c == '\\':
				i++
				st.continued = i == len(source)
			case strings.HasPrefix(source[i:], st.quote):
				i += len(st.quote) - 1
				st.quote = ""
			case c == '\n' && len(st.quote) == 1:
				st.quote = "" // an unclosed string, which the parser reports
				i--
			}
			continue
		}
		st.continued = false
		switch c {
		case '\n':
			if len(st.open) == 0 {
				st.block = st.block || st.colon
				start, column = true, 0
			}
			st.blank = true
			continue
		case ' ', '\t':
			column++
			continue
		case '#':
			for i+1 < len(source) && source[i+1] != '\n' {
				i++
			}
			st.blank = false
			continue
		}
		if st.blank = false; start {
			start, st.indented = false, column > 0
			st.block = st.block || st.indented
		}
		st.colon = false
		switch c {
		case '"', '\'':
			st.quote = string(c)
			if triple := strings.Repeat(st.quote, 3); strings.HasPrefix(source[i:], triple) {
				st.quote = triple
				i += 2
			}
		case '(', '[', '{':
			st.open = append(st.open, i)
		case ')', ']', '}':
			st.open = st.open[:max(0, len(st.open)-1)]
		case ':':
			st.colon = len(st.open) == 0
		case '\\':
			if i+1 == len(source) || source[i+1] == '\n' {
				st.continued = i+1 >= len(source)-1
				i++
			}
		}
	}
	st.block = st.block || st.colon
	return st
}

// Dedent removes the indentation that all lines share, as a pasted block has,
// and turns tabs at the start of lines into four blanks.
func Dedent(source string) string {
	lines := strings.Split(source, "\n")
	common := -1
	for i, line := range lines {
		body := strings.TrimLeft(line, " \t")
		indent := strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    ")
		if lines[i] = indent + body; body == "" {
			lines[i] = ""
		} else if common < 0 || len(indent) < common {
			common = len(indent)
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(common, 0), len(line)):]
	}
	return strings.Join(lines, "\n")
}

// finalExpression returns the offset of the last statement of source if that statement is an expression, and −1
// otherwise.
func finalExpression(source string) int {
	f, err := parse("<input>", source, 0)
	if err != nil || len(f.Stmts) == 0 {
		return -1
	}
	last, ok := f.Stmts[len(f.Stmts)-1].(*syntax.ExprStmt)
	if !ok {
		return -1
	}
	start, _ := last.Span()
	lines := strings.SplitAfter(source, "\n")
	if int(start.Line) > len(lines) {
		return -1
	}
	runes := []rune(lines[start.Line-1])
	return len(strings.Join(lines[:start.Line-1], "")) + len(string(runes[:min(int(start.Col)-1, len(runes))]))
}

// Magic is an input that is not Starlark: name? and ?name show help, "%time x" prints the time that x took,
// "%timeit x" its shortest time.
type Magic struct {
	Source  string // Starlark to run instead; "" if the word is unknown
	Keep    string // what to record of the input; "" for nothing
	Timed   bool   // say how long it took
	Problem string // why Source is ""
}

// question matches name? or ?name, but not a comment that ends in a question mark
var question = regexp.MustCompile(`^\?[\w.]+$|^[\w.]+\?$`)

// ParseMagic parses an input; ok is false if it is Starlark.
func ParseMagic(source string) (m Magic, ok bool) {
	text := strings.TrimSpace(source)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case question.MatchString(text):
		return Magic{Source: fmt.Sprintf("help(%q)", strings.Trim(text, "? "))}, true
	case !strings.HasPrefix(text, "%"):
		return Magic{}, false
	case word == "%time" && rest != "":
		return Magic{Source: rest + "\n", Keep: rest + "\n", Timed: true}, true
	case word == "%timeit" && rest != "":
		return Magic{Source: "timeit(lambda: (" + rest + "))"}, true
	}
	return Magic{Problem: word + " is not known here: there are %time and %timeit, name? and help()"}, true
}
