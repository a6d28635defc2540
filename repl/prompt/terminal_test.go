//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"dpworkbench/internal/locks"

	"golang.org/x/sys/unix"
)

func init() { WakeWriters = setTwice }

// setTwice toggles the stop key off and on, which restarts output and wakes writers.
func setTwice(terminal *os.File) {
	fd := int(terminal.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return
	}
	now := *before
	now.Iflag ^= unix.IXON
	_ = unix.IoctlSetTermios(fd, setTermios, &now)
	_ = unix.IoctlSetTermios(fd, setTermios, before)
}

// Concurrent requests to stop run one after another. Each restores the terminal first. If the parent process ignores
// stops, none is performed.
func TestSuspendIsSerialized(t *testing.T) {
	restored := 0
	e := &editor{stops: &stops{ignored: true}, restore: func() { restored++ }}
	locks.Awaited(t, "to stop", &e.stopping, e.suspend)
	if restored != 1 {
		t.Errorf("the terminal is restored %d times", restored)
	}
}

// parentOf returns the parent that the system reports, and an error for a nonexistent process.
func TestParentOf(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems use the shell that leads the session")
	}
	if parent, err := parentOf(os.Getpid()); err != nil || parent != os.Getppid() {
		t.Errorf("the parent is %d, %v, want %d", parent, err, os.Getppid())
	}
	for _, pid := range []int{-1, 1 << 30} {
		if parent, err := parentOf(pid); !errors.Is(err, os.ErrNotExist) || parent != 0 {
			t.Errorf("process %d has the parent %d, %v", pid, parent, err)
		}
	}
}

// If standard input is not a terminal, no mode is set or restored.
func TestNoTerminal(t *testing.T) {
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	var err error
	if os.Stdin, err = os.Open(os.DevNull); err != nil {
		t.Fatal(err)
	}
	defer os.Stdin.Close()
	if restore, ok := keysAlone(); ok || restore != nil {
		t.Error("keysAlone accepts an input that is not a terminal")
	}
	quiet()()
	if _, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), getTermios); err == nil {
		t.Error("/dev/null is a terminal")
	}
}
