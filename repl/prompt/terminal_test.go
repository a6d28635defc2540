//go:build linux || darwin

package prompt

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"testing"

	"dpworkbench/repl"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// atTerminal makes a terminal the standard input of this process, and returns its other end.
func atTerminal(t *testing.T) (control *os.File) {
	t.Helper()
	control, keys, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	before := os.Stdin
	os.Stdin = keys
	t.Cleanup(func() {
		os.Stdin = before
		keys.Close()
		control.Close()
	})
	return control
}

// mode is how the terminal at standard input is set.
func mode(t *testing.T) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

// Keys come alone, or unseen, until the terminal is put back; where there is no terminal nothing is asked of it.
func TestTerminalModes(t *testing.T) {
	atTerminal(t)
	before := mode(t)
	restore, ok := keysAlone()
	if !ok || mode(t).Lflag != before.Lflag&^unix.ISIG {
		t.Errorf("keys alone: %v, flags %x after %x", ok, mode(t).Lflag, before.Lflag)
	}
	restore()
	if mode(t) != before {
		t.Error("the terminal is not as it was before keys came alone")
	}
	restore = quiet()
	if now := mode(t); now.Lflag&(unix.ECHO|unix.ICANON) != 0 || now.Lflag&unix.ISIG == 0 {
		t.Errorf("quiet: flags %x", now.Lflag)
	}
	restore()
	if mode(t) != before {
		t.Error("the terminal is not as it was before it was quiet")
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	terminal := os.Stdin
	os.Stdin = file
	if restore, ok := keysAlone(); ok || restore != nil {
		t.Error("keys come alone from what is no terminal")
	}
	quiet()()
	os.Stdin = terminal
}

// A prompt that is asked to stop gives the terminal back as it was, and has it again as it had it; where nobody could
// continue it, it goes on.
func TestSuspend(t *testing.T) {
	atTerminal(t)
	before := mode(t)
	put := quiet()
	had := mode(t)
	restored := false
	e := &editor{stops: &stops{ignored: true}, restore: func() {
		put()
		if restored = mode(t) == before; !restored {
			t.Error("the shell would not find its terminal as it was")
		}
	}}
	e.suspend()
	if !restored || mode(t) != had {
		t.Errorf("the prompt does not go on as it was: put back %v", restored)
	}
	put()
}

// Whoever watches hears of every request to stop, until the watch ends.
func TestWatchStops(t *testing.T) {
	heard := make(chan struct{})
	s := watchStops(func() { heard <- struct{}{} })
	if s.ignored {
		s.stop() // and comes back at once
		t.Skip("whoever started the tests ignores Ctrl-Z")
	}
	for range 2 {
		if err := unix.Kill(os.Getpid(), unix.SIGTSTP); err != nil {
			t.Fatal(err)
		}
		<-heard
	}
	s.close()
	signal.Ignore(unix.SIGTSTP)
	defer func() { // noticed again, no more ignored
		c := make(chan os.Signal, 1)
		signal.Notify(c, unix.SIGTSTP)
		signal.Stop(c)
	}()
	if s = watchStops(func() { t.Error("a stop is heard of that is ignored") }); !s.ignored {
		t.Error("that Ctrl-Z is ignored is not noticed")
	}
	s.stop()
}

// The parent of this process is known, and that of none is not; a group that the first process of all leads has none to continue it.
func TestParents(t *testing.T) {
	if parent, err := parentOf(os.Getpid()); err != nil || parent != os.Getppid() {
		t.Errorf("the parent is %d, %v, want %d", parent, err, os.Getppid())
	}
	if parent, err := parentOf(1 << 30); err == nil {
		t.Errorf("no process has the parent %d", parent)
	}
	session, err := unix.Getsid(0)
	if err != nil {
		t.Fatal(err)
	}
	// A leader of its session that is its own group has a parent elsewhere, if any.
	if session == os.Getpid() && continuable() {
		t.Error("the leader of a session is continued by nobody of that session")
	}
	if of, err := unix.Getsid(os.Getppid()); err == nil && of != session && continuable() {
		t.Error("a parent of another session does not continue this process")
	}
}

// What is longer than the screen is shown by screens where there are keys to ask with, and whole where there are none.
func TestPagesAtTheTerminal(t *testing.T) {
	control := atTerminal(t)
	p, out := talk(strings.NewReader(""), repl.NewSession().Terminal, Options{})
	_, height := terminalSize()
	var long strings.Builder
	for i := range 3 * height {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	count := func() int { return strings.Count(out.String(), "line ") }
	p.page(long.String())
	if count() != 3*height {
		t.Errorf("plain lines: %d of %d", count(), 3*height)
	}
	now := mode(t)
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN] = 1
	if err := unix.IoctlSetTermios(int(os.Stdin.Fd()), setTermios, &now); err != nil {
		t.Fatal(err)
	}
	press := func(key string) {
		if _, err := control.WriteString(key); err != nil {
			t.Error(err)
		}
	}
	stopped := 0
	p.reader = &editor{stops: &stops{ignored: true}, restore: func() { stopped++; press("q") }}
	for _, c := range []struct {
		text, key   string
		want, stops int
	}{{"line 0\n", "", 1, 0}, {long.String(), "q", height - 1, 0}, {long.String(), "\x1a", height - 1, 1}} {
		out.Reset()
		stopped = 0
		press(c.key)
		p.page(c.text)
		if got := count() - strings.Count(out.String(), "by a line "); got != c.want || stopped != c.stops {
			t.Errorf("%q shows %d lines and stops %d times, want %d and %d", c.key, got, stopped, c.want, c.stops)
		}
	}
}
