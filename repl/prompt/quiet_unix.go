//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"os"

	"golang.org/x/sys/unix"
)

// quiet keeps the terminal from echoing what is typed while a computation runs. The keys wait for the editor, which
// shows them in the input. Ctrl-C still interrupts. The returned function restores the terminal.
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
	_ = unix.IoctlSetTermios(fd, setTermios, &now) // if this fails, the terminal keeps its settings
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }
}
