//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"os"

	"golang.org/x/sys/unix"
)

// quiet keeps the terminal from showing what is typed while a computation runs:
// the keys wait, as they are, for the editor, which shows them where they belong.
// Ctrl-C still interrupts. The function that it returns puts the terminal back.
func quiet() (restore func()) {
	fd := int(os.Stdin.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	now := *before
	now.Iflag &^= unix.ICRNL | unix.INLCR | unix.IGNCR | unix.IXON
	now.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.IEXTEN
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	_ = unix.IoctlSetTermios(fd, setTermios, &now) // or it stays as it is
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }
}
