//go:build !unix

package study_test

import "syscall"

// as returns nil: only on Unix does root run servers as another user.
func as(_, _ int) *syscall.SysProcAttr { return nil }
