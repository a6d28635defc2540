package display

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"regexp"
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
		{map[string]string{"TERM": "xterm-256color"}, true, NoImages},
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

// What a terminal is sent holds the whole picture.
func TestInlineImages(t *testing.T) {
	p, err := NewLinePlot(LineSpec{Series: []Series{{Y: []float64{1, 4, 9}}}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	kitty := p.Terminal(Caps{Width: 100, Images: KittyImages})
	var data string
	for i, m := range regexp.MustCompile("\x1b_G([^;]*);([^\x1b]*)\x1b\\\\").FindAllStringSubmatch(kitty, -1) {
		if len(m[2]) > 4096 || (i == 0) != strings.Contains(m[1], "c=80") {
			t.Errorf("chunk %d has %d bytes and the keys %s", i, len(m[2]), m[1])
		}
		data += m[2]
	}
	_, iterm, _ := strings.Cut(strings.TrimSuffix(p.Terminal(Caps{Width: 60, Images: ITermImages}), "\a\n"), "width=60;preserveAspectRatio=1:")
	for _, text := range []string{data, iterm} {
		got, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes arrive, %v, want the %d of the picture", len(got), err, len(want))
		}
		if _, err := png.Decode(bytes.NewReader(got)); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(p.Terminal(Caps{Width: 60}), "\x1b") {
		t.Error("a plain terminal is sent a picture")
	}
}
