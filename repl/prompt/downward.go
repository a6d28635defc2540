package prompt

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// downward corrects what the line editor writes. The editor counts rows from the top of its input and moves down with
// the sequence CUD, which does nothing on the last row of a terminal. Its row numbers are wrong from then on, and it
// erases earlier output. downward writes IND instead, which scrolls on the last row. The editor also draws the margin
// of a block as if no line wrapped. downward draws the margin at the beginning of each line, where the editor clears
// the columns to the left.
type downward struct {
	to     io.Writer
	margin string // two columns of text
	held   []byte // an incomplete escape sequence
}

const (
	clearLeft = "\x1b[1K" // the editor uses it only at the beginning of a line
	index     = "\x1bD"
)

// Write implements io.Writer.
func (d *downward) Write(p []byte) (int, error) {
	text := append(d.held, p...)
	d.held = nil
	var out bytes.Buffer
	for len(text) > 0 {
		at := bytes.IndexByte(text, '\x1b')
		if at < 0 {
			out.Write(text)
			break
		}
		out.Write(text[:at])
		text = text[at:]
		n := sequence(text)
		if n == 0 {
			d.held = bytes.Clone(text)
			break
		}
		out.WriteString(d.mend(string(text[:n])))
		text = text[n:]
	}
	if _, err := d.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (d *downward) mend(sequence string) string {
	if sequence == clearLeft {
		return sequence + "\r" + d.margin + "\x1b[2C" // moves the cursor to column promptWidth
	}
	if rows, ok := strings.CutPrefix(sequence, "\x1b["); ok && strings.HasSuffix(rows, "B") {
		n := 0
		for _, c := range strings.TrimSuffix(rows, "B") {
			if c < '0' || c > '9' || n > 9999 {
				return sequence
			}
			n = 10*n + int(c-'0')
		}
		return strings.Repeat(index, max(n, 1))
	}
	return sequence
}

// sequence returns the length of the escape sequence at the beginning of text: either CSI, parameters and a final byte,
// or two bytes. It returns 0 if the sequence is incomplete.
func sequence(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != '[' {
		return 2
	}
	for i := 2; i < len(text); i++ {
		if c := text[i]; c < 0x20 || c > 0x3f { // the final byte, or not an escape sequence
			return i + 1
		}
	}
	return 0
}

// mended runs f while os.Stdout is a pipe whose contents pass through a downward to the terminal. The editor uses
// os.Stdout only for writing, and reads the variable at each write.
func mended(margin string, f func()) {
	terminal := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		f()
		return
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		d := &downward{to: terminal, margin: margin}
		_, _ = io.Copy(d, r)
		_, _ = terminal.Write(d.held)
	}()
	os.Stdout = w
	defer func() {
		os.Stdout = terminal
		w.Close()
		<-copied
		r.Close()
	}()
	f()
}

// promptWidth is the number of columns of ">>> ", and of a block's margin with the blanks after it.
const promptWidth = 4

// endRows adds escape sequences to the lines of an input that wrap, except for the last line, so that the rows agree
// with the editor's count. It clears what a longer line left behind. If a line fills its rows exactly, endRows moves
// the cursor down a row, because the terminal does so only when more text comes. painted is the input with colours.
func endRows(painted, input string, width int) string {
	lines, plain := strings.Split(painted, "\n"), strings.Split(input, "\n")
	if len(lines) != len(plain) {
		return painted
	}
	for i := range lines[:len(lines)-1] {
		switch columns := promptWidth + displaywidth.String(plain[i]); {
		case columns < width:
		case columns%width == 0:
			lines[i] += " \r\x1b[K"
		default:
			lines[i] += "\x1b[K"
		}
	}
	return strings.Join(lines, "\n")
}

// terminalSize returns the terminal's size in columns and rows. It asks the same files as the editor does.
func terminalSize() (width, height int) {
	width, height, _ = term.GetSize(int(os.Stderr.Fd())) // 0 if it is not a terminal
	if width == 0 || height == 0 {
		return 80, 24
	}
	return width, height
}
