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

// A trial's owner has the form "host|pid|start|nonce|count": the host, the process id, the start time of the process, a
// random number unique to the process, and the heartbeat counter. A process on the same host can find out whether the
// owner has ended. Otherwise, a trial is lost if its counter stops.

// owner identifies a process as the owner of trials.
type owner struct {
	host, pid, start, nonce string
	table                   table
}

// table gives access to information about processes.
type table struct {
	proc   string              // directory of process information (/proc)
	signal func(pid int) error // sends no signal, only reports whether one could be sent
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

// owner returns the process with the given id as an owner.
func (t table) owner(pid int) owner {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails; it only distinguishes processes
	o := owner{pid: strconv.Itoa(pid), nonce: hex.EncodeToString(nonce[:]), table: t}
	if self, err := os.Readlink(filepath.Join(t.proc, "self")); err == nil && self == o.pid {
		o.host = t.host()
		o.start, _ = t.start(pid)
	} // otherwise /proc belongs to another namespace, with other process ids
	return o
}

// mark returns the mark of a trial of this owner, with a heartbeat counter.
func (o owner) mark(token string, count int) string {
	return fmt.Sprintf("%s|%s|%s|%s.%s|%d", o.host, o.pid, o.start, o.nonce, token, count)
}

// host identifies the scope in which process ids and start times are comparable: the boot of the machine, and the
// namespaces of processes and, if there is one, of time. It is "" if the system does not provide it.
func (t table) host() string {
	boot, err := os.ReadFile(filepath.Join(t.proc, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	pids, err := os.Readlink(filepath.Join(t.proc, "self/ns/pid"))
	if err != nil {
		return ""
	}
	clock, _ := os.Readlink(filepath.Join(t.proc, "self/ns/time")) // empty on systems without time namespaces
	return strings.TrimSpace(string(boot)) + pids + clock
}

// start returns the start time of a process, in ticks since boot, "" if that cannot be read. ended is true for a
// zombie.
func (t table) start(pid int) (start string, ended bool) {
	stat, err := os.ReadFile(filepath.Join(t.proc, strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the process name may contain anything
	if len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] == "Z" || fields[0] == "X"
}

// gone reports whether the process of a mark is known to have ended: no process has its id, or the process with its id
// started at another time. A process that cannot be seen, because it is another user's or there is no /proc, is not
// known to have ended.
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
