//go:build !unix

package study_test

import "syscall"

// as returns nothing: only on Unix is there a root whose servers run as another
// user.
func as(_, _ int) *syscall.SysProcAttr { return nil }
