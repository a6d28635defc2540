//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import "golang.org/x/sys/unix"

// parentOf returns the parent of the process that started this one in its own process group, as go run does. It assumes
// that this parent is the shell, which leads the session.
func parentOf(int) (parent int, err error) { return unix.Getsid(0) }
