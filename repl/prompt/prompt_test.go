package prompt

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/repl/display"

	"github.com/ergochat/readline"
)

// script feeds the prompt lines, "^C" for an interrupt.
type script struct {
	in      []string
	paste   int // so many of the lines arrive at once
	history []string
}

func (s *script) read(_, prefill string) (string, error) {
	if len(s.in) == 0 {
		return "", io.EOF
	}
	line := s.in[0]
	s.in = s.in[1:]
	s.paste--
	if line == "^C" {
		return "", readline.ErrInterrupt
	}
	if line == "" && prefill != "" {
		return prefill, nil // Enter at the indent
	}
	return line, nil
}
func (s *script) more() bool            { return s.paste > 0 && len(s.in) > 0 }
func (s *script) remember(block string) { s.history = append(s.history, block) }
func (s *script) Close() error          { return nil }

// drive runs the prompt on lines and returns what it prints and remembers.
func drive(t *testing.T, paste int, in ...string) (string, []string) {
	t.Helper()
	var out strings.Builder
	s := repl.NewSession()
	s.Stdout = &out
	feed := &script{in: in, paste: paste}
	p := &prompt{session: s, out: &out, lines: feed, stop: make(chan os.Signal, 1)}
	if _, err := p.loop(); err != nil {
		t.Fatal(err)
	}
	return out.String(), feed.history
}

func TestPrompt(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    []string
		paste int
		want  string
	}{
		{"values", []string{"1 + 1", "x = 5", "None", "'a'"}, 0, "2\n\"a\"\n"},
		{"last value", []string{"6 * 7", "x = 1", "_ + 1"}, 0, "42\n43\n"},
		{"block", []string{"def f(x):", "    return x + 1", "", "f(1)"}, 0, "2\n"},
		{"brackets", []string{"sum([1,", "2,", "3])"}, 0, "6\n"},
		{"string", []string{"len('''a", "b''')"}, 0, "3\n"},
		{"interrupt drops a block", []string{"def f():", "^C", "1"}, 0, "1\n"},
		{"error keeps the session", []string{"x = 1", "y", "x"}, 0, "error: undefined: y\n1\n"},
		{"pasted block with a blank line", []string{"  def f(x):", "    y = x", "", "    return y", "  f(3)"}, 5, "3\n"},
		{"help", []string{"len?"}, 0, "len(x)\n    Number of elements.\n  Example:\n    len([1, 2])\n"},
		{"attribute help", []string{"e = ln(3)", "e.lo?"}, 0, "evidence.lo\n    Lower end: no larger than the true number for exact and certified\n    evidence, with the stated confidence for an estimate; the value itself for\n    a claim.\n  Example:\n    ln(3).lo\n"},
		{"a question in a comment", []string{"1 + 1 # why?"}, 0, "2\n"},
		{"exit", []string{"exit", "1"}, 0, ""},
		{"exit with status", []string{"exit(3)", "1"}, 0, ""},
		{"unknown magic", []string{"%foo"}, 0, "%foo is not known here: there are %time and %timeit, name? and help()\n"},
		{"recalled block", []string{"def f():⏎    return 8", "f()"}, 0, "8\n"},
		{"evidence", []string{"ln(3)"}, 0, "1.09861228866811 (exact: ln(3))\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := drive(t, c.paste, c.in...); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBlocksAreRememberedWhole(t *testing.T) {
	_, got := drive(t, 0, "def f(x):", "    return x", "", "f(1)")
	if len(got) != 2 || got[0] != "def f(x):\n    return x" || got[1] != "f(1)" {
		t.Errorf("remembered %q", got)
	}
}

// A saved session prints, when run, what the prompt showed.
func TestSaveReplays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.star")
	shown, _ := drive(t, 0,
		"x = 3", "x + 1", "def f(a):", "    return [a, 'b']", "", "f(x)", "undefined_name", "print('hello')",
		"for i in range(2):", "    print(i)", "", "'é' + \"x\"", "[1,", "2]", "y = 1; y + 1", "ln(3)", "_", "save("+`"`+file+`"`+")")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := repl.NewSession()
	s.Stdout = &out
	if _, err := s.ExecScript(t.Context(), file, string(source)); err != nil {
		t.Fatalf("%v in\n%s", err, source)
	}
	shown = strings.Replace(shown, "error: undefined: undefined_name\n", "", 1)
	if out.String() != shown {
		t.Errorf("the replay prints\n%s\nthe prompt showed\n%s\nthe script is\n%s", out.String(), shown, source)
	}
}

