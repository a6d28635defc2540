package prompt

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"dpworkbench/display"
	"dpworkbench/script"

	"github.com/clipperhouse/displaywidth"
	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
)

// editor edits whole inputs, of one line or many, with history and completion.
type editor struct {
	shell   *readline.Shell
	session *script.Session
	history *history
	color   bool
	indent  string // the indentation of the line that Enter began
	restore func() // restores the terminal

	stops    *stops
	stopping sync.Mutex
	closing  sync.Once
}

// errStopped ends reading after Ctrl-Z. The input is kept.
var errStopped = errors.New("stopped")

// newEditor returns an editor on the process's terminal.
func newEditor(s *script.Session, o Options) *editor {
	e := &editor{
		shell: readline.NewShell(), session: s, history: openHistory(o.History),
		color: s.Terminal.Colors != display.NoColor,
	}
	for name, value := range map[string]any{
		"enable-bracketed-paste":       true,
		"convert-meta":                 false, // é is a letter, not Alt with a key
		"input-meta":                   true,
		"output-meta":                  true,
		"bell-style":                   "none",
		"cursor-position-probe":        false, // the terminal's replies would mix with typed keys
		"menu-complete-display-prefix": true,  // Tab completes the common prefix and lists the candidates
		"usage-hint-always":            true,
		"search-ignore-case":           true,
	} {
		_ = e.shell.Config.Set(name, value) // cannot fail
	}
	for key, command := range map[string]string{
		`\C-z`: "stop", `\t`: "menu-complete", `\M-[Z`: "menu-complete-backward",
		`\M-[A`: "up-line-or-history", `\M-OA`: "up-line-or-history",
		`\M-[B`: "down-line-or-history", `\M-OB`: "down-line-or-history",
	} {
		_ = e.shell.Config.Bind("emacs", inputrc.Unescape(key), command, false) // cannot fail
	}
	e.shell.Prompt.Primary(func() string { return styled(s.Terminal, "1;36", ">>> ") })
	e.shell.History.Add("inputs", e.history) // replaces the editor's own history
	enter := e.shell.Keymap.Commands()["accept-line"]
	e.shell.Keymap.Register(map[string]func(){"accept-line": func() {
		e.indent = ""
		enter()
		e.shell.Cursor().InsertAt([]rune(e.indent)...)
	}})
	e.shell.Keymap.Register(map[string]func(){"stop": func() {
		e.shell.Display.AcceptLine() // moves the cursor to the line below
		e.shell.History.Accept(true, false, errStopped)
	}})
	abort := e.shell.Keymap.Commands()["abort"]
	e.shell.Keymap.Register(map[string]func(){"abort": func() { // Ctrl-C drops the line, not only an open menu
		abort()
		if accepted, _, _ := e.shell.History.LineAccepted(); !accepted && slices.Equal(e.shell.Keys.Caller(), []rune{3}) {
			e.shell.Display.AcceptLine()
			e.shell.History.Accept(false, false, readline.ErrInterrupt)
		}
	}})
	for _, command := range []string{"edit-and-execute-command", "edit-command-line"} {
		e.ontoTerminal(command)
	}
	e.repeatSearch("reverse-search-history", "menu-complete")
	e.repeatSearch("forward-search-history", "menu-complete-backward")
	e.outdent("backward-delete-char")
	e.shell.AcceptMultiline = e.accept
	e.shell.Completer = e.complete
	e.shell.PasteTransformer = tidyPaste
	e.shell.SyntaxHighlighter = func(line []rune) string {
		painted := line
		if e.color {
			painted = paintBrackets(line, e.shell.Cursor().Pos())
		}
		width, _ := terminalSize()
		return endRows(string(painted), string(line), width)
	}
	e.restore = quiet()
	e.stops = watchStops(e.suspend)
	return e
}

func (e *editor) read() (text string, err error) {
	defer func() {
		if r := recover(); r != nil { // a panic in the editor loses one input, not the session
			text, err = "", errInterrupt
		}
	}()
	for err = errStopped; errors.Is(err, errStopped); {
		mended(styled(e.session.Terminal, "90", "│ "), func() { text, err = e.shell.Readline() })
		if errors.Is(err, errStopped) {
			e.suspend()
		}
	}
	if errors.Is(err, readline.ErrInterrupt) {
		return "", errInterrupt
	}
	return text, err
}

// Close restores the terminal.
func (e *editor) Close() error {
	e.closing.Do(e.stops.close)
	e.restore()
	return nil
}

// accept reports whether Enter ends the input. If not, accept begins a new line with the indentation of the block.
func (e *editor) accept(line []rune) bool {
	text := string(line)
	if e.history.recalled(text) || !strings.Contains(text, "\n") && isMagic(text) {
		return true
	}
	if complete(text) {
		return true
	}
	if !e.shell.Keys.Empty() { // pasted without brackets, or typed ahead: the next line has its own indentation
		return false
	}
	e.indent = indentAfter(string(line[:e.shell.Cursor().Pos()]))
	return false
}

