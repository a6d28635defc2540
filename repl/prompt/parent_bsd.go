//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import "golang.org/x/sys/unix"

// parentOf returns the parent of a process that started this one in its own group, as go run does. That is the shell,
// which leads the session.
func parentOf(int) (parent int, err error) { return unix.Getsid(0) }
