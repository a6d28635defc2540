package prompt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"dpworkbench/display"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// endRows clears a wrapped line to the end of its row, except for the last line. After a line that fills its rows, it
// moves the cursor to the next row.
func TestEndRows(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"", ""},
		{"12345", "12345"}, // shorter than a row of 10
		{"1234567890", "1234567890"},
		{"12345\nx", "12345\nx"},
		{"123456\nx", "123456 \r\x1b[K\nx"}, // fills the row of 10 together with the prompt
		{"1234567\nx", "1234567\x1b[K\nx"},
		{"1234567890123456\nx", "1234567890123456 \r\x1b[K\nx"},
		{"漢漢漢\nx", "漢漢漢 \r\x1b[K\nx"},
	} {
		if got := endRows(c.input, c.input, 10); got != c.want {
			t.Errorf("%q ends as %q, want %q", c.input, got, c.want)
		}
	}
	if got := endRows("a\nb", "a", 10); got != "a\nb" {
		t.Errorf("lines that do not match become %q", got)
	}
	if got, want := endRows("\x1b[1m1234567\x1b[0m\nx", "1234567\nx", 10), "\x1b[1m1234567\x1b[0m\x1b[K\nx"; got != want {
		t.Errorf("colors count as columns: %q, want %q", got, want)
	}
}

func TestDownward(t *testing.T) {
	const in = "a\x1b[2Bb\x1b[Bc\x1b[31md\r\n\x1b[4C\x1b[1Ké\x1b[?25l\x1b[3;1H\x1b"
	const want = "a\x1bD\x1bDb\x1bDc\x1b[31md\r\n\x1b[4C\x1b[1K\r| \x1b[2Cé\x1b[?25l\x1b[3;1H"
	for _, chunk := range []int{1, 2, 3, len(in)} {
		var out strings.Builder
		d := &downward{to: &out, margin: "| "}
		for part := range slices.Chunk([]byte(in), chunk) {
			if n, err := d.Write(part); n != len(part) || err != nil {
				t.Fatalf("Write(%q) = %d, %v", part, n, err)
			}
		}
		if out.String() != want || string(d.held) != "\x1b" {
			t.Errorf("in parts of %d bytes: %q and %q, want %q and ESC", chunk, out.String(), d.held, want)
		}
	}
}

