//go:build !unix

package study_test

import "syscall"

// as returns nil, because only on Unix can root run servers as another user.
func as(_, _ int) *syscall.SysProcAttr { return nil }
