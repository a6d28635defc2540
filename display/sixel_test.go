package display

import (
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// readSixel decodes a device control string, as the VT340 manual says.
func readSixel(t *testing.T, text string) map[image.Point]rgb {
	t.Helper()
	body, ok := strings.CutPrefix(text, "\x1bP")
	_, body, _ = strings.Cut(body, "q")
	body, ended := strings.CutSuffix(body, "\x1b\\\n")
	if !ok || !ended {
		t.Fatalf("%.20q … is no device control string", text)
	}
	pixels, palette := make(map[image.Point]rgb), make(map[int]rgb)
	numbers := func() (list []int) {
		for {
			end := strings.IndexFunc(body, func(r rune) bool { return r < '0' || r > '9' })
			n, _ := strconv.Atoi(body[:end])
			list, body = append(list, n), body[end:]
			if body[0] != ';' {
				return list
			}
			body = body[1:]
		}
	}
	x, y, register := 0, 0, 0
	for body != "" {
		c := body[0]
		body = body[1:]
		run := 1
		switch {
		case c == '"':
			numbers()
			continue
		case c == '#':
			n := numbers()
			if register = n[0]; len(n) == 5 {
				percent := func(v int) uint8 { return uint8((v*255 + 50) / 100) }
				palette[n[0]] = rgb{percent(n[2]), percent(n[3]), percent(n[4])}
			}
			continue
		case c == '$':
			x = 0
			continue
		case c == '-':
			x, y = 0, y+6
			continue
		case c == '!':
			run = numbers()[0]
			c = body[0]
			body = body[1:]
		}
		if c < '?' || c > '~' {
			t.Fatalf("the byte %q is no sixel", c)
		}
		for ; run > 0; run-- {
			for bit := range 6 {
				if (c-'?')>>bit&1 == 1 {
					pixels[image.Pt(x, y+bit)] = palette[register]
				}
			}
			x++
		}
	}
	return pixels
}

// near allows for a colour's percent.
func near(a, b uint8, by int) bool { return int(a)-int(b) <= by && int(b)-int(a) <= by }

// What another program decodes is the picture.
func TestSixelElsewhere(t *testing.T) {
	decoder, err := exec.LookPath("sixel2png")
	if err != nil {
		t.Skip("sixel2png (libsixel-bin) is not installed")
	}
	h, err := NewHeatMap(HeatSpec{Values: [][]float64{{1, 2, 3}, {4, 5, 6}}, Title: "T"})
	if err != nil {
		t.Fatal(err)
	}
	text := h.Terminal(Caps{Width: 60, Height: 20, Images: SixelImages, CellWidth: 8, CellHeight: 16})
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a.six"), filepath.Join(dir, "a.png")
	if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(decoder, "-i", from, "-o", to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	size := got.Bounds().Size()
	if size.X > 60*8 || size.X < 50*8 || size.Y > 20*16 {
		t.Errorf("the picture has %v pixels", size)
	}
	for p, want := range readSixel(t, text) {
		r, g, b, _ := got.At(p.X, p.Y).RGBA()
		if !near(uint8(r>>8), want.r, 2) || !near(uint8(g>>8), want.g, 2) || !near(uint8(b>>8), want.b, 2) {
			t.Fatalf("%v is %d %d %d, want %v", p, r>>8, g>>8, b>>8, want)
		}
	}
}
