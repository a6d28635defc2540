package prompt

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"dpworkbench/repl"
	"dpworkbench/repl/display"

	"github.com/ergochat/readline"
)

// editor is a line editor with history and completion.
type editor struct {
	line    *readline.Instance
	paste   *pasteReader
	out     io.Writer
	session *repl.Session
	color   bool
	told    string // the source whose call's signature was told

	mu     sync.Mutex
	source string // earlier lines of the block being entered
}

// newEditor returns an editor on the process's terminal; adjust, where not nil,
// may put another in its place.
func newEditor(s *repl.Session, o Options, adjust func(*readline.Config)) (*editor, error) {
	e := &editor{
		paste: &pasteReader{r: os.Stdin}, out: s.Stdout, session: s,
		color: s.Terminal.Colors != display.NoColor,
	}
	config := &readline.Config{
		HistoryFile:            o.History,
		HistoryLimit:           5000,
		HistorySearchFold:      true,
		DisableAutoSaveHistory: true,
		AutoComplete:           e,
		Stdin:                  e.paste,
		InterruptPrompt:        "^C",
		EOFPrompt:              "\n",
		Undo:                   true,
		FuncFilterInputRune: func(r rune) (rune, bool) {
			e.paste.took(r)
			return r, true
		},
	}
	if e.color {
		config.Painter = paintBrackets
		config.Listener = repaint()
	}
	if adjust != nil {
		adjust(config)
		if config.Stdin != e.paste {
			e.paste.r, config.Stdin = config.Stdin, e.paste
		}
	}
	var err error
	if e.line, err = readline.NewFromConfig(config); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *editor) read(prompt, prefill string) (text string, err error) {
	defer func() {
		if r := recover(); r != nil { // a fault of the editor costs a line, not the session
			text, err = "", readline.ErrInterrupt
		}
	}()
	e.mu.Lock()
	if strings.Contains(prompt, ">>>") {
		e.source = ""
	}
	e.mu.Unlock()
	e.line.SetPrompt(prompt)
	fmt.Fprint(e.out, bracketedPaste(true))
	defer fmt.Fprint(e.out, bracketedPaste(false))
	text, err = e.line.ReadLineWithDefault(prefill)
	e.mu.Lock()
	e.source += strings.ReplaceAll(text, lineBreak, "\n") + "\n"
	e.mu.Unlock()
	return text, err
}

func (e *editor) more() bool { return e.paste.more() }

func (e *editor) remember(block string) {
	_ = e.line.SaveToHistory(strings.ReplaceAll(strings.TrimRight(block, " \n"), "\n", lineBreak)) // a full disk loses history, not work
}

func (e *editor) Close() error { return e.line.Close() }

// Do implements readline.AutoCompleter.
func (e *editor) Do(line []rune, pos int) ([][]rune, int) {
	text := strings.ReplaceAll(string(line[:pos]), lineBreak, "\n")
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if strings.TrimSpace(last) == "" { // Tab indents
		return [][]rune{[]rune("    "[len(last)%4:])}, 0
	}
	e.mu.Lock()
	source := e.source + text
	e.mu.Unlock()
	found := e.session.Complete(source)
	e.tell(source, found.Start)
	word := []rune(source[found.Start:])
	var suffixes [][]rune
	for _, c := range found.Candidates {
		suffixes = append(suffixes, []rune(c)[len(word):])
	}
	return suffixes, len(word)
}

// tell prints the signature of the call that the cursor stands in, above the
// line, where nothing of an argument is typed yet; once, however often Tab is
// pressed.
func (e *editor) tell(source string, start int) {
	signature := ""
	if start == len(source) {
		signature = e.session.Signature(source)
	}
	if signature == "" || source == e.told {
		return
	}
	e.told = source
	fmt.Fprintln(e.line, styled(e.session.Terminal, "2", signature))
}

// paintBrackets marks the bracket before the cursor and its partner.
func paintBrackets(line []rune, pos int) []rune {
	a, b := partners(line, pos)
	if a < 0 {
		return line
	}
	const on, off = "\x1b[1;35m", "\x1b[0m"
	out := make([]rune, 0, len(line)+24)
	for i, r := range line {
		if i == a || i == b {
			out = append(append(append(out, []rune(on)...), r), []rune(off)...)
			continue
		}
		out = append(out, r)
	}
	return out
}

// partners returns the positions of the closing bracket just before pos and of
// the bracket it closes, −1 where there is no such pair.
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

// repaint redraws the line when a pair of brackets is to be marked, and once
// more when it no longer is.
func repaint() readline.Listener {
	marked := false
	return func(line []rune, pos int, key rune) ([]rune, int, bool) {
		if key == 0 {
			return nil, 0, false
		}
		a, _ := partners(line, pos)
		was := marked
		marked = a >= 0
		return line, pos, marked || was
	}
}

// plainLines reads from a terminal that cannot move its cursor.
type plainLines struct {
	in  *bufio.Scanner
	out io.Writer
}

func (p *plainLines) read(prompt, _ string) (string, error) {
	fmt.Fprint(p.out, prompt)
	if !p.in.Scan() {
		fmt.Fprintln(p.out)
		if err := p.in.Err(); err != nil {
			return "", err
		}
		return "", io.EOF
	}
	return p.in.Text(), nil
}

func (p *plainLines) more() bool      { return false }
func (p *plainLines) remember(string) {}
func (p *plainLines) Close() error    { return nil }
