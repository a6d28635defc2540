//go:build !unix

package dbtest

import "syscall"

// as returns nothing: only on Unix is there a root whose servers run as another
// user.
func as(_, _ int) *syscall.SysProcAttr { return nil }