// Write returns the errors of the terminal, and turns moves down into line feeds where the terminal would not scroll.
func TestDownwardWrite(t *testing.T) {
	gone := errors.New("gone")
	d := &downward{to: failing{gone}}
	if n, err := d.Write([]byte("a")); n != 0 || !errors.Is(err, gone) {
		t.Errorf("Write = %d, %v", n, err)
	}
	var out strings.Builder
	d = &downward{to: &out}
	if _, err := d.Write([]byte("\x1b[1;2Ba\x1b[999999Bb\x1b[0Bc\x1b[Ad")); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1;2Ba\x1b[999999Bb\x1bDc\x1b[Ad"; out.String() != want {
		t.Errorf("written is %q, want %q", out.String(), want)
	}
	for rows, want := range map[int]int{2: 2, 9999: 9999, 10000: 10000, 99990: 99990, 99999: 99999, 100000: 0} { // six digits stay unchanged
		if got := strings.Count(d.mend(fmt.Sprintf("\x1b[%dB", rows)), index); got != want {
			t.Errorf("%d rows down are %d, want %d", rows, got, want)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// mended filters standard output while the function runs, flushes what is held back at the end, and restores standard
// output after a panic.
func TestMended(t *testing.T) {
	terminal := os.Stdout
	defer func() { os.Stdout = terminal }()
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	os.Stdout = file
	func() {
		defer func() { _ = recover() }()
		mended("| ", func() {
			io.WriteString(os.Stdout, "a\x1b[2Bb\x1b[1Kc\x1b")
			panic("a fault of the editor")
		})
	}()
	if os.Stdout != file {
		t.Error("standard output is not restored")
	}
	got, err := os.ReadFile(file.Name())
	if want := "a\x1bD\x1bDb\x1b[1K\r| \x1b[2Cc\x1b"; err != nil || string(got) != want {
		t.Errorf("written is %q (%v), want %q", got, err, want)
	}
}

// If the history file cannot be opened, the history works in memory.
func TestHistoryWithoutFile(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []string{"", folder, filepath.Join(folder, "no", "history")} {
		h := openHistory(file)
		if n, err := h.Write("1 + 1\n"); n != 1 || err != nil {
			t.Errorf("Write in %q = %d, %v", file, n, err)
		}
		if text, err := h.GetLine(0); text != "1 + 1" || err != nil {
			t.Errorf("GetLine(0) = %q, %v", text, err)
		}
		for _, i := range []int{-1, 1} {
			if text, err := h.GetLine(i); text != "" || err == nil {
				t.Errorf("GetLine(%d) = %q, %v", i, text, err)
			}
		}
		if all, ok := h.Dump().([]string); !ok || len(all) != 1 || h.Len() != 1 {
			t.Errorf("Dump() = %v of %d", h.Dump(), h.Len())
		}
	}
}

// promptOn returns a prompt that reads lines from in, and its output.
func promptOn(in io.Reader, caps display.Caps, o Options) (*prompt, *strings.Builder) {
	var out strings.Builder
	s := repl.NewSession().Session
	s.Stdout, s.Stderr, s.Terminal = &out, &out, caps
	return &prompt{session: s, out: &out, options: o, reader: &plain{in: bufio.NewScanner(in), out: io.Discard}, stop: make(chan os.Signal, 1)}, &out
}

// If an input cannot be read, the prompt returns the error and status 1.
func TestReadingFails(t *testing.T) {
	gone := errors.New("gone")
	p, out := promptOn(io.MultiReader(strings.NewReader("1 + 1\n"), iotest.ErrReader(gone)), display.Caps{}, Options{})
	if status, err := p.loop(); status != 1 || !errors.Is(err, gone) || out.String() != "2\n" {
		t.Errorf("status %d, %v after %q", status, err, out)
	}
	if err := p.reader.Close(); err != nil {
		t.Error(err)
	}
}

// An interrupt ends a computation, not the prompt. An interrupt before the computation begins is ignored.
func TestInterrupts(t *testing.T) {
	for plain, want := range map[bool]string{false: "2\nbegan\ninterrupted\n3\n", true: "2\nbegan\n\ninterrupted\n3\n"} {
		p, out := promptOn(strings.NewReader("1 + 1\nfor i in range(print('began') or 1 << 40): pass\n\n1 + 2\n"), display.Caps{}, Options{Plain: plain})
		p.session.Stdout = interrupting{out, p.stop}
		p.stop <- os.Interrupt
		if status, err := p.loop(); status != 0 || err != nil || out.String() != want {
			t.Errorf("status %d, %v, and %q, want %q", status, err, out, want)
		}
	}
}

// An interrupted search for an optimum reports its bounds. On a slow machine the interrupt may come too early, so the
// test retries.
func TestInterruptReportsOptimumBounds(t *testing.T) {
	said := regexp.MustCompile(`^interrupted after \d+ steps?: the optimum lies in \[.+, .+\]\n3\n$`)
	for try := 0; ; try++ {
		p, out := promptOn(strings.NewReader("optimal(graphs(7).count(\"triangle\"), 1)\n1 + 2\n"), display.Caps{}, Options{})
		p.session.OnProgress = func(at script.Progress) {
			if at.Done > 0 {
				_, _ = interrupting{io.Discard, p.stop}.Write(nil)
			}
		}
		if status, err := p.loop(); status == 0 && err == nil && said.MatchString(out.String()) {
			return
		} else if try == 9 {
			t.Fatalf("status %d, %v, and %q, want a bracket", status, err, out)
		}
	}
}

// interrupting is a writer that sends an interrupt at each write.
type interrupting struct {
	io.Writer
	stop chan<- os.Signal
}

func (w interrupting) Write(p []byte) (int, error) {
	select {
	case w.stop <- os.Interrupt:
	default: // already interrupted
	}
	return w.Writer.Write(p)
}

// A value that cannot be shown gives an error, and the prompt continues.
func TestShowRecovers(t *testing.T) {
	p, out := promptOn(strings.NewReader(""), display.Caps{}, Options{})
	p.show(unshowable{})
	if want := "error: a trap cannot be shown: no way\n"; out.String() != want {
		t.Errorf("%q, want %q", out, want)
	}
	p.complain(errors.New("no script's"), true)
	if !strings.HasSuffix(out.String(), "\nerror: no script's\n") {
		t.Errorf("%q", out)
	}
}

type unshowable struct{ starlark.Value }

func (unshowable) Type() string   { return "trap" }
func (unshowable) String() string { panic("no way") }

// After a panic in the editor, only the current input ends with an error.
func TestEditorRecovers(t *testing.T) {
	e := newEditor(repl.NewSession().Session, Options{})
	defer e.Close()
	e.shell.Prompt.Primary(func() string { panic("a fault of the editor") })
	if text, err := e.read(); text != "" || !errors.Is(err, errInterrupt) {
		t.Errorf("read %q, %v", text, err)
	}
}

// An editor command that starts a program gives it the terminal, and takes the terminal back afterwards.
func TestCommandsOntoTheTerminal(t *testing.T) {
	e := newEditor(repl.NewSession().Session, Options{})
	defer e.Close()
	terminal := os.Stdout
	var seen *os.File
	e.shell.Keymap.Register(map[string]func(){"probe": func() { seen = os.Stdout }})
	e.ontoTerminal("probe")
	other, err := os.Create(filepath.Join(t.TempDir(), "mended"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	os.Stdout = other
	e.shell.Keymap.Commands()["probe"]()
	after := os.Stdout
	os.Stdout = terminal
	if seen != terminal || after != other {
		t.Errorf("the terminal during the command is %v, and afterwards %v", seen.Name(), after.Name())
	}
}
