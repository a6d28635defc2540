package prompt

// Helpers for the tests inside and outside the package.

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// ScreenOf returns the rows of a terminal of the given size after it has shown text, preceded by the rows that scrolled
// off. It implements the part of ECMA-48 that the prompt uses, and xterm's last column: after a character in that
// column, the cursor moves to another row only when the next character comes.
func ScreenOf(text string, width, height int) []string {
	var (
		rows     [][]string
		row, col int // position of the cursor; col = width if the row is full
		top      int
	)
	at := func(r int) []string {
		for len(rows) <= r {
			line := make([]string, width)
			for i := range line {
				line[i] = " "
			}
			rows = append(rows, line)
		}
		return rows[r]
	}
	down := func() {
		row++
		top = max(top, row-height+1)
	}
	blank := func(r, from, to int) {
		for i := max(from, 0); i < min(to, width); i++ {
			at(r)[i] = " "
		}
	}
	for text != "" {
		if n := sequence([]byte(text[:min(len(text), 20)])); text[0] == '\x1b' && n > 0 {
			s := text[1:n]
			text = text[n:]
			if s == "D" {
				down()
			}
			if s[0] != '[' {
				continue
			}
			n, column := 0, min(col, width-1)
			for _, c := range s[1 : len(s)-1] {
				if n = 10*n + int(c-'0'); c < '0' || c > '9' {
					n = 0
				}
			}
			switch s[len(s)-1] {
			case 'A':
				row = max(row-max(n, 1), top)
			case 'B':
				row = min(row+max(n, 1), top+height-1)
			case 'C':
				col = min(column+max(n, 1), width-1)
			case 'D':
				col = max(column-max(n, 1), 0)
			case 'H':
				row, col = top, 0
			case 'J':
				blank(row, column, width)
				for r := row + 1; r < len(rows); r++ {
					blank(r, 0, width)
				}
			case 'K':
				from, to := column, width
				if n > 0 {
					from = 0
				}
				if n == 1 {
					to = column + 1
				}
				blank(row, from, to)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch r {
		case '\r':
			col = 0
		case '\n':
			down()
		case '\b':
			col = max(min(col, width-1)-1, 0)
		default:
			if r < ' ' {
				continue
			}
			w := displaywidth.Rune(r)
			if col+w > width {
				down()
				col = 0
			}
			at(row)[col] = string(r)
			if w == 2 {
				at(row)[col+1] = ""
			}
			col += w
		}
	}
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = strings.TrimRight(strings.Join(rows[i], ""), " ")
	}
	return out
}

// WakeWriters wakes blocked writes to a terminal. On a busy Linux machine, a write once waited five minutes for space
// while the reader waited for its text.
var WakeWriters = func(terminal *os.File) {}
