package display_test

import (
	"image"
	"image/color"
	"strconv"
	"strings"
	"testing"
)

// readSixel decodes a device control string as specified in the VT340 manual.
func readSixel(t *testing.T, text string) map[image.Point]color.NRGBA {
	t.Helper()
	body, ok := strings.CutPrefix(text, "\x1bP")
	_, body, _ = strings.Cut(body, "q")
	body, ended := strings.CutSuffix(body, "\x1b\\\n")
	if !ok || !ended {
		t.Fatalf("%.20q … is not a device control string", text)
	}
	pixels, palette := make(map[image.Point]color.NRGBA), make(map[int]color.NRGBA)
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
				palette[n[0]] = color.NRGBA{percent(n[2]), percent(n[3]), percent(n[4]), 255}
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
			t.Fatalf("the byte %q is not a sixel", c)
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
