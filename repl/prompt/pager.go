package prompt

import (
	"fmt"
	"io"
	"os"
	"strings"

	"dpworkbench/display"

	"github.com/clipperhouse/displaywidth"
)

// longestKey is the largest number of bytes that the terminal sends for one key.
const longestKey = 16

// pager prints a long text one screen at a time.
type pager struct {
	out     io.Writer
	keys    io.Reader
	caps    display.Caps
	suspend func() // called for Ctrl-Z
}

// rows returns the number of rows that a line takes on a screen of this width.
func rows(line string, width int) int {
	return max(1, (displaywidth.String(withoutColors(line))+width-1)/width)
}

// withoutColors removes the escape sequences from a text.
func withoutColors(text string) string {
	for at := strings.IndexByte(text, '\x1b'); at >= 0; at = strings.IndexByte(text, '\x1b') {
		n := sequence([]byte(text[at:]))
		if n == 0 {
			return text[:at]
		}
		text = text[:at] + text[at+n:]
	}
	return text
}

// fitsScreen reports whether a text fits on a screen together with the next prompt.
func fitsScreen(text string, width, height int) bool {
	taken := 2
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if taken += rows(line, width); taken > height {
			return false
		}
	}
	return true
}

// show prints one screen of the text, then a screen or a line more for each key. It returns at the end of the text, or
// if the user quits.
func (p *pager) show(text string, width, height int) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at, room := 0, max(height-1, 2)
	for {
		for from := at; at < len(lines) && room > 0; at++ {
			if room -= rows(lines[at], width); room < 0 && at > from {
				break // the next screen begins with this line
			}
			fmt.Fprintln(p.out, lines[at])
		}
		if at == len(lines) {
			return
		}
		switch p.ask(fmt.Sprintf("%d of %d lines: Space goes on, Enter by a line, q leaves", at, len(lines)), width) {
		case next:
			room = max(height-1, 2)
		case line:
			room = 1
		case leave:
			return
		}
	}
}

// wish is the action of a key.
type wish int

const (
	nothing wish = iota
	next
	line
	leave
	stop
)

// wishOf returns the action of a key.
func wishOf(key string) wish {
	switch key {
	case " ", "f", "\x06", "\x1b[6~", "\x16":
		return next
	case "\r", "\n", "j", "\x1b[B", "\x1bOB", "\x0e":
		return line
	case "q", "Q", "\x03", "\x04", "\x1b":
		return leave
	case "\x1a":
		return stop
	}
	return nothing
}

// ask shows a line at the bottom of the screen until a key is pressed, and removes it.
func (p *pager) ask(question string, width int) wish {
	for {
		fmt.Fprint(p.out, styled(p.caps, "7", cut(question, width-1)))
		key := make([]byte, longestKey)
		n, _ := p.keys.Read(key) // no bytes if there are no more keys
		fmt.Fprint(p.out, "\r\x1b[K")
		if n == 0 {
			return leave
		}
		switch w := wishOf(string(key[:n])); w {
		case stop:
			p.suspend()
		case nothing:
		default:
			return w
		}
	}
}

// cut returns the first columns characters of an ASCII text.
func cut(text string, columns int) string { return text[:max(0, min(len(text), columns))] }

// page prints a text, in the pager if it is longer than a screen and the prompt reads the keyboard.
func (p *prompt) page(text string) {
	e, ok := p.reader.(*editor)
	if !ok {
		fmt.Fprint(p.out, text)
		return
	}
	width, height := terminalSize()
	if !fitsScreen(text, width, height) {
		if restore, ok := keysAlone(); ok {
			defer restore()
			(&pager{out: p.out, keys: os.Stdin, caps: p.session.Terminal, suspend: e.suspend}).show(text, width, height)
			return
		}
	}
	fmt.Fprint(p.out, text)
}
