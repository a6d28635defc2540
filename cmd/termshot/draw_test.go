package main

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	rows := parse("a\x1b[1;38;2;1;2;3mb\x1b[48;5;196mc\x1b[0m\x1b[2Kd\n\x1b[7mé\x1b[27m<")
	if len(rows) != 2 || len(rows[0]) != 4 || len(rows[1]) != 2 {
		t.Fatalf("got %v", rows)
	}
	bold := style{fore: rgb{1, 2, 3}, back: paper, bold: true}
	red := bold
	red.back = rgb{255, 0, 0}
	want := []cell{{"a", plain}, {"b", bold}, {"c", red}, {"d", plain}}
	if !slices.Equal(rows[0], want) {
		t.Errorf("got %v, want %v", rows[0], want)
	}
	if fore, back := rows[1][0].style.colors(); fore != paper || back != ink {
		t.Errorf("reversed is %v on %v", fore, back)
	}
}

// Whatever is on the screen, the picture is well-formed.
func TestDrawIsXML(t *testing.T) {
	for _, screen := range []string{"", "\x1b[", "\x1b[38;2m<&>\"", "\x1b[38;5;999m▀▀▄█ x", strings.Repeat(strings.Repeat("x", 100)+"\n", 50)} {
		picture := draw(screen, 80, 24)
		d := xml.NewDecoder(strings.NewReader(string(picture)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%q: %v", screen, err)
			}
		}
	}
	if got := string(draw("a   b", 80, 24)); !strings.Contains(got, `x="12.0" y="25.0" fill="#dededa" textLength="8.4">a<`) || !strings.Contains(got, `x="45.6" y="25.0" fill="#dededa" textLength="8.4">b<`) {
		t.Errorf("blanks: got %s", got)
	}
	if got := string(draw("\x1b[31m<b>", 80, 24)); !strings.Contains(got, "&lt;b&gt;") || !strings.Contains(got, "#e8645a") {
		t.Errorf("got %s", got)
	}
}
