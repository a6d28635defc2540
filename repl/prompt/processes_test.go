//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package prompt

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// A shell can continue a program if it is in the program's session but in another process group. Any number of
// processes of the program's group may lie between the two. Process 1 continues no program, and a process that has
// ended is unknown.
func TestContinuable(t *testing.T) {
	type process struct{ session, group, parent int } // 0: unknown
	gone := errors.New("it has gone")
	known := func(n int) (int, error) {
		if n == 0 {
			return -1, gone
		}
		return n, nil
	}
	const shell, program = 10, 20
	for name, c := range map[string]struct {
		tree map[int]process
		want bool
	}{
		"a shell":                         {map[int]process{shell: {10, 10, 1}, program: {10, 20, 10}}, true},
		"a shell that the system started": {map[int]process{2: {2, 2, 1}, program: {2, 20, 2}}, true},
		"one between":                     {map[int]process{shell: {10, 10, 1}, 15: {10, 20, 10}, program: {10, 20, 15}}, true},
		"two between":                     {map[int]process{shell: {10, 10, 1}, 14: {10, 20, 10}, 15: {10, 20, 14}, program: {10, 20, 15}}, true},
		"another session":                 {map[int]process{shell: {9, 9, 1}, program: {20, 20, 10}}, false},
		"another session beyond":          {map[int]process{shell: {9, 9, 1}, 15: {20, 20, 10}, program: {20, 20, 15}}, false},
		"an orphan":                       {map[int]process{1: {10, 1, 0}, program: {10, 20, 1}}, false},
		"an orphan's child":               {map[int]process{1: {10, 1, 0}, 15: {10, 20, 1}, program: {10, 20, 15}}, false},
		"a parent without session":        {map[int]process{shell: {0, 10, 1}, program: {10, 20, 10}}, false},
		"a parent without group":          {map[int]process{shell: {10, 0, 1}, program: {10, 20, 10}}, false},
		"a parent without parent":         {map[int]process{shell: {10, 10, 1}, 15: {10, 20, 0}, program: {10, 20, 15}}, false},
		"no session":                      {map[int]process{shell: {10, 10, 1}, program: {0, 20, 10}}, false},
		"no group":                        {map[int]process{shell: {10, 10, 1}, program: {10, 0, 10}}, false},
		"no session anywhere":             {map[int]process{shell: {0, 10, 1}, program: {0, 20, 10}}, false},
	} {
		p := processes{
			session: func(pid int) (int, error) { return known(c.tree[pid].session) },
			group:   func(pid int) (int, error) { return known(c.tree[pid].group) },
			parent: func(pid int) (int, error) { // the number beside the error would qualify
				if n := c.tree[pid].parent; n != 0 {
					return n, nil
				}
				return shell, gone
			},
		}
		if got := p.continuable(program, c.tree[program].parent); got != c.want {
			t.Errorf("%s: a shell could continue the program: %t", name, got)
		}
	}
}

// Stop requests that arrive while the program stops cause exactly one more stop.
func TestConcurrentStopsMerge(t *testing.T) {
	entered, release := make(chan bool), make(chan bool)
	s := watchStops(func() {
		entered <- true
		<-release
	})
	if s.ignored {
		t.Skip("stop signals are ignored")
	}
	defer s.close()
	s.asked <- unix.SIGTSTP
	<-entered
	for range 3 {
		select {
		case s.asked <- unix.SIGTSTP:
		default: // os/signal drops signals in the same way
		}
	}
	release <- true
	<-entered
	if n := len(s.asked); n != 0 {
		t.Errorf("%d more stops are pending", n)
	}
	release <- true
}
