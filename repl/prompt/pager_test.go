package prompt

import (
	"fmt"
	"strings"
	"testing"

	"dpworkbench/display"
)

// keyboard returns one key per read.
type keyboard struct{ keys []string }

func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.keys) == 0 {
		return 0, fmt.Errorf("no key is left")
	}
	n := copy(p, k.keys[0])
	k.keys = k.keys[1:]
	return n, nil
}

// The pager prints a screen and waits for a key. It continues by screens or lines, suspends the program on Ctrl-Z, and
// quits.
func TestPager(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	text := strings.Join(lines, "\n") + "\n"
	for keys, want := range map[string]int{"q": 9, " q": 18, "\r\rq": 11, "     ": 50, "xyq": 9, "\x1aq": 9, "\x03": 9, "": 9, "\x1b[6~q": 9} {
		var out strings.Builder
		stopped := 0
		typist := strings.Split(keys, "")
		if strings.HasPrefix(keys, "\x1b") {
			typist, want = []string{keys[:4], "q"}, 18
		}
		p := &pager{out: &out, keys: &keyboard{typist}, suspend: func() { stopped++ }}
		p.show(text, 40, 10)
		if got := strings.Count(out.String(), "line "); got != want+strings.Count(out.String(), "by a line ") {
			t.Errorf("%q shows %d lines, want %d", keys, got, want)
		}
		if (stopped == 1) != strings.Contains(keys, "\x1a") {
			t.Errorf("%q stops %d times", keys, stopped)
		}
		if shown := ScreenOf(strings.ReplaceAll(out.String(), "\n", "\r\n"), 40, 60); len(shown) != want && strings.TrimSpace(strings.Join(shown[want:], "")) != "" {
			t.Errorf("after %q the screen shows %q below the text", keys, shown[want:])
		}
	}
	var out strings.Builder
	long := &pager{out: &out, keys: &keyboard{strings.Split("    ", "")}}
	long.show(strings.Repeat("a", 900)+"\n"+strings.Repeat("b", 900), 40, 10)
	if strings.Count(out.String(), "b") < 900 {
		t.Error("a line longer than the screen is never printed")
	}
}

// The pager shows one row less than the screen, at least two. A line that does not fit starts the next screen, and the
// pager's question is truncated to the terminal's width.
func TestScreensOfThePager(t *testing.T) {
	const asks, gone = "\x1b[7m%d of %d lines: Space goes on,\x1b[0m", "\r\x1b[K"
	ask := func(at, of int) string { return fmt.Sprintf(asks, at, of) + gone }
	for _, c := range []struct {
		text   string
		height int
		keys   string
		want   string
	}{
		{"a\nb\nc\nd\ne\n", 4, "\r ", "a\nb\nc\n" + ask(3, 5) + "d\n" + ask(4, 5) + "e\n"},
		{"a\nb\nc\nd\ne\n", 4, " ", "a\nb\nc\n" + ask(3, 5) + "d\ne\n"},
		{"a\nb\nc\nd\ne\n", 3, " q", "a\nb\n" + ask(2, 5) + "c\nd\n" + ask(4, 5)},
		{"a\nb\nc\nd\ne\n", 2, " q", "a\nb\n" + ask(2, 5) + "c\nd\n" + ask(4, 5)},
		{"a\nb\nc\nd\ne\n", 1, "\rq", "a\nb\n" + ask(2, 5) + "c\n" + ask(3, 5)},
		{"a\nb\nc\n", 4, "", "a\nb\nc\n"},
		{"a\nb\nc", 4, "", "a\nb\nc\n"},
		{"a\nb\n" + strings.Repeat("c", 30) + "\n", 4, " ", "a\nb\n" + ask(2, 3) + strings.Repeat("c", 30) + "\n"},
		{"a\n" + strings.Repeat("c", 30) + "\n", 4, "", "a\n" + strings.Repeat("c", 30) + "\n"},
		{strings.Repeat("c", 90) + "\nb\n", 4, " ", strings.Repeat("c", 90) + "\n" + ask(1, 2) + "b\n"},
	} {
		var out strings.Builder
		p := &pager{out: &out, keys: &keyboard{strings.Split(c.keys, "")}, caps: display.Caps{Colors: display.Color256}}
		p.show(c.text, 29, c.height)
		if out.String() != c.want {
			t.Errorf("%q on %d rows: %q, want %q", c.text, c.height, out.String(), c.want)
		}
	}
}
