//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// cellSize returns the pixels of a character of a terminal; 0 where it does not
// say.
func cellSize(terminal *os.File) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 0, 0
	}
	return int(size.Xpixel / size.Col), int(size.Ypixel / size.Row)
}
