package prompt_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dpworkbench/display"
	"dpworkbench/repl"
	"dpworkbench/repl/prompt"

	"github.com/creack/pty"
)

// promptIn is an environment variable. If it is set, the test binary runs as the prompt, for tests that need a prompt
// on its own terminal. Its value is the name of the history file.
const promptIn = "WORKBENCH_TEST_PROMPT"

func TestMain(m *testing.M) {
	if history, ok := os.LookupEnv(promptIn); ok {
		s := repl.NewSession().Session
		s.Stdout, s.Stderr = os.Stdout, os.Stderr
		s.Terminal = display.Caps{Colors: display.Color256, Unicode: true, Width: 60, Height: 20}
		status, err := prompt.Run(s, prompt.Options{History: history})
		if err != nil {
			os.Stderr.WriteString(err.Error())
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// terminal is a command on its own terminal.
type terminal struct {
	t    *testing.T
	file *os.File
	done chan error
	at   int // where the text that wait last found ends

	mu   sync.Mutex
	seen strings.Builder
	more chan struct{} // holds a value if something was shown since the last look
}

// openTerminal starts the prompt on a terminal of 20 lines and 60 columns.
func openTerminal(t *testing.T) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), promptIn+"="+filepath.Join(t.TempDir(), "history"), "TERM=xterm-256color", "EDITOR=true", "INPUTRC=/dev/null", "HOME="+t.TempDir())
	f := start(t, c, 20, 60)
	f.await(">>> ", 0)
	if !strings.Contains(f.text(), "\x1b[?2004h") {
		t.Error("the editor does not enable bracketed paste")
	}
	return f
}

// start starts a command on a terminal, and ends it with the test.
func start(t *testing.T, c *exec.Cmd, rows, columns uint16) *terminal {
	t.Helper()
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	term := &terminal{t: t, file: f, done: make(chan error, 1), more: make(chan struct{}, 1)}
	go func() {
		term.look()
		term.done <- c.Wait()
	}()
	t.Cleanup(func() {
		f.Close()
		_ = c.Process.Kill()
	})
	return term
}

