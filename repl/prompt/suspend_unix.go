//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// stops hears of Ctrl-Z while a computation runs, and stops the program.
type stops struct {
	asked   chan os.Signal
	done    chan struct{}
	ignored bool // by whoever started the program
}

// watchStops calls suspend whenever the terminal, or another program, asks this one to
// stop. Where the shell has no use for that, nothing is watched.
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

// close ends the watch.
func (s *stops) close() {
	signal.Stop(s.asked)
	close(s.done)
}

// stop stops the program and what runs with it, and returns once the shell has them go
// on; at once where no shell waits to do that. It sends SIGSTOP, as Go's runtime, once it
// was asked to notice SIGTSTP, never gives that back its meaning.
func (s *stops) stop() {
	if s.ignored || !continuable() {
		return
	}
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, unix.SIGCONT)
	defer signal.Stop(goOn)
	_ = unix.Kill(0, unix.SIGSTOP) // never fails: the program is of the group
	<-goOn
}

// continuable reports whether a shell could continue this group of processes: a parent
// of one of them is of the same session and of another group. Others are orphans.
func continuable() bool { return system.continuable(os.Getpid(), os.Getppid()) }

// processes says of each process of what session and of what group it is, and who started it.
type processes struct{ session, group, parent func(pid int) (int, error) }

var system = processes{unix.Getsid, unix.Getpgid, parentOf}

// continuable reports whether an ancestor of a process is of its session and of another
// group, and all between them of its own. What has the number 1 continues nobody.
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

// suspend puts the terminal back, stops the program until the shell continues it, and
// takes the terminal as it had it.
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

// keysAlone makes the terminal hand over keys that stop or interrupt programs as any
// other, until restore is called.
func keysAlone() (restore func(), ok bool) {
	fd := int(os.Stdin.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, false
	}
	now := *before
	now.Lflag &^= unix.ISIG
	_ = unix.IoctlSetTermios(fd, setTermios, &now) // or it stays as it is
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }, true
}
