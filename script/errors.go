package script

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"dpworkbench/internal/nearest"
	"dpworkbench/internal/redact"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Frame is one line of a back-trace.
type Frame struct {
	File      string
	Line, Col int
	Function  string // "" at top level
	Source    string // the line of source, trimmed; "" if unknown
}

// ScriptError is an error in a chunk with its position.
type ScriptError struct {
	Msg         string
	Frames      []Frame // outermost first
	Interrupted bool
	Err         error
}

// Error returns the message with the innermost place.
func (e *ScriptError) Error() string {
	if n := len(e.Frames); n > 0 {
		f := e.Frames[n-1]
		return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, e.Msg)
	}
	return e.Msg
}

// Unwrap returns the error that the chunk ended with.
func (e *ScriptError) Unwrap() error { return e.Err }

// Backtrace returns the places of the calls from the outermost to the innermost, each with its line of source, followed
// by the message.
func (e *ScriptError) Backtrace() string {
	var b strings.Builder
	const shown = 6 // number of frames shown at either end of a deep recursion
	for i, f := range e.Frames {
		if middle := len(e.Frames) - 2*shown; middle > 1 && i >= shown && i < shown+middle {
			if i == shown {
				fmt.Fprintf(&b, "    … %d calls more …\n", middle)
			}
			continue
		}
		fmt.Fprintf(&b, "%s:%d:%d:", f.File, f.Line, f.Col)
		if f.Function != "" {
			fmt.Fprintf(&b, " in %s", f.Function)
		}
		b.WriteString("\n")
		if f.Source != "" {
			fmt.Fprintf(&b, "    %s\n", f.Source)
		}
	}
	fmt.Fprintf(&b, "error: %s\n", e.Msg)
	return b.String()
}

// frame returns a back-trace line for a position.
func (s *Session) frame(pos syntax.Position, function string) Frame {
	f := Frame{File: pos.Filename(), Line: int(pos.Line), Col: int(pos.Col), Function: function}
	if lines := s.sources[f.File]; f.Line >= 1 && f.Line <= len(lines) {
		const around = 5 // lines before and after over which a URL may be assembled
		begin := max(0, f.Line-1-around)
		shown := redact.Lines(lines[begin:min(len(lines), f.Line+around)])
		f.Source = excerpt(shown[f.Line-1-begin], f.Col)
	}
	return f
}

// excerpt returns a line of source without its indentation. For a long line, it returns the part around a column.
func excerpt(line string, column int) string {
	const most = 200
	if len(line) <= most {
		return strings.TrimSpace(line)
	}
	end := min(len(line), max(column, 1)+most/2)
	start := max(0, end-most)
	text := strings.TrimSpace(strings.ToValidUTF8(line[start:end], ""))
	if start > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}

// scriptError converts the error that a chunk ended with to a ScriptError, and keeps an Exit. For nil it returns nil.
func (s *Session) scriptError(err error) error {
	if err == nil {
		return nil
	}
	if exit := new(Exit); errors.As(err, &exit) {
		return exit
	}
	if done := new(ScriptError); errors.As(err, &done) {
		return done
	}
	out := &ScriptError{Err: err}
	if e := new(starlark.EvalError); errors.As(err, &e) {
		s.fill(out, innermost(e))
	} else if !s.unread(out, err) {
		out.Msg = err.Error()
	}
	out.Msg = redact.Text(out.Msg)
	return out
}

// unread handles an error about source that could not be parsed or resolved: it fills in the message and the place. It
// returns false for other errors.
func (s *Session) unread(out *ScriptError, err error) bool {
	var at syntax.Error
	var unresolved resolve.ErrorList
	switch {
	case errors.As(err, &unresolved):
		at = syntax.Error(unresolved[0])
	case !errors.As(err, &at):
		return false
	}
	line := ""
	if lines, n := s.sources[at.Pos.Filename()], int(at.Pos.Line); n >= 1 && n <= len(lines) {
		line = lines[n-1]
	}
	out.Msg, out.Frames = s.typeHint(hint(at.Msg, line)), append(out.Frames, s.frame(at.Pos, ""))
	return true
}

// innermost returns the deepest evaluation error, which has the full call stack.
func innermost(e *starlark.EvalError) *starlark.EvalError {
	for errors.As(e.Unwrap(), &e) {
		continue
	}
	return e
}

func (s *Session) fill(out *ScriptError, e *starlark.EvalError) {
	for _, fr := range e.CallStack {
		if fr.Pos.Filename() == "<builtin>" {
			continue
		}
		function := fr.Name
		if function == toplevelName {
			function = ""
		}
		out.Frames = append(out.Frames, s.frame(fr.Pos, function))
	}
	var undefined undefinedError
	switch cause := e.Unwrap(); {
	case errors.Is(cause, ErrStopped) || strings.HasSuffix(e.Msg, "cancelled: "+ErrStopped.Error()):
		out.Msg, out.Interrupted = ErrStopped.Error(), true
		if partial := new(stoppedWith); errors.As(cause, &partial) {
			out.Msg = partial.Error()
		}
		return
	case s.unread(out, cause): // a syntax error in a loaded library
		return
	case !errors.As(cause, &undefined):
		m := uninitialized.FindStringSubmatch(e.Msg)
		if m == nil {
			out.Msg = hint(e.Msg, "")
			if n := len(out.Frames); n > 0 {
				out.Msg = s.withCall(out.Msg, out.Frames[n-1].Source)
			}
			return
		}
		undefined = undefinedError(m[1])
	}
	out.Msg = s.typeHint(undefined.Error() + nearest.Hint(string(undefined), s.Names()))
}