func TestPasteReader(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"abc\r", "abc\r"},
		{"\x1b[200~a\nb\r\n\x1b[201~c", "a\rbc"},
		{"\x1b[200~\tx\x03\x1b[6\n\n\x1b[201~\r", "    x[6\r"},
		{"\x1b[A\x1b[201~", "\x1b[A\x1b[201~"},
		{"\x1b[20", "\x1b[20"},
		{"\x1b", "\x1b"},
	} {
		for size := 1; size < 8; size++ {
			p := &pasteReader{r: &chunked{[]byte(c.in), size}}
			got, err := io.ReadAll(p)
			if err != nil || string(got) != c.want {
				t.Errorf("%q in pieces of %d gives %q, %v, want %q", c.in, size, got, err, c.want)
			}
		}
	}
}

// chunked hands out a few bytes at a time.
type chunked struct {
	data []byte
	size int
}

func (c *chunked) Read(b []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, c.data[:min(c.size, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

// terminal answers what a line editor asks of one.
type terminal struct {
	mu      sync.Mutex
	pending bytes.Buffer
	wake    chan struct{}
	closed  bool
}

func newTerminal() *terminal { return &terminal{wake: make(chan struct{}, 1)} }

func (f *terminal) feed(b []byte) {
	f.mu.Lock()
	f.pending.Write(b)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *terminal) Write(b []byte) (int, error) {
	for range bytes.Count(b, []byte("\x1b[6n")) { // where is the cursor?
		f.feed([]byte("\x1b[5;1R"))
	}
	return len(b), nil
}

func (f *terminal) Read(b []byte) (int, error) {
	for {
		f.mu.Lock()
		n, _ := f.pending.Read(b)
		closed := f.closed
		f.mu.Unlock()
		if n > 0 {
			return n, nil
		}
		if closed {
			return 0, io.EOF
		}
		<-f.wake
	}
}

func (f *terminal) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.feed(nil)
}

// A thousand random key sequences, typed at the whole prompt: it must neither
// crash nor hang, and still work afterwards.
func TestRandomKeys(t *testing.T) {
	keys := []string{
		"\r", "\r", "\r", "\t", "\t\t", " ", "    ", "\x7f", "\x01", "\x05", "\x0b", "\x15", "\x17", "\x19", "\x12", "\x13", "\x14",
		"\x1f", "\x0c", "\x0e", "\x10", "\x03", "\x07", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1b[Z", "\x1bf", "\x1bb",
		"\x1b[200~", "\x1b[201~", "\x1b[1;3D", "\x1b\x1b[C", "def f(x):", "return ", "if ", "for i in ", "x", "f", "ln", "ln(", "3", "(", ")", "[", "]", "{", "}",
		":", ",", ".", "=", "==", "+", "'", "\"", "'''", "\\", "#", "?", "%time ", "help", "_", "e", ".v", "é", "ε", "漢", "⏎", "\x00", "\xff", "who()", "reset()",
	}
	rng := rand.New(rand.NewPCG(7, 1))
	fake := newTerminal()
	var out bytes.Buffer
	s := repl.NewSession()
	s.Stdout = &out
	s.Terminal.Colors = display.Color256
	p := &prompt{session: s, out: &out, stop: make(chan os.Signal, 1)}
	history := filepath.Join(t.TempDir(), "history")
	e, err := newEditor(s, Options{History: history}, func(c *readline.Config) {
		c.Stdin, c.Stdout, c.Stderr = fake, fake, fake
		c.FuncIsTerminal = func() bool { return true }
		c.FuncMakeRaw = func() error { return nil }
		c.FuncExitRaw = func() error { return nil }
		c.FuncGetSize = func() (int, int) { return 40, 12 }
		c.FuncOnWidthChanged = func(func()) {}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.lines = e
	done := make(chan error, 1)
	go func() {
		_, err := p.loop()
		done <- err
	}()
	for range 1000 {
		var b bytes.Buffer
		for range 1 + rng.IntN(20) {
			b.WriteString(keys[rng.IntN(len(keys))])
		}
		fake.feed(b.Bytes())
	}
	// Leave whatever mode is on, drop the line, and ask for something.
	fake.feed([]byte("\x1b[201~\x07\x07\x03\x03\x03"))
	fake.feed([]byte("print('still ' + 'here')\r"))
	fake.close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "still here") {
		t.Errorf("the prompt no longer answers; its last words:\n%s", out.String()[max(0, out.Len()-2000):])
	}
}
