package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/script"
)

// Of a deep recursion both ends are shown, six calls each, and how many are between.
func TestDeepTraces(t *testing.T) {
	k := &Kernel{cells: map[string]string{}}
	for _, n := range []int{0, 1, 12, 13, 14, 30} {
		var frames []script.Frame
		for i := range n {
			frames = append(frames, script.Frame{File: "f.star", Line: i + 1, Col: 1})
		}
		trace := k.describe(&script.ScriptError{Msg: "broken", Frames: frames, Err: errors.New("broken")}).Traceback
		var want []string
		for i := range n {
			switch {
			case n <= 13 || i < 6 || i >= n-6: // one is not left out for a line that says so
				want = append(want, fmt.Sprintf("line %d,", i+1))
			case i == 6:
				want = append(want, fmt.Sprintf("… %d calls more …", n-12))
			}
		}
		want = append(want, "broken")
		if len(trace) != len(want) {
			t.Fatalf("%d calls are shown as %d: %q", n, len(trace), trace)
		}
		for i, line := range trace {
			if !strings.Contains(line, want[i]) {
				t.Errorf("of %d calls line %d is %q, want %q", n, i, line, want[i])
			}
		}
	}
}

// What a cell prints comes before its value, and before its error.
func TestOutputsInOrder(t *testing.T) {
	_, c, _ := start(t)
	for source, want := range map[string]string{"print('a')\n3": "stream execute_result", "print('a')\nln(0)": "stream error", "3": "execute_result", "ln(0)": "error", "print('a')": "stream"} {
		var got []string
		for _, o := range c.execute(source).outputs {
			got = append(got, o.kind)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q gives %v, want %s", source, got, want)
		}
	}
}

// Around the place of an error two lines of its cell are shown, as far as there are any.
func TestFramesOfCells(t *testing.T) {
	k := &Kernel{cells: map[string]string{"<cell 3>": "a\nb\nc\nd\ne\nf\ng\n\n"}}
	for line := 1; line <= 7; line++ {
		text := k.frame(script.Frame{File: "<cell 3>", Line: line, Col: 2, Function: "f"})
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
	if got := k.frame(script.Frame{File: "m.star", Line: 4, Col: 1, Source: "x = 1"}); !strings.HasSuffix(got, "\n\x1b[1m----> 4\x1b[0m x = 1") || strings.Contains(got, ", in ") {
		t.Errorf("a place in a file: %q", got)
	}
	if got := k.frame(script.Frame{File: "m.star", Line: 4, Col: 1}); strings.Contains(got, "\n") {
		t.Errorf("a place without its line: %q", got)
	}
}

// Without a key every signature is taken, as often as it comes; with one only the right
// one, once; and parts that are missing or no JSON are refused.
func TestDecode(t *testing.T) {
	frames := func(w *wire) [][]byte {
		out, err := w.encode([][]byte{[]byte("route")}, nil, "kernel_info_request", map[string]any{"x": 1})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	open, closed := &wire{session: "s", read: &signatures{}}, &wire{session: "s", key: []byte("key"), read: &signatures{}}
	for range 2 {
		f := frames(open)
		f[2] = []byte("any signature")
		if m, err := open.decode(f); err != nil || m.header.Type != "kernel_info_request" || string(m.route[0]) != "route" || len(m.route) != 1 {
			t.Errorf("without a key: %+v, %v", m, err)
		}
	}
	f := frames(closed)
	if _, err := closed.decode(f); err != nil {
		t.Error(err)
	}
	if _, err := closed.decode(f); !errors.Is(err, errMessage) {
		t.Errorf("a signature that comes again: %v", err)
	}
	for part := 2; part <= 6; part++ {
		f := frames(closed)
		f[part] = append(bytes.Clone(f[part]), ' ')
		if _, err := closed.decode(f); !errors.Is(err, errMessage) {
			t.Errorf("part %d is another: %v", part, err)
		}
	}
	for part := 3; part <= 6; part++ {
		f := frames(open)
		f[part] = []byte("{")
		if _, err := open.decode(f); part != 4 && !errors.Is(err, errMessage) {
			t.Errorf("part %d is no JSON: %v", part, err)
		}
	}
	for n := range 7 {
		if _, err := open.decode(frames(open)[:n]); !errors.Is(err, errMessage) {
			t.Errorf("%d frames: %v", n, err)
		}
	}
}

var errPen = errors.New("the pen is dry")

// dry is a picture that cannot be drawn in one of its forms.
type dry struct {
	display.Picture
	svg bool
	png []byte
}

func (d dry) SVG() ([]byte, error) {
	if d.svg {
		return []byte("<svg/>"), nil
	}
	return nil, errPen
}

func (d dry) PNG() ([]byte, error) {
	if d.png == nil {
		return nil, errPen
	}
	return d.png, nil
}

// Of a picture that cannot be drawn nothing is shown.
func TestPicturesThatFail(t *testing.T) {
	for _, d := range []dry{{}, {svg: true}, {svg: true, png: []byte("no picture")}} {
		data, metadata := map[string]any{}, map[string]any{}
		if err := drawInto(data, metadata, d); err == nil || d.png == nil && !errors.Is(err, errPen) || len(data)+len(metadata) > 0 {
			t.Errorf("%+v: %v, %v, %v", d, err, data, metadata)
		}
	}
}
