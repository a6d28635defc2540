//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group makes a command end with all that it has started.
func group(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
