package serve

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpworkbench/script"
)

// A deep recursion shows six calls at each end and the number of those in between.
func TestDeepTraces(t *testing.T) {
	v := &server{notebook: &notebook{}}
	for _, n := range []int{0, 1, 12, 13, 14, 30} {
		var frames []script.Frame
		for i := range n {
			frames = append(frames, script.Frame{File: "f.star", Line: i + 1, Col: 1})
		}
		trace := v.describe(&script.ScriptError{Msg: "broken", Frames: frames, Err: errors.New("broken")})["traceback"].([]string)
		var want []string
		for i := range n {
			switch {
			case n <= 13 || i < 6 || i >= n-6: // a single call is not replaced by a line
				want = append(want, fmt.Sprintf("line %d,", i+1))
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
	v := &server{notebook: &notebook{cells: map[string]string{"<cell 3>": "a\nb\nc\nd\ne\nf\ng\n\n"}}}
	for line := 1; line <= 7; line++ {
		text := v.frame(script.Frame{File: "<cell 3>", Line: line, Col: 2, Function: "f"})
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
		if !slices.Equal(got, want) || !strings.Contains(lines[0], fmt.Sprintf("Cell [3]\x1b[0m, line %d, column 2, in \x1b[34mf", line)) {
			t.Errorf("line %d shows %q", line, text)
		}
	}
	if got := v.frame(script.Frame{File: "m.star", Line: 4, Col: 1, Source: "x = 1"}); !strings.HasSuffix(got, "\n\x1b[1m----> 4\x1b[0m x = 1") || strings.Contains(got, ", in ") {
		t.Errorf("frame of a file: %q", got)
	}
	if got := v.frame(script.Frame{File: "m.star", Line: 4, Col: 1}); strings.Contains(got, "\n") {
		t.Errorf("frame without its source line: %q", got)
	}
}

// Neither the lines around an error nor its message show a password.
func TestTracesWithoutPasswords(t *testing.T) {
	const location = "postgres://u:Zq7w@h/d"
	v := &server{notebook: &notebook{cells: map[string]string{"<cell 1>": "url = \"" + location + "\"\n1 / 0\nsame = \"mysql://u:\" + \\\n  \"Zq7w\" + \"@h\""}}}
	said := v.describe(errors.New(location))
	for _, text := range []string{v.frame(script.Frame{File: "<cell 1>", Line: 2}), strings.Join(said["traceback"].([]string), ""), said["evalue"].(string)} {
		if !strings.Contains(text, "u:xxxxx@h/d") || strings.Contains(text, "Zq7") {
			t.Errorf("%q", text)
		}
	}
}
