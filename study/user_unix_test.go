//go:build unix

package study_test

import "syscall"

// as returns the attributes to start a process as a user.
func as(uid, gid int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