// typeHint extends the message about an undefined name if the name is that of a type.
func (s *Session) typeHint(msg string) string {
	name, undefined := strings.CutPrefix(msg, "undefined: ")
	name, _, _ = strings.Cut(name, " ")
	if !undefined || s.typeOf(name) == nil {
		return msg
	}
	return fmt.Sprintf("undefined: %s (it is a type: help(%q) says what one has)", name, name)
}

var uninitialized = regexp.MustCompile(`^internal error: predeclared variable \$(\S+) is uninitialized$`)

// lineHints are advice for Python users about lines that cannot be parsed.
var lineHints = []struct {
	line   *regexp.Regexp
	advice string
}{
	{regexp.MustCompile(`^\s*assert\b`), `a script checks by: if not condition: fail("message")`},
	{regexp.MustCompile(`^\s*print\s+[^\s(=]`), "print is called: print(x)"},
	{regexp.MustCompile(`(?:^|\W)[fF]["']`), `there are no f-strings: write "%s" % x`},
}

// hints are advice for Python users that is added to Starlark's messages.
var hints = []struct {
	pattern *regexp.Regexp
	advice  string
}{
	{regexp.MustCompile(`evidence.* is not decided: `), "write e.value where the number is meant"},
	{regexp.MustCompile(`does not associate with`), "comparisons do not chain: write a < b and b < c"},
	{regexp.MustCompile(`unknown binary op: \^|unknown binary op: int \^ float`), "a power is math.pow(x, y)"},
	{regexp.MustCompile(`got '\*\*'`), "a power is math.pow(x, y)"},
	{regexp.MustCompile(`unknown conversion %`), `digits are asked for with fmt: "%s" % fmt(x, 4)`},
	{regexp.MustCompile(`format spec features not supported`), `digits are asked for with fmt: "{}".format(fmt(x, 4))`},
	{regexp.MustCompile(`got '=', want newline`), "one assignment a statement: a = 3; b = a"},
	{regexp.MustCompile(`got string literal, want (newline|'[,)\]}:]'|indent)`), "strings are joined with +"},
	{regexp.MustCompile(`shift count too large`), "a shift is by less than 512 bits: (1 << 500) << 500"},
	{regexp.MustCompile(`got (int literal|float literal|identifier|not), want newline`), "one statement a line, or ; between two"},
	{regexp.MustCompile(`invalid call of non-function \(matrix\)`), "m[i][j] is an entry"},
	{regexp.MustCompile(`\b(?:function|builtin\w*) has no \.(\w+) field or method`), "it is called first, with brackets: f(…).$1"},
	{regexp.MustCompile(`invalid call of non-function \(`), "it is a value: write it without brackets"},
	{regexp.MustCompile(`unexpected keyword argument "end"`), `print ends a line: join what belongs on one with "%s %s" % (a, b)`},
	{regexp.MustCompile(`got (import|from)|illegal token.*import`), `nothing is imported: math and json are there, and load("lib.star", "f") loads a script`},
	{regexp.MustCompile(`^undefined: (raw_)?input\b`), "a script asks no questions: give values with --set name=value and read args"},
	{regexp.MustCompile(`unknown (?:binary|unary) op: .*\bfunction\b`), "it is called first, with brackets: x.name()"},
	{regexp.MustCompile(`tuple has no \.\w+ field`), "its elements are t[0], t[1]; a, b = t takes it apart"},
	{regexp.MustCompile(`got '[,}]', want ':'`), "a set is written set([1, 2])"},
	{regexp.MustCompile(`^undefined: assert\b`), `a script checks by: if not condition: fail("message")`},
	{regexp.MustCompile(`got (try|except|raise|with|class|yield|async|global|nonlocal|del|is)\b`), "this word of Python is not part of the language"},
}

// hint appends advice to a message of the language if some fits. It shortens the message, which may quote long input.
// line is the line that could not be parsed, or "" for other errors.
func hint(msg, line string) string {
	msg = brevity(redact.Text(strings.TrimPrefix(msg, "Starlark computation cancelled: ")))
	for _, h := range lineHints {
		if strings.HasPrefix(msg, "got ") && h.line.MatchString(line) {
			return msg + " (" + h.advice + ")"
		}
	}
	for _, h := range hints {
		if loc := h.pattern.FindStringSubmatchIndex(msg); loc != nil {
			return msg + " (" + string(h.pattern.ExpandString(nil, h.advice, msg, loc)) + ")"
		}
	}
	return msg
}

// ReasonOf returns the error of an objective function on one line, with its place in the script.
func (s *Session) ReasonOf(err error) error {
	if exit := new(Exit); errors.As(err, &exit) {
		return exit
	}
	text, _, _ := strings.Cut(s.scriptError(err).Error(), "\n")
	return errors.New(text)
}
