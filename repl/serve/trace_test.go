package serve_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// trace returns the back-trace of a cell that fails.
func (c *client) trace(count int, source string) (trace []string) {
	c.t.Helper()
	out, _ := c.cell(count, source)
	lines, ok := out["traceback"].(list)
	if !ok {
		c.t.Fatalf("%s: %v", source, out)
	}
	for _, l := range lines {
		trace = append(trace, l.(string))
	}
	return trace
}

// The back-trace of a deep recursion shows six calls at each end and the number of calls in between.
func TestDeepTraces(t *testing.T) {
	c := notebook(t)
	for _, n := range []int{1, 12, 13, 14, 30} {
		source := ""
		for i := 1; i < n; i++ { // line i defines a function that calls the function of line i+1
			source += fmt.Sprintf("def f%d(): return f%d()\n", i, i+1)
		}
		source = strings.ReplaceAll(source+"f1()", fmt.Sprintf("f%d()", n), "fail('broken')")
		trace := c.trace(1, source)
		var want []string
		for i := range n {
			switch {
			case n <= 13 || i < 6 || i >= n-6: // of 13 calls, the middle one is shown, not replaced by a line
				want = append(want, fmt.Sprintf("line %d,", (i+n-1)%n+1)) // the last line is the outermost call
			case i == 6:
				want = append(want, fmt.Sprintf("… %d calls more …", n-12))
			}
		}
		want = append(want, "broken")
		if len(trace) != len(want) {
			t.Fatalf("%d calls are shown as %d lines: %q", n, len(trace), trace)
		}
		for i, line := range trace {
			if !strings.Contains(line, want[i]) {
				t.Errorf("of %d calls line %d is %q, want %q", n, i, line, want[i])
			}
		}
	}
}

// An error in a cell shows up to two lines of the cell before and after its own.
func TestFramesOfCells(t *testing.T) {
	c := notebook(t)
	for line := 1; line <= 7; line++ {
		source := ""
		for i := range 7 {
			source += fmt.Sprintf("x = 6 // %d # %c\n", i+1-line, 'a'+i)
		}
		text := c.trace(3, source+"\n\n")[0]
		var want []string
		for n := max(1, line-2); n <= min(7, line+2); n++ {
			want = append(want, string(rune('a'+n-1)))
		}
		lines := strings.Split(text, "\n")
		var got []string
		for _, l := range lines[1:] {
			got = append(got, l[len(l)-1:])
			if marked := strings.Contains(l, "---->"); marked != strings.Contains(l, fmt.Sprintf(" %d\x1b", line)) {
				t.Errorf("line %d is marked: %q", line, text)
			}
		}
		if !slices.Equal(got, want) || !strings.HasSuffix(lines[0], fmt.Sprintf("Cell [3]\x1b[0m, line %d, column 7", line)) {
			t.Errorf("line %d shows %q", line, text)
		}
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("m.star", []byte("def f():\n    return 1 // 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := c.trace(4, "load('m.star', 'f')\ndef g(): return f()\ng()")
	if !strings.Contains(trace[1], "Cell [4]\x1b[0m, line 2, column 18, in \x1b[34mg") {
		t.Errorf("frame of a function: %q", trace[1])
	}
	if got := trace[2]; !strings.Contains(got, "m.star") || !strings.HasSuffix(got, "\n\x1b[1m----> 2\x1b[0m return 1 // 0") {
		t.Errorf("frame of a file: %q", got)
	}
}