// complete implements Tab. At the beginning of a line it indents. Elsewhere it lists the completions, and the signature
// of the call around the cursor.
func (e *editor) complete(line []rune, cursor int) readline.Completions {
	source := string(line[:cursor])
	last := source[strings.LastIndexByte(source, '\n')+1:]
	if strings.TrimSpace(last) == "" {
		e.shell.Cursor().InsertAt([]rune("    "[len(last)%4:])...)
		return readline.Completions{}
	}
	found := e.session.Complete(source)
	// For the editor a word is everything since the last blank, and its length is counted in bytes. So only the part
	// after the last non-ASCII character can be replaced.
	begin := min(found.Start, 1+strings.LastIndexFunc(source, func(r rune) bool { return r == ' ' || r == '\n' || r > 127 }))
	for begin < len(source) && source[begin] > 127 {
		begin++
	}
	crowded := 0
	if rows := 1 + strings.Count(string(line), "\n"); !fits(found.Candidates, rows) {
		crowded = len(found.Candidates)
		found.Candidates = shared(found.Candidates, source[found.Start:])
	}
	values := make([]readline.Completion, len(found.Candidates))
	for i, c := range found.Candidates {
		values[i] = readline.Completion{Value: source[begin:found.Start] + c, Display: c}
	}
	out := readline.CompleteRaw(values)
	out.PREFIX = source[begin:]
	switch {
	case crowded > 0:
		out = out.Usage("%d names begin like this: type another letter", crowded)
	case found.Start == len(source):
		width, _ := terminalSize()
		if signature := e.session.Signature(source); signature != "" {
			out = out.Usage("%s", wrap(signature, width))
		}
	}
	return out
}

// fits reports whether the terminal has enough rows for a list of candidates below an input. If it has not, the editor
// overwrites the rows above.
func fits(candidates []string, input int) bool {
	width, height := terminalSize()
	wide := 1
	for _, c := range candidates {
		wide = max(wide, displaywidth.String(c)+2)
	}
	columns := max(1, width/wide)
	const signature = 3 // rows for the signature, and the same number for lines that wrap
	return len(candidates) < 2 || (len(candidates)+columns-1)/columns+input+2*signature <= height
}

// shared returns the common prefix of all candidates, if it is longer than the typed text.
func shared(candidates []string, typed string) []string {
	common := candidates[0]
	for _, c := range candidates {
		for !strings.HasPrefix(c, common) {
			common = common[:len(common)-1]
		}
	}
	if len(common) <= len(typed) {
		return nil
	}
	return []string{common}
}

// ontoTerminal changes an editor command that runs a program, so that os.Stdout is the real terminal while the command
// runs.
func (e *editor) ontoTerminal(command string) {
	run, terminal := e.shell.Keymap.Commands()[command], os.Stdout
	e.shell.Keymap.Register(map[string]func(){command: func() {
		mended := os.Stdout
		os.Stdout = terminal
		defer func() { os.Stdout = mended }()
		run()
	}})
}

// repeatSearch makes the key that opens a search of the history go to the next match while the search is open.
func (e *editor) repeatSearch(command, next string) {
	search, step := e.shell.Keymap.Commands()[command], e.shell.Keymap.Commands()[next]
	e.shell.Keymap.Register(map[string]func(){command: func() {
		if e.shell.Keymap.Local() == "isearch" {
			step()
			return
		}
		search()
	}})
}

// outdent changes a Backspace command: in a line's indentation it deletes a whole level.
func (e *editor) outdent(command string) {
	back := e.shell.Keymap.Commands()[command]
	e.shell.Keymap.Register(map[string]func(){command: func() {
		pos := e.shell.Cursor().Pos()
		before := []rune(*e.shell.Line())[:pos]
		column := 0
		for column < len(before) && before[len(before)-1-column] == ' ' {
			column++
		}
		if begins := column == len(before) || before[len(before)-1-column] == '\n'; begins && column > 0 {
			more := (column - 1) % 4 // besides the one that Backspace deletes anyway
			e.shell.Line().Cut(pos-more, pos)
			e.shell.Cursor().Set(pos - more)
		}
		back()
	}})
}

// tidyPaste makes pasted tabs and control characters harmless. It removes the prompts and the output of a pasted
// session.
func tidyPaste(text string) string {
	text = withoutPrompts(strings.ReplaceAll(text, "\t", "    "))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text)
}

// withoutPrompts returns the inputs of a session that was copied with its prompts, and any other text unchanged.
func withoutPrompts(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \n"), ">>> ") {
		return text
	}
	var inputs []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, " ")
		for _, mark := range []string{">>>", "...", "│"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				inputs = append(inputs, strings.TrimPrefix(rest, " "))
				break
			}
		}
	}
	return strings.Join(inputs, "\n")
}

// paintBrackets marks the bracket before the cursor and its partner.
func paintBrackets(line []rune, pos int) []rune {
	a, b := partners(line, pos)
	if a < 0 {
		return line
	}
	const on, off = "\x1b[1;35m", "\x1b[0m"
	var out []rune
	for i, r := range line {
		if i == a || i == b {
			out = append(append(append(out, []rune(on)...), r), []rune(off)...)
			continue
		}
		out = append(out, r)
	}
	return out
}

// partners returns the positions of the closing bracket just before pos and of its opening bracket. Both are −1 if
// there is no such pair.
func partners(line []rune, pos int) (open, closed int) {
	const openers, closers = "([{", ")]}"
	if pos < 1 || pos > len(line) || !strings.ContainsRune(closers, line[pos-1]) {
		return -1, -1
	}
	depth := 0
	for i := pos - 1; i >= 0; i-- {
		switch {
		case strings.ContainsRune(closers, line[i]):
			depth++
		case strings.ContainsRune(openers, line[i]):
			if depth--; depth == 0 {
				if strings.IndexRune(openers, line[i]) != strings.IndexRune(closers, line[pos-1]) {
					return -1, -1
				}
				return i, pos - 1
			}
		}
	}
	return -1, -1
}
