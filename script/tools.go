package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dpworkbench/internal/redact"

	"go.starlark.net/starlark"
)

// Exit is the error of Exec if a chunk calls exit.
type Exit struct{ Status int }

// Error implements error.
func (e *Exit) Error() string { return fmt.Sprintf("exit with status %d", e.Status) }

// sessionBuiltins returns the built-ins about the session itself.
func sessionBuiltins() []Builtin {
	return []Builtin{
		Func("help(topic: value=None) -> none",
			"Explains a value, or a name or a word of the glossary given as a string; without one, lists everything. A type is named by a string, and so is an attribute that is a number: help(\"mechanism\"), help(\"evidence.kind\"). If there is no such name, the manual is searched as with apropos. At the prompt, name? does the same.", "help(ln)",
			func(c *Call) (any, error) {
				text := c.Session.overview()
				if c.Spelled("topic") {
					text = c.Session.helpOn(c.Value("topic"))
				}
				return nil, c.Session.page(text)
			}),
		Func("apropos(text: string, all: bool=False) -> none",
			"Searches the manual and the glossary for words, and prints the entries that contain all of them: first by name, then by first sentence, then by text. ε and epsilon count as one word, and so do δ and delta. all=True lists all results.", "apropos(\"smallest epsilon\")",
			func(c *Call) (any, error) {
				text := c.Session.Apropos(c.Text("text"), c.Bool("all"))
				if text == "" {
					text = fmt.Sprintf("Nothing in the manual has %q. help() lists everything.\n", c.Text("text"))
				}
				return nil, c.Session.page(text)
			}),
		Func("show(x: value) -> none",
			"Prints a value as the prompt does: strings in quotes, pictures in colour if the terminal can, or as images in a notebook. None prints nothing.", "show(ln(3))",
			func(c *Call) (any, error) {
				if c.Session.OnShow != nil && c.Given("x") {
					return nil, c.Session.OnShow(c.Value("x"))
				}
				text := c.Session.Show(c.Value("x"))
				if text != "" {
					text += "\n"
				}
				c.Session.ClearProgress()
				_, err := fmt.Fprint(c.Session.Stdout, text)
				return nil, err
			}),
		Func("who() -> none", "Prints the names defined in this session with their types and values.", "x = 1\nwho()", who),
		Func("reset() -> none", "Deletes every name defined in this session, and the input that save would write.", "reset()",
			func(c *Call) (any, error) { c.Session.Reset(); return nil, nil }),
		Func("save(path: string) -> none",
			"Writes what was entered at this prompt to a script that prints the same values. Entries that failed are kept as comments.", `save("session.star")`,
			func(c *Call) (any, error) {
				if len(c.Session.entries) == 0 {
					return nil, errors.New("there is nothing to save: only the prompt records what is entered")
				}
				return nil, c.Session.Write(c.Text("path"), []byte(c.Session.script()))
			}),
		Func("timeit(f: function, seconds: number[0..3600]=0.2) -> number",
			"Seconds that one call f() takes, a float: the fastest of several rounds, which together take about the given seconds. At the prompt, %time expression prints the time of one evaluation.", "timeit(lambda: sum(range(1000)), seconds=0.01) < 1", timeit),
		Func("timed(what: string, f: function) -> value",
			"The value of f(). Its time in seconds is printed on standard error with the label what, so standard output stays the same.", "timed(\"a sum\", lambda: sum(range(1000)))",
			func(c *Call) (any, error) {
				start := time.Now()
				v, err := c.Callable("f")()
				if err == nil {
					c.Session.ClearProgress()
					fmt.Fprintf(c.Session.Stderr, "%s: %.2f s\n", redact.Text(c.Text("what")), time.Since(start).Seconds())
				}
				return v, err
			}),
		Func("exit(status: int[0..255]=0) -> none",
			"Leaves the prompt, or ends the script with the given exit status (0 to 255). Ctrl-D leaves the prompt too.", "exit()",
			func(c *Call) (any, error) { return nil, &Exit{c.Int("status")} }),
	}
}

// page prints a text that may be longer than a screen.
func (s *Session) page(text string) error {
	s.ClearProgress()
	if s.OnText != nil {
		s.OnText(text)
		return nil
	}
	_, err := fmt.Fprint(s.Stdout, text)
	return err
}

func who(c *Call) (any, error) {
	s := c.Session
	names := slices.DeleteFunc(s.Defined(), func(name string) bool { return s.Get(name) == nil || name == "_" || name == "args" })
	wide, kind := 16, 12 // widths of columns
	for _, name := range names {
		wide, kind = max(wide, min(len(name), 30)), max(kind, min(len(s.Get(name).Type()), 20))
	}
	s.ClearProgress()
	for _, name := range names {
		v := s.Get(name)
		fmt.Fprintln(s.Stdout, cutTo(fmt.Sprintf("%-*s %-*s %s", wide, name, kind, v.Type(), Brief(v)), 80))
	}
	return nil, nil
}

// cutTo cuts a line to width characters.
func cutTo(line string, width int) string {
	if runes := []rune(line); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return line
}

func timeit(c *Call) (any, error) {
	f := c.Callable("f")
	budget := time.Duration(c.Float("seconds") * float64(time.Second))
	round := func(n int) (time.Duration, error) {
		start := time.Now()
		for range n {
			if _, err := f(); err != nil {
				return 0, err
			}
		}
		return time.Since(start), nil
	}
	begin, n := time.Now(), 1
	best, err := round(n)
	for err == nil && best < budget/10 && best < time.Second {
		n *= 2
		best, err = round(n)
	}
	for err == nil && time.Since(begin) < budget {
		var took time.Duration
		took, err = round(n)
		best = min(best, took)
	}
	return best.Seconds() / float64(n), err
}

// entry is one input of the prompt.
type entry struct {
	source string
	value  int  // where the final expression starts, or −1
	ok     bool // whether it ran without error
}

// Record keeps an input for save. value and err are what Exec returned.
func (s *Session) Record(source string, value starlark.Value, err error) {
	e := entry{source: source, value: -1, ok: err == nil}
	if err == nil && value != nil && value != starlark.None {
		e.value = finalExpression(source)
	}
	s.entries = append(s.entries, e)
}

// script returns the recorded inputs as a script.
func (s *Session) script() string {
	var b strings.Builder
	b.WriteString("# A session of the workbench; run it with: workbench run FILE\n")
	for _, e := range s.entries {
		source := strings.TrimRight(e.source, "\n")
		switch {
		case !e.ok:
			b.WriteString("# failed: " + strings.ReplaceAll(source, "\n", "\n# ") + "\n")
		case e.value < 0:
			b.WriteString(source + "\n")
		default:
			b.WriteString(source[:e.value] + "_ = " + source[e.value:] + "\nshow(_)\n")
		}
	}
	return b.String()
}
