//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// cellSize returns the size in pixels of a terminal's character, or 0 if the terminal does not report it.
func cellSize(terminal *os.File) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 0, 0
	}
	return int(size.Xpixel / size.Col), int(size.Ypixel / size.Row)
}
