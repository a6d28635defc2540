//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// stops suspends the program after Ctrl-Z during a computation.
type stops struct {
	asked   chan os.Signal
	done    chan struct{}
	ignored bool // the parent process ignores the signal
}

// watchStops calls suspend whenever the terminal or another program sends SIGTSTP. If the parent process ignores that
// signal, nothing is watched.
func watchStops(suspend func()) *stops {
	s := &stops{make(chan os.Signal, 1), make(chan struct{}), signal.Ignored(unix.SIGTSTP)}
	if s.ignored {
		return s
	}
	signal.Notify(s.asked, unix.SIGTSTP)
	go func() {
		for {
			select {
			case <-s.asked:
				suspend()
			case <-s.done:
				return
			}
		}
	}()
	return s
}

// close stops watching.
func (s *stops) close() {
	signal.Stop(s.asked)
	close(s.done)
}

// stop stops the process group and returns when the shell continues it. It returns at once if no shell could continue
// it. It sends SIGSTOP, because Go's runtime never restores the default action of SIGTSTP after a signal.Notify.
func (s *stops) stop() {
	if s.ignored || !continuable() {
		return
	}
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, unix.SIGCONT)
	defer signal.Stop(goOn)
	_ = unix.Kill(0, unix.SIGSTOP) // cannot fail: the process is in the group
	<-goOn
}

// continuable reports whether a shell could continue this process group. That requires a process of the group whose
// parent is in the same session but in another group. Groups without such a process are orphaned.
func continuable() bool { return system.continuable(os.Getpid(), os.Getppid()) }

// processes are functions that return the session, the group and the parent of a process.
type processes struct{ session, group, parent func(pid int) (int, error) }

var system = processes{unix.Getsid, unix.Getpgid, parentOf}

// continuable reports whether an ancestor of a process is in its session but in another group, and all processes
// between the two are in its own group. Process 1 does not count, because it continues no program.
func (p processes) continuable(pid, parent int) bool {
	session, err := p.session(pid)
	if err != nil {
		return false
	}
	group, err := p.group(pid)
	for err == nil && parent > 1 {
		var of int
		if of, err = p.session(parent); err != nil || of != session {
			return false
		}
		if of, err = p.group(parent); err != nil || of != group {
			return err == nil
		}
		parent, err = p.parent(parent)
	}
	return false
}

// suspend restores the terminal, stops the program until the shell continues it, and sets up the terminal again.
func (e *editor) suspend() {
	e.stopping.Lock()
	defer e.stopping.Unlock()
	fd := int(os.Stdin.Fd())
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	e.restore()
	e.stops.stop()
	if err == nil {
		_ = unix.IoctlSetTermios(fd, setTermios, mode)
	}
}

// keysAlone makes the terminal deliver the keys that stop or interrupt programs like any other key, until restore is
// called.
func keysAlone() (restore func(), ok bool) {
	fd := int(os.Stdin.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, false
	}
	now := *before
	now.Lflag &^= unix.ISIG
	_ = unix.IoctlSetTermios(fd, setTermios, &now) // if this fails, the terminal keeps its settings
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, true
}
