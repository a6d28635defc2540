package study

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A trial's owner reads "host|pid|start|nonce|beat": where its process runs, the
// process, when it started, something that no other process has, and a counter
// that grows while it lives. Where the host is this one, the process may be known
// to have ended. Wherever that is not known, a counter that stands still decides.

// owner is this process as the owner of trials.
type owner struct {
	host, pid, start, nonce string
	table                   table
}

// table is what a process can see of others.
type table struct {
	proc   string              // where the system's files about processes are
	signal func(pid int) error // sends no signal, and tells whether one could be sent
}

var processes = table{"/proc", func(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = p.Release() }()
	return p.Signal(syscall.Signal(0))
}}

func newOwner() owner { return processes.owner(os.Getpid()) }

// owner returns the process of this number as an owner.
func (t table) owner(pid int) owner {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails; only tells processes apart
	o := owner{pid: strconv.Itoa(pid), nonce: hex.EncodeToString(nonce[:]), table: t}
	if self, err := os.Readlink(filepath.Join(t.proc, "self")); err == nil && self == o.pid {
		o.host = t.host()
		o.start, _ = t.start(pid)
	} // else the files are those of another namespace, where numbers mean other processes
	return o
}

// mark returns the owner with a beat.
func (o owner) mark(token string, beat int) string {
	return fmt.Sprintf("%s|%s|%s|%s.%s|%d", o.host, o.pid, o.start, o.nonce, token, beat)
}

// host names what two processes share that mean the same by a process's number and
// its start: the machine since it started, and the namespaces of processes and, where
// there is one, of time. It is "" where the system does not tell.
func (t table) host() string {
	boot, err := os.ReadFile(filepath.Join(t.proc, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	pids, err := os.Readlink(filepath.Join(t.proc, "self/ns/pid"))
	if err != nil {
		return ""
	}
	clock, _ := os.Readlink(filepath.Join(t.proc, "self/ns/time")) // older systems have one for all
	return strings.TrimSpace(string(boot)) + pids + clock
}

// start returns when a process started, in ticks since the machine did, "" where that
// cannot be read; ended is true where only the remains of a process are left.
func (t table) start(pid int) (start string, ended bool) {
	stat, err := os.ReadFile(filepath.Join(t.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before may hold anything
	if len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] == "Z" || fields[0] == "X"
}

// gone reports whether the process of a mark is known to have ended: no process has its
// number, or one that started at another time. A process that cannot be seen, because
// it is another user's or /proc is not there, is not known to have ended.
func (o owner) gone(mark string) bool {
	part := strings.Split(mark, "|")
	if len(part) != 5 || o.host == "" || part[0] != o.host {
		return false
	}
	pid, err := strconv.Atoi(part[1])
	if err != nil || pid <= 0 {
		return false
	}
	if err := o.table.signal(pid); errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return true
	}
	start, ended := o.table.start(pid)
	return ended || start != "" && part[2] != "" && start != part[2]
}
