package study

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// system simulates a system's files and processes.
type system struct {
	t       *testing.T
	proc    string
	signals map[int]error // result of a signal to a process; a missing entry means that it has ended
}

// newSystem returns a system with the processes 5 and 9.
func newSystem(t *testing.T) *system {
	s := &system{t, t.TempDir(), make(map[int]error)}
	s.file("sys/kernel/random/boot_id", "since-when\n")
	for _, pid := range []string{"5", "9"} {
		s.link(pid+"/ns/pid", "pid:[7]")
		s.link(pid+"/ns/time", "time:[8]")
	}
	s.process(5, "S", 200)
	s.process(9, "S", 100)
	return s
}

// owner returns a process of the system as the owner of trials.
func (s *system) owner(pid int) owner {
	s.link("self", strconv.Itoa(pid))
	return s.table().owner(pid)
}

func (s *system) path(name string) string { return s.proc + "/" + name }

func (s *system) file(name, text string) {
	s.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(name)), 0o700), os.WriteFile(s.path(name), []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) link(name, to string) {
	s.t.Helper()
	_ = os.Remove(s.path(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(name)), 0o700), os.Symlink(to, s.path(name))); err != nil {
		s.t.Fatal(err)
	}
}

// process adds a process that can be seen and signalled.
func (s *system) process(pid int, state string, start int) {
	s.signals[pid] = nil
	s.file(fmt.Sprintf("%d/stat", pid), fmt.Sprintf("%d (a) Z b) %s 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %d 20 21\n", pid, state, start))
}

func (s *system) table() table {
	return table{s.proc, func(pid int) error {
		err, ok := s.signals[pid]
		if !ok {
			return os.ErrProcessDone
		}
		return err
	}}
}

// hide removes the files of a process, and makes signals to it return err.
func (s *system) hide(pid int, err error) {
	s.signals[pid] = err
	if err := os.RemoveAll(s.path(strconv.Itoa(pid))); err != nil {
		s.t.Fatal(err)
	}
}

// A process is gone if no process has its id, if it is a zombie, or if another process now has its id. A process that
// cannot be inspected is not gone.
func TestGone(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *system)
		want   bool
	}{
		"alive":                         {func(*system) {}, false},
		"ended":                         {func(s *system) { s.hide(5, nil); delete(s.signals, 5) }, true},
		"ended, as errno":               {func(s *system) { s.hide(5, syscall.ESRCH) }, true},
		"ended, another's files remain": {func(s *system) { delete(s.signals, 5) }, true},
		"another user's, hidden":        {func(s *system) { s.hide(5, syscall.EPERM) }, false},
		"another user's, readable":      {func(s *system) { s.signals[5] = syscall.EPERM }, false},
		"ours, hidden":                  {func(s *system) { s.hide(5, nil) }, false},
		"signals are forbidden":         {func(s *system) { s.hide(5, syscall.ENOSYS) }, false},
		"a zombie":                      {func(s *system) { s.process(5, "Z", 200) }, true},
		"dead":                          {func(s *system) { s.process(5, "X", 200) }, true},
		"its number reused":             {func(s *system) { s.process(5, "R", 201) }, true},
		"its number reused by another user": {func(s *system) {
			s.process(5, "R", 201)
			s.signals[5] = syscall.EPERM
		}, true},
		"its number reused, hidden": {func(s *system) { s.hide(5, syscall.EPERM) }, false},
		"an unknown format":         {func(s *system) { s.file("5/stat", "5 (a) S 1 2") }, false},
		"an empty file":             {func(s *system) { s.file("5/stat", "") }, false},
	} {
		s := newSystem(t)
		mark := s.owner(5).mark("1", 0)
		c.change(s)
		if got := s.owner(9).gone(mark); got != c.want {
			t.Errorf("%s: process 5 is gone: %t", name, got)
		}
	}
}

// Nothing is known about a process if its id belongs to another machine, boot, process namespace or time namespace, or
// if the system cannot be identified.
func TestOwnersElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *system)
		want   bool
	}{
		"here":                         {func(*system) {}, true},
		"another boot":                 {func(s *system) { s.file("sys/kernel/random/boot_id", "later\n") }, false},
		"another namespace":            {func(s *system) { s.link("9/ns/pid", "pid:[6]") }, false},
		"another clock":                {func(s *system) { s.link("9/ns/time", "time:[6]") }, false},
		"no boot":                      {func(s *system) { _ = os.Remove(s.path("sys/kernel/random/boot_id")) }, false},
		"no namespace":                 {func(s *system) { _ = os.Remove(s.path("9/ns/pid")) }, false},
		"the files of other processes": {func(s *system) { s.link("self", "8") }, false},
		"no files":                     {func(s *system) { _ = os.RemoveAll(s.proc) }, false},
	} {
		s := newSystem(t)
		mark := s.owner(9).mark("1", 0)
		c.change(s)
		own := s.table().owner(9)
		delete(s.signals, 9)
		if got := own.gone(mark); got != c.want {
			t.Errorf("%s: gone is %t", name, got)
		}
		if own.gone(own.mark("1", 0)) != (own.host != "") {
			t.Errorf("%s: an unused process number on host %q is not gone", name, own.host)
		}
	}
	s := newSystem(t)
	own := s.owner(9)
	delete(s.signals, 9)
	for _, pid := range []string{"x", "", "0", "-9"} {
		odd := own
		odd.pid = pid
		if own.gone(odd.mark("1", 0)) {
			t.Errorf("process %q is gone", pid)
		}
	}
	for _, mark := range []string{"", own.host + "|1|1", own.mark("1", 0) + "|1"} {
		if own.gone(mark) {
			t.Errorf("%q is gone", mark)
		}
	}
	if got := advance(own.mark("7", 3), 12); got != own.mark("7", 12) {
		t.Errorf("the next mark is %q", got)
	}
	if got := advance("no mark", 12); got != "no mark" {
		t.Errorf("an invalid mark becomes %q", got)
	}
}

// On the real system, this process exists, and a process with an id above the maximum does not.
func TestProcessesOfThisSystem(t *testing.T) {
	own := newOwner()
	none := own
	none.pid = "4194305" // Linux assigns at most 4194304
	if own.gone(own.mark("1", 0)) || own.gone(none.mark("1", 0)) != (own.host != "") || (own.host == "") != (own.start == "") {
		t.Errorf("host %q, start %q: this process is gone: %t, an impossible one: %t", own.host, own.start, own.gone(own.mark("1", 0)), own.gone(none.mark("1", 0)))
	}
}
