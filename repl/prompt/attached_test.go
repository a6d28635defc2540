//go:build linux || darwin

package prompt

import (
	"io"
	"os"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
	"dpworkbench/repl"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// attach makes a new terminal the process's standard input and output, for one test.
func attach(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, terminal, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	stdin, stderr := os.Stdin, os.Stderr
	os.Stdin, os.Stderr = terminal, terminal
	t.Cleanup(func() {
		os.Stdin, os.Stderr = stdin, stderr
		control.Close()
		terminal.Close()
	})
	return control, terminal
}

func resize(t *testing.T, terminal *os.File, width, height uint16) {
	t.Helper()
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		t.Fatal(err)
	}
}

// SettingsOf returns the settings of a terminal, for the tests inside and outside the package.
func SettingsOf(t *testing.T, terminal *os.File) unix.Termios {
	t.Helper()
	now := must.For(unix.IoctlGetTermios(int(terminal.Fd()), getTermios))(t)
	return *now
}

// terminalSize returns the size that the terminal reports. A terminal that reports none, and any other output, counts
// as 80 by 24.
func TestSizeOfTheTerminal(t *testing.T) {
	_, terminal := attach(t)
	for _, c := range []struct {
		columns, rows uint16
		width, height int
	}{{61, 17, 61, 17}, {1, 1, 1, 1}, {0, 17, 80, 24}, {61, 0, 80, 24}, {0, 0, 80, 24}} {
		resize(t, terminal, c.columns, c.rows)
		if width, height := terminalSize(); width != c.width || height != c.height {
			t.Errorf("a terminal that reports %d by %d counts as %d by %d", c.columns, c.rows, width, height)
		}
	}
	null := must.For(os.Open(os.DevNull))(t)
	defer null.Close()
	os.Stderr = null
	if width, height := terminalSize(); width != 80 || height != 24 {
		t.Errorf("an output that is not a terminal counts as %d by %d", width, height)
	}
}

// In the editor the terminal delivers keys one by one, unchanged and without echo, and Ctrl-C still interrupts. In the
// pager Ctrl-C is a key like any other. Restoring brings back the previous mode.
func TestSettingsOfTheTerminal(t *testing.T) {
	_, terminal := attach(t)
	ordinary := SettingsOf(t, terminal)
	ordinary.Iflag |= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON | unix.IUTF8
	ordinary.Lflag |= unix.ECHO | unix.ECHONL | unix.ICANON | unix.IEXTEN | unix.ISIG | unix.ECHOE
	ordinary.Cc[unix.VMIN], ordinary.Cc[unix.VTIME] = 7, 3
	if err := unix.IoctlSetTermios(int(terminal.Fd()), setTermios, &ordinary); err != nil {
		t.Fatal(err)
	}
	restore := quiet()
	now := SettingsOf(t, terminal)
	if now.Iflag&(unix.ICRNL|unix.INLCR|unix.IGNCR|unix.IXON) != 0 || now.Iflag&unix.IUTF8 == 0 {
		t.Errorf("keys are changed: %#x", now.Iflag)
	}
	if now.Lflag&(unix.ECHO|unix.ECHONL|unix.ICANON|unix.IEXTEN) != 0 || now.Lflag&unix.ISIG == 0 || now.Lflag&unix.ECHOE == 0 {
		t.Errorf("keys are echoed, wait for a line, or do not interrupt: %#x", now.Lflag)
	}
	if now.Cc[unix.VMIN] != 1 || now.Cc[unix.VTIME] != 0 {
		t.Errorf("a read waits for %d keys, or for %d tenths of a second", now.Cc[unix.VMIN], now.Cc[unix.VTIME])
	}
	back, ok := keysAlone()
	if !ok {
		t.Fatal("the keys of a terminal cannot be read")
	}
	alone := SettingsOf(t, terminal)
	if alone.Lflag&unix.ISIG != 0 {
		t.Error("keys interrupt the pager")
	}
	if alone.Lflag |= unix.ISIG; alone != now {
		t.Errorf("for the pager the terminal has %+v, want %+v", alone, now)
	}
	back()
	if again := SettingsOf(t, terminal); again != now {
		t.Errorf("after the pager the terminal has %+v, want %+v", again, now)
	}
	restore()
	if again := SettingsOf(t, terminal); again != ordinary {
		t.Errorf("after the editor the terminal has %+v, want %+v", again, ordinary)
	}
}

// Closing an editor, once or twice, restores the terminal and stops its signal handling.
func TestEditorCloseRestoresTerminal(t *testing.T) {
	_, terminal := attach(t)
	before := SettingsOf(t, terminal)
	e := newEditor(repl.NewSession().Session, Options{})
	if SettingsOf(t, terminal) == before {
		t.Error("the editor does not change the terminal's mode")
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if SettingsOf(t, terminal) != before {
		t.Error("the editor does not restore the terminal")
	}
	select {
	case <-e.stops.done:
	default:
		t.Error("the editor still receives stop signals")
	}
}

// Output longer than the screen is paged if keys can be read, and the terminal is restored afterwards. Other output is
// printed in full.
func TestPageLongOutput(t *testing.T) {
	control, terminal := attach(t)
	resize(t, terminal, 40, 10)
	e := newEditor(repl.NewSession().Session, Options{})
	defer e.Close()
	before := SettingsOf(t, terminal)
	short, long := strings.Repeat("a\n", 8), strings.Repeat("b\n", 50)
	page := func(text string) string {
		p, out := promptOn(strings.NewReader(""), display.Caps{}, Options{})
		p.reader = e
		p.page(text)
		return out.String()
	}
	if got := page(short); got != short {
		t.Errorf("output that fits the screen is shown as %q", got)
	}
	if _, err := io.WriteString(control, "q"); err != nil {
		t.Fatal(err)
	}
	if got := page(long); strings.Count(got, "b\n") != 9 || !strings.Contains(got, "9 of 50 lines") {
		t.Errorf("output longer than the screen is shown as %q", got)
	}
	if SettingsOf(t, terminal) != before {
		t.Error("the pager does not restore the terminal")
	}
	null := must.For(os.Open(os.DevNull))(t)
	defer null.Close()
	os.Stdin = null
	if got := page(long); got != long {
		t.Errorf("without keys it is shown as %q", got)
	}
	os.Stdin = terminal
}

// If no pipe can be opened, mended lets the editor's output go directly to the terminal.
func TestMendedWithoutPipe(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	next := must.For(os.Open(os.DevNull))(t)
	none := limit
	none.Cur = uint64(next.Fd()) + 1 // leaves room for one more open file, but a pipe needs two
	next.Close()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	before, ran := os.Stdout, false
	mended("", func() { ran = os.Stdout == before })
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if !ran {
		t.Error("without a pipe the function did not run, or not on the terminal")
	}
}
