//go:build unix

package main

import (
	"os"
	"testing"

	"github.com/creack/pty"
)

// A session knows its terminal's size. It reserves four lines for text, and limits pictures to between 10 and 30
// lines. Without a terminal, or if the terminal does not report a size, the default is 80 columns and 24 lines.
func TestSizeOfTerminal(t *testing.T) {
	control, terminal, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	defer control.Close()
	defer terminal.Close()
	before := os.Stdout
	defer func() { os.Stdout = before }()
	t.Setenv("TERM", "xterm-256color")
	for _, test := range []struct {
		size                                 pty.Winsize
		width, height, cellWidth, cellHeight int
	}{
		{pty.Winsize{Cols: 100, Rows: 25, X: 1200, Y: 625}, 100, 21, 12, 25},
		{pty.Winsize{Cols: 7, Rows: 14, X: 76, Y: 27}, 7, 10, 10, 1},
		{pty.Winsize{Cols: 80, Rows: 15}, 80, 11, 0, 0},
		{pty.Winsize{Cols: 80, Rows: 33, X: 800}, 80, 29, 10, 0},
		{pty.Winsize{Cols: 80, Rows: 34}, 80, 30, 0, 0},
		{pty.Winsize{Cols: 80, Rows: 200}, 80, 30, 0, 0},
		{pty.Winsize{Cols: 80, Rows: 3}, 80, 10, 0, 0},
		{pty.Winsize{Cols: 1, Rows: 1, X: 9, Y: 8}, 1, 10, 9, 8},
		{pty.Winsize{Cols: 0, Rows: 24, X: 9, Y: 8}, 0, 20, 0, 0},
		{pty.Winsize{Cols: 80, Rows: 0, X: 9, Y: 8}, 80, 10, 0, 0},
	} {
		if err := pty.Setsize(terminal, &test.size); err != nil {
			t.Fatal(err)
		}
		os.Stdout = terminal
		s := newSession(options{seed: 5})
		os.Stdout = before
		s.Close()
		got := s.Terminal
		if got.Width != test.width || got.Height != test.height || got.CellWidth != test.cellWidth || got.CellHeight != test.cellHeight {
			t.Errorf("for %+v the session has %+v", test.size, got)
		}
		if s.Seed != 5 {
			t.Errorf("the seed is %d", s.Seed)
		}
	}
	plain, err := os.Create(t.TempDir() + "/plain")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	os.Stdout = plain
	width, height := terminalSize()
	cellWidth, cellHeight := cellSize(plain)
	s := newSession(options{})
	os.Stdout = before
	s.Close()
	if width != 80 || height != 24 || cellWidth != 0 || cellHeight != 0 || s.Terminal.Width != 0 || s.Terminal.Height != 0 {
		t.Errorf("a file has the size %d by %d with cells of %d by %d, and the session has %+v", width, height, cellWidth, cellHeight, s.Terminal)
	}
}

// Progress is shown only on a terminal that can erase it.
func TestProgressNeedsTerminal(t *testing.T) {
	control, terminal, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal available: %v", err)
	}
	defer control.Close()
	defer terminal.Close()
	before := os.Stderr
	defer func() { os.Stderr = before }()
	for name, want := range map[string]bool{"xterm": true, "dumb": false} {
		t.Setenv("TERM", name)
		os.Stderr = terminal
		s := newSession(options{})
		os.Stderr = before
		s.Close()
		if (s.OnProgress != nil) != want {
			t.Errorf("%s shows progress: %t", name, !want)
		}
	}
	t.Setenv("TERM", "xterm")
	if said := stderrOf(t, func() {
		s := newSession(options{})
		s.Close()
		if s.OnProgress != nil {
			t.Error("progress is shown in a file")
		}
	}); said != "" {
		t.Errorf("printed %q", said)
	}
}

// A prompt on a terminal exits with the script's status, or with 0 at the end of the input.
func TestStatusOfPrompt(t *testing.T) {
	output(t)
	t.Setenv("TERM", "dumb")
	before := os.Stdin
	defer func() { os.Stdin = before }()
	for typed, want := range map[string]int{"exit(7)\n": 7, "exit(0)\n": 0, "\x04": 0} {
		control, terminal, err := pty.Open()
		if err != nil {
			t.Skipf("no terminal available: %v", err)
		}
		if _, err := control.WriteString(typed); err != nil {
			t.Fatal(err)
		}
		os.Stdin = terminal
		err = invoke()
		os.Stdin = before
		_, _ = terminal.Close(), control.Close()
		if got := report(err); got != want {
			t.Errorf("%q exits with %d, %v, want %d", typed, got, err, want)
		}
	}
}
