// Package prompt is the workbench's interactive prompt: a line editor for a script.Session.
package prompt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/redact"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// errInterrupt is returned by read if the user drops an input.
var errInterrupt = errors.New("input dropped")

// Options configure the prompt.
type Options struct {
	Banner  string
	History string // the file of earlier inputs; "" for none
	Plain   bool   // no line editor, because the terminal cannot move its cursor
	Size    func() (width, height int)
}

// reader reads complete inputs.
type reader interface {
	read() (string, error) // returns io.EOF at the end, errInterrupt for a dropped input
	io.Closer
}

// prompt is the state of the loop.
type prompt struct {
	session *script.Session
	out     io.Writer
	reader  reader
	options Options
	count   int // the number of inputs so far
	stop    chan os.Signal
}

// Run reads inputs and shows their values until Ctrl-D or exit. It returns the exit status. The session's Terminal says
// whether colour may be used.
func Run(s *script.Session, o Options) (int, error) {
	p := &prompt{session: s, out: s.Stdout, options: o, stop: make(chan os.Signal, 1)}
	if o.Plain {
		p.reader = &plain{in: bufio.NewScanner(os.Stdin), out: s.Stdout}
	} else {
		p.reader = newEditor(s, o)
	}
	defer p.reader.Close()
	s.OnText, s.Folds = p.page, !o.Plain
	defer func() { s.OnText, s.Folds = nil, false }()
	// Catch interrupts for the prompt's whole run: one that comes between computations must not end the process.
	signal.Notify(p.stop, os.Interrupt)
	defer signal.Stop(p.stop)
	leave := make(chan os.Signal, 1)
	signal.Notify(leave, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-leave
		p.reader.Close()
		os.Exit(1)
	}()
	if o.Banner != "" {
		fmt.Fprintln(p.out, o.Banner)
	}
	return p.loop()
}

func (p *prompt) loop() (int, error) {
	for {
		source, err := p.reader.read()
		switch {
		case errors.Is(err, errInterrupt):
			continue
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 1, err
		}
		if !isMagic(source) {
			source = undent(source)
		}
		source = strings.TrimRight(source, " \n")
		if source == "" {
			continue
		}
		if done, status := p.evaluate(source + "\n"); done {
			return status, nil
		}
	}
}

// complete reports whether an input needs no further line: it is a statement, or a block followed by a blank line.
func complete(source string) bool {
	source = undent(source)
	if at := strings.LastIndexByte(source, '\n'); strings.TrimSpace(source[at+1:]) == "" {
		source = source[:at+1] // Enter on a line that only has indentation counts as a blank line
	}
	return script.Completeness(source) == script.InputComplete
}

// undent removes the indentation of an input that starts indented, as a pasted block may.
func undent(source string) string {
	if trimmed := strings.TrimLeft(source, "\n"); trimmed != "" && (trimmed[0] == ' ' || trimmed[0] == '\t') {
		return script.Dedent(source)
	}
	return source
}

// indentAfter returns the indentation of the next line of a block.
func indentAfter(source string) string {
	if script.Completeness(source) != script.InputBlock {
		return ""
	}
	last := source[strings.LastIndexByte(source, '\n')+1:]
	indent := last[:len(last)-len(strings.TrimLeft(last, " "))]
	code := strings.TrimSpace(last)
	switch first, _, _ := strings.Cut(code, " "); {
	case strings.HasSuffix(code, ":"):
		return indent + "    "
	case first == "return" || first == "break" || first == "continue" || first == "pass":
		return strings.TrimSuffix(indent, "    ")
	}
	return indent
}

// isMagic reports whether an input is a command of the prompt instead of Starlark.
func isMagic(source string) bool {
	if _, ok := script.ParseMagic(source); ok {
		return true
	}
	t := strings.TrimSpace(source)
	return t == "exit" || t == "quit" || t == "help"
}

