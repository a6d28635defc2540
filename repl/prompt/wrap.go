package prompt

import (
	"strings"

	"dpworkbench/script"

	"github.com/clipperhouse/displaywidth"
	"go.starlark.net/starlark"
)

// wrap breaks the lines of a text at blanks, so that the terminal does not break them inside words. Continuation lines
// are indented by two more columns.
func wrap(text string, width int) string {
	if width <= 0 {
		width = 80
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, wrapLine(line, width)...)
	}
	return strings.Join(out, "\n")
}

// replay is the label before a line of script inside a text.
const replay = "replay: "

func wrapLine(line string, width int) []string {
	if displaywidth.String(line) <= width {
		return []string{line}
	}
	words := strings.Split(line, " ")
	if before, script, ok := strings.Cut(line, replay); ok {
		words = append(strings.Split(before, " "), bracketed(script)...)
		words[strings.Count(before, " ")] += strings.TrimSuffix(replay, " ")
	}
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+2)
	out := []string{""}
	begun := false // a character other than a blank has been seen
	for i, word := range words {
		last := &out[len(out)-1]
		if begun && displaywidth.String(*last)+1+displaywidth.String(word) > width {
			out = append(out, indent+word)
			continue
		}
		if i > 0 {
			*last += " "
		}
		*last += word
		begun = begun || word != ""
	}
	return out
}

// bracketed splits a line of script at blanks that are inside brackets and outside quotes. A script broken at these
// blanks still runs when pasted.
func bracketed(script string) []string {
	var words []string
	depth, begin, quote := 0, 0, byte(0)
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == ' ' && depth > 0:
			words = append(words, script[begin:i])
			begin = i + 1
		}
	}
	return append(words, script[begin:])
}

// wordy reports whether a value is shown as prose, which is wrapped. Numbers, strings and collections are not wrapped,
// so that they can be copied. Figures fit the width of the terminal already.
func wordy(v starlark.Value) bool {
	switch v.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set, *script.Matrix:
		return false
	case starlark.HasAttrs:
		return script.Figure(v) == nil
	}
	return false
}
