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

func init() { wakeWriters = setTwice }

// setTwice turns the stop key on and back off, which starts output and wakes writers.
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

// Two who ask to stop wait for each other, the terminal is put back first, and where the
// shell has no use for it nothing stops.
func TestSuspendsOneByOne(t *testing.T) {
	restored := 0
	e := &editor{stops: &stops{ignored: true}, restore: func() { restored++ }}
	locks.Awaited(t, "to stop", &e.stopping, e.suspend)
	if restored != 1 {
		t.Errorf("the terminal is put back %d times", restored)
	}
}

// A process has the parent that the system says, and one that there is not has none.
func TestParents(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere it is the shell that leads the session")
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

// Where standard input is no terminal, nothing is set and nothing is put back.
func TestNoTerminal(t *testing.T) {
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	var err error
	if os.Stdin, err = os.Open(os.DevNull); err != nil {
		t.Fatal(err)
	}
	defer os.Stdin.Close()
	if restore, ok := keysAlone(); ok || restore != nil {
		t.Error("keys of no terminal are taken")
	}
	quiet()()
	if _, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), getTermios); err == nil {
		t.Error("/dev/null is a terminal")
	}
}
