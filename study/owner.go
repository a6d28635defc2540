package study

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A trial's owner reads "host|pid|start|nonce|beat": where its process runs,
// the process, something that no other process has, and a counter that grows
// while it lives. Where the host is this one, a look at the process table tells
// at once that it is gone; elsewhere a counter that stands still does.

// owner is this process as the owner of trials.
type owner struct{ host, pid, start, nonce string }

func newOwner() owner {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails; only tells processes apart
	pid := os.Getpid()
	start, _ := processStart(pid)
	return owner{hostName("/proc"), strconv.Itoa(pid), start, hex.EncodeToString(nonce[:])}
}

// mark returns the owner with a beat.
func (o owner) mark(token string, beat int) string {
	return fmt.Sprintf("%s|%s|%s|%s.%s|%d", o.host, o.pid, o.start, o.nonce, token, beat)
}

// hostName names this machine since it started, and the table of processes that
// this one sees, as the files of a system tell it; "" where they do not.
func hostName(proc string) string {
	boot, err := os.ReadFile(filepath.Join(proc, "sys/kernel/random/boot_id"))
	if err != nil {
		return ""
	}
	table, err := os.Readlink(filepath.Join(proc, "self/ns/pid"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + table
}

// processStart returns when a process started, in ticks since the machine did;
// ok is false where there is no such process, or only its remains.
func processStart(pid int) (start string, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "", false
	}
	_, rest, found := strings.Cut(string(stat), ") ") // the name before may hold blanks
	fields := strings.Fields(rest)
	if !found || len(fields) < 20 {
		return "", false
	}
	return fields[19], fields[0] != "Z" && fields[0] != "X"
}

// gone reports whether the process of a mark is known to have ended.
func (o owner) gone(mark string) bool {
	part := strings.Split(mark, "|")
	if len(part) != 5 || o.host == "" || part[0] != o.host {
		return false
	}
	pid, err := strconv.Atoi(part[1])
	if err != nil {
		return false
	}
	start, alive := processStart(pid)
	return !alive || start != part[2]
}
