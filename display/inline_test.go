package display

import (
	"bytes"
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestDetectImages(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		terminal    bool
		want        Images
	}{
		{map[string]string{"TERM": "xterm-kitty"}, true, KittyImages},
		{map[string]string{"TERM": "xterm-ghostty"}, true, KittyImages},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, true, ITermImages},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, true, ITermImages},
		{map[string]string{"TERM": "foot"}, true, SixelImages},
		{map[string]string{"TERM": "xterm-256color"}, true, NoImages},
		{map[string]string{"TERM": "xterm-256color", "WORKBENCH_IMAGES": "sixel"}, true, SixelImages},
		{map[string]string{"TERM": "xterm-kitty", "WORKBENCH_IMAGES": "none"}, true, NoImages},
		{map[string]string{"TERM": "xterm-kitty"}, false, NoImages},
		{map[string]string{"TERM": "xterm-kitty", "NO_COLOR": "1"}, true, NoImages},
		{map[string]string{"TERM": "tmux-256color", "TERM_PROGRAM": "iTerm.app", "TMUX": "x"}, true, NoImages},
	} {
		lookup := func(name string) (string, bool) { v, ok := c.environment[name]; return v, ok }
		if got := DetectCaps(lookup, c.terminal).Images; got != c.want {
			t.Errorf("%v, terminal %v: %v, want %v", c.environment, c.terminal, got, c.want)
		}
	}
}

// What a terminal is sent holds the whole picture, in whole lines, hardly
// distorted, and no more of them than there are.
func TestInlineImages(t *testing.T) {
	p, err := NewLinePlot(LineSpec{Series: []Series{{Y: []float64{1, 4, 9}}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	w, h := p.size()
	chunk := regexp.MustCompile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\")
	cells := regexp.MustCompile(`,c=(\d+),r=(\d+),`)
	iterm := regexp.MustCompile("^\x1b]1337;File=inline=1;size=(\\d+);width=(\\d+);height=(\\d+);preserveAspectRatio=1:([^\a]*)\a\n$")
	for _, c := range []Caps{{}, {Width: 100, Height: 30}, {Width: 40, Height: 30}, {Width: 24, Height: 10}, {Width: 200, Height: 30, CellWidth: 9, CellHeight: 17}} {
		c.Images = KittyImages
		var data, keys string
		for i, m := range chunk.FindAllStringSubmatch(p.Terminal(c), -1) {
			if len(m[2]) > 4096 || (i == 0) != strings.HasPrefix(m[1], "a=T,f=100,") {
				t.Errorf("chunk %d has %d bytes and the keys %s", i, len(m[2]), m[1])
			}
			data += m[2]
			keys += m[1]
		}
		c.Images = ITermImages
		m := iterm.FindStringSubmatch(p.Terminal(c))
		size := cells.FindStringSubmatch(keys)
		if m == nil || size == nil || m[1] != strconv.Itoa(len(want)) || m[2] != size[1] || m[3] != size[2] {
			t.Fatalf("%+v: the keys %s and %q", c, keys, m[:min(len(m), 4)])
		}
		for _, text := range []string{data, m[4]} {
			got, err := base64.StdEncoding.DecodeString(text)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes arrive, %v, want the %d of the picture", len(got), err, len(want))
			}
		}
		columns, _ := strconv.Atoi(m[2])
		rows, _ := strconv.Atoi(m[3])
		full := c.sized()
		stretch := float64(rows*full.CellHeight) / float64(columns*full.CellWidth) * w / h
		if columns > min(full.Width, 80) || rows > full.Height || math.Abs(stretch-1) > 0.03 {
			t.Errorf("%+v: %d columns and %d lines stretch the picture by %.3f", c, columns, rows, stretch)
		}
	}
	if strings.Contains(p.Terminal(Caps{Width: 60}), "\x1b") {
		t.Error("a plain terminal is sent a picture")
	}
}