// look collects the output until the terminal closes.
func (f *terminal) look() {
	b := make([]byte, 4096)
	for {
		n, err := f.file.Read(b)
		f.mu.Lock()
		f.seen.Write(b[:n])
		f.mu.Unlock()
		select {
		case f.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (f *terminal) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen.String()
}

// hang is the timeout of tests that wait for an event: far longer than a busy machine needs.
const hang = 5 * time.Minute

// await waits until the output after the offset from contains text.
func (f *terminal) await(text string, from int) {
	f.t.Helper()
	if !f.shows(hang, func(seen string) bool { return strings.Contains(seen[from:], text) }) {
		f.t.Fatalf("no %q after %v; the last output is\n%q", text, hang, tail(f.text()))
	}
}

// shows waits until the output satisfies wanted, at most for the given time.
func (f *terminal) shows(while time.Duration, wanted func(seen string) bool) bool {
	f.t.Helper()
	over := time.After(while)
	for !wanted(f.text()) {
		select {
		case <-f.more:
		case err := <-f.done:
			f.t.Fatalf("the command ended (%v); its last output:\n%s", err, tail(f.text()))
		case <-over:
			return false
		}
	}
	return true
}

// wait waits until the output since the last wait contains text. It returns the output up to the end of text.
func (f *terminal) wait(text string) string {
	f.t.Helper()
	f.await(text, f.at)
	before, _, _ := strings.Cut(f.text()[f.at:], text)
	f.at += len(before) + len(text)
	return before + text
}

func (f *terminal) keys(text string) { _, _ = io.WriteString(f.file, text) }

func tail(text string) string { return text[max(0, len(text)-2000):] }

// enter types keys and waits for an answer.
func (f *terminal) enter(keys, answer string) {
	f.t.Helper()
	from := len(f.text())
	if _, err := io.WriteString(f.file, keys); err != nil {
		f.t.Fatal(err)
	}
	f.await(answer, from)
}

// A block is indented automatically. The history recalls it whole, and it can be edited line by line and run again. A
// pasted block with a blank line runs whole.
func TestEditing(t *testing.T) {
	f := openTerminal(t)
	// Lines typed ahead keep their own indentation. So before typing a line, the test waits until the editor has
	// indented it, once or twice.
	const once, twice = "\x1b[2C    \x1b[0m", "\x1b[2C        \x1b[0m"
	f.enter("def f(x):\r", once)
	f.enter("y = x * 2\r", once)
	f.enter("return y + 1\r", "│ \x1b[0m\x1b[2C")
	f.enter("\r", ">>> ")
	f.enter("print('f is', f(20))\r", "f is 41")
	f.enter("\x1b[A\x1b[A", "return y + 1")                  // recalls the whole block
	f.enter("\x1b[A\x1b[A\x1b[B\x05 + 5\x1b[B\x05", "2 + 5") // first line, one down, to its end
	f.enter("\r\r", ">>> ")
	f.enter("print('now', f(20))\r", "now 46")
	f.enter("\x1b[200~  def g(x):\n\n      return x + 6\n\x1b[201~\r", ">>> ")
	f.enter("print('g is', g(1))\r", "g is 7")
	f.enter("\x12return x\r", ">>> ") // search the history
	f.enter("print(g(2) == 8 and 'well')\r", "well")
	f.enter("x = [1,", "1,")
	f.enter("\x03", "\n") // drop the line, on a new line
	f.enter("print('o' + 'k')\r", "ok")
	f.enter("graphs(4).diam\t\r", "6")
	f.enter("graphs(4).diam\t < 7\r", "True") // typing on after a completion drops nothing
	f.enter("print('½ é ñ ±' + ' ε')\r", "½ é ñ ± ε\r")
	f.enter("\x12o\x12\x12\r", ">>> ") // searches the history and runs the third match
	f.enter("print('a' + 'fter')\r", "after")
	f.enter("def h(x):\r", once)
	f.enter("if x:\r", twice)
	f.enter("x += 1\r", twice)
	f.enter("\x7freturn x\r\r", ">>> ") // Backspace removes one level
	f.enter("print('h is', h(0), h(1))\r", "h is 0 2")
	f.enter("    \x7f\x7f1 + 1\t\r", "2\r")                                     // Tab at the end of a number
	f.enter("\tprint('in' + 'dented')\r", "indented")                           // Tab indents
	f.enter("def p(x):\r    if x:\r        return 1\r    return 2\r\r", ">>> ") // pasted without bracketed paste
	f.enter("print('p is', p(1), p(0))\r", "p is 1 2")
	f.enter("graphs(4).\t", "diameter")
	f.enter("\x03", ">>> ") // drop the line with its menu
	f.enter("print('drop' + 'ped')\r", "dropped")
	f.enter("graphs(4).count(\"\t", "4-clique")
	f.enter("\t", "2-star")
	f.enter("\x03", ">>> ") // drop the line with the completed word
	f.enter("print('this' + ' too')\r", "this too")
	f.enter("graphs(4).\t", "diameter")
	if _, err := io.WriteString(f.file, "\x15exit(7)\r"); err != nil {
		t.Fatal(err)
	}
	if err := <-f.done; err == nil || err.Error() != "exit status 7" {
		t.Errorf("the prompt exits with %v", err)
	}
}

// Keys typed during a computation wait for the editor and do not appear in the computation's output. An interrupt still
// reaches the computation.
func TestTypeAhead(t *testing.T) {
	f := openTerminal(t)
	from := len(f.text())
	f.enter("for i in range(print('be' + 'gin') or 1 << 40): pass\r", "begin")
	f.enter("print('a' + 'head')", "") // the terminal may echo these keys in a wrong place, or not at all
	f.enter("\x03", "interrupted")     // drops the text typed ahead
	shown, _, _ := strings.Cut(f.text()[from:], "interrupted")
	if strings.Contains(shown, "head") {
		t.Errorf("keys typed ahead are echoed at once: %q", tail(shown))
	}
	f.await(">>> ", from+len(shown))
	f.enter("for i in range(1 << 22): pass\r\x1b[D", "")
	f.enter("print('typ' + 'ed')\r", "typed")
	if strings.Contains(f.text()[from:], "^C") || strings.Contains(f.text()[from:], "^[[D") {
		t.Errorf("keys are echoed literally: %q", tail(f.text()[from:]))
	}
}

// Three hundred random key sequences typed at the prompt neither crash nor hang it. It still works afterwards.
func TestRandomKeys(t *testing.T) {
	keys := []string{
		"\r", "\r", "\r", "\t", "\t\t", " ", "    ", "\x7f", "\x01", "\x05", "\x0b", "\x15", "\x17", "\x19", "\x12", "\x13", "\x14",
		"\x1f", "\x0c", "\x0e", "\x10", "\x03", "\x07", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1b[Z", "\x1bf", "\x1bb",
		"\x1b[200~", "\x1b[201~", "\x1b[1;3D", "\x1b\x1b[C", "def f(x):", "return ", "if ", "for i in ", "x", "f", "ln", "ln(", "3", "(", ")", "[", "]", "{", "}",
		":", ",", ".", "=", "==", "+", "'", "\"", "'''", "\\", "#", "?", "%time ", "help", "_", "e", ".v", "é", "ε", "漢", "\xff", "who()", "reset()",
	}
	rng := rand.New(rand.NewPCG(7, 1))
	f := openTerminal(t)
	for i := range 300 {
		var b bytes.Buffer
		if i%25 == 0 {
			b.WriteString("\x1b[201~\x03") // drop the line: a long one is slow to show
		}
		for range 1 + rng.IntN(8) {
			b.WriteString(keys[rng.IntN(len(keys))])
		}
		if _, err := f.file.Write(b.Bytes()); err != nil {
			t.Fatalf("%v; the last output is\n%s", err, tail(f.text()))
		}
	}
	// Leave any mode, drop the line, and ask for an answer as a user would: key by key, and more slowly each time a
	// mode has swallowed a key.
	from := len(f.text())
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		if pause > hang {
			t.Fatalf("the prompt no longer answers; the last output is\n%q", tail(f.text()))
		}
		prompt.WakeWriters(f.file)
		for _, keys := range []string{"\x1b[201~", "\x07", "\x03", "\x03", "\x03", "print('still ' + 'here')\r"} {
			if _, err := io.WriteString(f.file, keys); err != nil {
				t.Fatalf("%v; the last output is\n%q", err, tail(f.text()))
			}
			if f.shows(pause, func(seen string) bool { return strings.Contains(seen[from:], "still here") }) {
				return
			}
		}
	}
}
