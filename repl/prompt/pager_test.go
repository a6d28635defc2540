package prompt

import (
	"fmt"
	"strings"
	"testing"
)

// keyboard hands out one key a read.
type keyboard struct{ keys []string }

func (k *keyboard) Read(p []byte) (int, error) {
	if len(k.keys) == 0 {
		return 0, fmt.Errorf("no key is left")
	}
	n := copy(p, k.keys[0])
	k.keys = k.keys[1:]
	return n, nil
}

// The pager prints a screen and waits, goes on by screens and lines, stops where it is
// told to, and leaves.
func TestPager(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	text := strings.Join(lines, "\n") + "\n"
	for keys, want := range map[string]int{"q": 9, " q": 18, "\r\rq": 11, "     ": 50, "xyq": 9, "\x1aq": 9, "\x03": 9, "": 9, "\x1b[6~q": 9} {
		var out strings.Builder
		stopped := 0
		typed := strings.Split(keys, "")
		if strings.HasPrefix(keys, "\x1b") {
			typed, want = []string{keys[:4], "q"}, 18
		}
		p := &pager{out: &out, keys: &keyboard{typed}, suspend: func() { stopped++ }}
		p.show(text, 40, 10)
		if got := strings.Count(out.String(), "line "); got != want+strings.Count(out.String(), "by a line ") {
			t.Errorf("%q shows %d lines, want %d", keys, got, want)
		}
		if (stopped == 1) != strings.Contains(keys, "\x1a") {
			t.Errorf("%q stops %d times", keys, stopped)
		}
		if shown := screenOf(strings.ReplaceAll(out.String(), "\n", "\r\n"), 40, 60); len(shown) != want && strings.TrimSpace(strings.Join(shown[want:], "")) != "" {
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

func TestFitsScreen(t *testing.T) {
	for text, want := range map[string]bool{
		"a\n":                             true,
		strings.Repeat("a\n", 8):          true,
		strings.Repeat("a\n", 9):          false,
		strings.Repeat("a", 8*40) + "\n":  true,
		strings.Repeat("a", 8*40+1):       false,
		strings.Repeat("\x1b[31mab", 160): true,
	} {
		if got := fitsScreen(text, 40, 10); got != want {
			t.Errorf("%d bytes fit: %t", len(text), got)
		}
	}
}
