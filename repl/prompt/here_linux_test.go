package prompt

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"dpworkbench/display"
	"dpworkbench/repl"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func init() { terminalHere = ownTerminal }

// ownTerminal makes a terminal this process's standard input and output, until the
// prompt that runs on it ends.
func ownTerminal(t *testing.T) *terminal {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("EDITOR", "true")
	t.Setenv("INPUTRC", "/dev/null")
	f, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	if err := pty.Setsize(f, &pty.Winsize{Rows: 20, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	var before [3]int
	for fd := range before {
		if before[fd], err = unix.Dup(fd); err != nil {
			t.Fatal(err)
		}
		if err := unix.Dup3(int(tty.Fd()), fd, 0); err != nil {
			t.Fatal(err)
		}
	}
	restore := sync.OnceFunc(func() {
		for fd, kept := range before {
			_ = unix.Dup3(kept, fd, 0)
			_ = unix.Close(kept)
		}
	})
	term := &terminal{t: t, file: f, done: make(chan error, 1), more: make(chan struct{}, 1)}
	go term.look()
	history := filepath.Join(t.TempDir(), "history")
	go func() {
		s := repl.NewSession().Session
		s.Stdout, s.Stderr = os.Stdout, os.Stderr
		s.Terminal = display.Caps{Colors: display.Color256, Unicode: true}
		status, err := Run(s, Options{History: history, Banner: "Welcome.", Size: terminalSize})
		if err == nil && status != 0 {
			err = fmt.Errorf("exit status %d", status)
		}
		restore()
		term.done <- err
	}()
	t.Cleanup(func() {
		restore()
		f.Close() // which ends the prompt
		tty.Close()
	})
	term.await(">>> ", 0)
	return term
}