// evaluate runs one input. It returns done = true and the exit status if the input ends the prompt.
func (p *prompt) evaluate(source string) (done bool, status int) {
	timed := false
	record := source
	if m, ok := script.ParseMagic(source); ok {
		if m.Source == "" {
			fmt.Fprintln(p.out, m.Problem)
			return false, 0
		}
		source, record, timed = m.Source, m.Keep, m.Timed
	}
	switch strings.TrimSpace(source) {
	case "exit", "quit":
		return true, 0
	case "help":
		source, record = "help()", ""
	}
	p.count++
	if p.options.Size != nil {
		p.session.Terminal.Width, p.session.Terminal.Height = fit(p.options.Size())
	}
	ctx, cancel := context.WithCancel(context.Background())
	finished, deaf := make(chan struct{}), make(chan struct{})
	drain(p.stop)
	go func() {
		defer close(deaf)
		select {
		case <-p.stop:
			cancel()
		case <-finished:
		}
	}()
	begin := time.Now()
	value, err := p.session.Exec(ctx, fmt.Sprintf("<prompt %d>", p.count), source)
	took := time.Since(begin)
	close(finished)
	<-deaf // otherwise this goroutine could take the interrupt meant for the next input
	cancel()

	var exit *script.Exit
	if errors.As(err, &exit) {
		return true, exit.Status
	}
	if record != "" {
		p.session.Record(record, value, err)
	}
	if err != nil {
		p.complain(err, strings.Count(source, "\n") <= 1)
	} else if value != nil && value != starlark.None {
		p.session.Set("_", value)
		p.show(value)
	}
	if timed {
		fmt.Fprintln(p.out, p.style("2", "time: "+took.Round(time.Microsecond).String()))
	}
	return false, 0
}

// show prints a value. If printing fails, it prints the error.
func (p *prompt) show(v starlark.Value) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(p.out, p.style("31", fmt.Sprintf("error: a %s cannot be shown: %v", v.Type(), r)))
		}
	}()
	text := p.session.Show(v)
	_, isReport := script.Figure(v).(*display.Report)
	switch {
	case wordy(v):
		p.page(wrap(text, p.session.Terminal.Width) + "\n")
	case isReport && p.session.Terminal.Images == display.NoImages: // the height of an image in rows is unknown
		p.page(text + "\n")
	default:
		fmt.Fprintln(p.out, text)
	}
}

// complain prints an error. It includes the back-trace unless the input was one line and the error is in that line.
func (p *prompt) complain(err error, oneLine bool) {
	var script *script.ScriptError
	if !errors.As(err, &script) {
		fmt.Fprintln(p.out, p.style("31", wrap("error: "+redact.Text(err.Error()), p.session.Terminal.Width)))
		return
	}
	if script.Interrupted {
		if p.options.Plain {
			fmt.Fprintln(p.out) // the terminal has echoed ^C
		}
		fmt.Fprintln(p.out, p.style("33", script.Msg))
		return
	}
	trace := script.Backtrace()
	if len(script.Frames) == 1 && oneLine {
		trace = "error: " + script.Msg // the failing line is just above
	}
	at := strings.LastIndex(strings.TrimRight(trace, "\n"), "\nerror: ") + 1
	fmt.Fprint(p.out, trace[:at]+p.style("31", wrap(strings.TrimRight(trace[at:], "\n"), p.session.Terminal.Width))+"\n")
}

// style colours text if colour may be used.
func (p *prompt) style(code, text string) string { return styled(p.session.Terminal, code, text) }

func styled(caps display.Caps, code, text string) string {
	if caps.Colors == display.NoColor {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// fit returns the size of a picture on a terminal of this size. It leaves rows for the prompt.
func fit(width, height int) (int, int) { return width, min(max(height-4, 10), 30) }

func drain(c chan os.Signal) {
	for {
		select {
		case <-c:
		default:
			return
		}
	}
}

// HistoryFile returns the file of earlier inputs and creates its folder. It returns "" if there is no place for it.
func HistoryFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "dpworkbench")
	os.MkdirAll(dir, 0o700) // if this fails, opening the file fails too
	file := filepath.Join(dir, "history")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return ""
	}
	f.Close()
	return file
}
