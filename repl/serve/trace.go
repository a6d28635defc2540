package serve

import (
	"errors"
	"fmt"
	"strings"

	"dpworkbench/internal/redact"
	"dpworkbench/script"

	"go.starlark.net/syntax"
)

// The colours of a back-trace. Notebooks show back-traces on pale or dark red, where red letters are hard to read, so
// the main text is bold in the default colour.
const bold, green, blue, off = "\x1b[1m", "\x1b[32m", "\x1b[34m", "\x1b[0m"

// describe returns an error as a client displays it.
func (v *server) describe(err error) map[string]any {
	var script *script.ScriptError
	if !errors.As(err, &script) {
		return failed("Error", redact.Text(err.Error()), nil)
	}
	name, trace := "Error", []string(nil)
	var syntaxError syntax.Error
	switch {
	case script.Interrupted:
		name = "Interrupted"
	case errors.As(script.Err, &syntaxError):
		name = "SyntaxError"
	}
	const shown = 6 // number of frames shown at either end of a deep recursion
	for i, f := range script.Frames {
		if middle := len(script.Frames) - 2*shown; middle > 1 && i >= shown && i < shown+middle {
			if i == shown {
				trace = append(trace, fmt.Sprintf("… %d calls more …", middle))
			}
			continue
		}
		trace = append(trace, v.frame(f))
	}
	return failed(name, script.Msg, trace)
}

// failed returns the content of an error. Its back-trace ends in the error's name and text.
func failed(name, text string, trace []string) map[string]any {
	return map[string]any{"status": "error", "ename": name, "evalue": text, "traceback": append(trace, bold+name+off+": "+text)}
}

// frame returns a position with the lines around it, and marks the failing one.
func (v *server) frame(f script.Frame) string {
	var b strings.Builder
	name := f.File
	if number, ok := strings.CutPrefix(strings.TrimSuffix(f.File, ">"), "<cell "); ok {
		name = "Cell [" + number + "]"
	}
	fmt.Fprintf(&b, "%s%s%s, line %d, column %d", green, name, off, f.Line, f.Col)
	if f.Function != "" {
		fmt.Fprintf(&b, ", in %s%s%s", blue, f.Function, off)
	}
	source, ok := v.notebook.cells[f.File]
	if !ok {
		if f.Source != "" {
			fmt.Fprintf(&b, "\n%s----> %d%s %s", bold, f.Line, off, f.Source)
		}
		return b.String()
	}
	const around = 2
	lines := redact.Lines(strings.Split(strings.TrimRight(source, "\n"), "\n"))
	for n := max(1, f.Line-around); n <= min(len(lines), f.Line+around); n++ {
		if n == f.Line {
			fmt.Fprintf(&b, "\n%s%5s %d%s %s", bold, "---->", n, off, lines[n-1])
			continue
		}
		fmt.Fprintf(&b, "\n%s%7d%s %s", green, n, off, lines[n-1])
	}
	return b.String()
}
