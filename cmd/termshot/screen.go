package main

import (
	"strconv"
	"strings"
)

// rgb is an opaque colour.
type rgb struct{ r, g, b uint8 }

// The colours of the picture where the screen names none.
var (
	ink   = rgb{222, 222, 218}
	paper = rgb{24, 26, 31}
)

// style is how a cell is drawn.
type style struct {
	fore, back     rgb
	bold, dim, inv bool
}

var plain = style{fore: ink, back: paper}

// cell is one character; text "" stands for the right half of a wide one.
type cell struct {
	text  string
	style style
}

// parse reads lines of text with SGR sequences (ECMA-48, 8.3.117); others are
// dropped.
func parse(screen string) [][]cell {
	var rows [][]cell
	s := plain
	for line := range strings.Lines(screen) {
		var row []cell
		for rest := strings.TrimRight(line, "\r\n"); rest != ""; {
			if parameters, after, ok := sequence(rest); ok {
				s = s.apply(parameters)
				rest = after
				continue
			}
			r := []rune(rest)[0]
			row = append(row, cell{string(r), s})
			rest = rest[len(string(r)):]
		}
		rows = append(rows, row)
	}
	return rows
}

// sequence cuts "ESC [ parameters m" from the start of text.
func sequence(text string) (parameters []int, rest string, ok bool) {
	body, ok := strings.CutPrefix(text, "\x1b[")
	if !ok {
		return nil, text, false
	}
	end := strings.IndexFunc(body, func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return nil, "", true
	}
	if body[end] == 'm' {
		for _, p := range strings.FieldsFunc(body[:end], func(r rune) bool { return r == ';' || r == ':' }) {
			n, _ := strconv.Atoi(p)
			parameters = append(parameters, n)
		}
		if len(parameters) == 0 {
			parameters = []int{0}
		}
	}
	return parameters, body[end+1:], true
}

func (s style) apply(parameters []int) style {
	for i := 0; i < len(parameters); i++ {
		switch p := parameters[i]; {
		case p == 0:
			s = plain
		case p == 1:
			s.bold = true
		case p == 2:
			s.dim = true
		case p == 22:
			s.bold, s.dim = false, false
		case p == 7 || p == 27:
			s.inv = p == 7
		case p >= 30 && p <= 37:
			s.fore = xterm(p - 30)
		case p >= 90 && p <= 97:
			s.fore = xterm(p - 90 + 8)
		case p >= 40 && p <= 47:
			s.back = xterm(p - 40)
		case p >= 100 && p <= 107:
			s.back = xterm(p - 100 + 8)
		case p == 39:
			s.fore = ink
		case p == 49:
			s.back = paper
		case p == 38 || p == 48:
			c, used := extended(parameters[i+1:])
			i += used
			if used > 0 && p == 38 {
				s.fore = c
			} else if used > 0 {
				s.back = c
			}
		}
	}
	return s
}

// extended reads "2;r;g;b" or "5;n".
func extended(p []int) (rgb, int) {
	switch {
	case len(p) >= 4 && p[0] == 2:
		return rgb{uint8(p[1]), uint8(p[2]), uint8(p[3])}, 4
	case len(p) >= 2 && p[0] == 5:
		return xterm(p[1]), 2
	}
	return rgb{}, 0
}

// xterm returns one of the 256 colours of xterm.
func xterm(n int) rgb {
	basic := [16]rgb{
		{60, 60, 60}, {232, 100, 90}, {110, 190, 110}, {220, 180, 90}, {100, 150, 235}, {200, 130, 200}, {90, 190, 200}, {210, 210, 210},
		{120, 120, 120}, {255, 130, 120}, {140, 220, 140}, {245, 210, 120}, {130, 175, 255}, {225, 160, 225}, {120, 215, 225}, {255, 255, 255},
	}
	switch {
	case n < 0 || n > 255:
		return ink
	case n < 16:
		return basic[n]
	case n < 232:
		steps := [6]uint8{0, 95, 135, 175, 215, 255}
		n -= 16
		return rgb{steps[n/36], steps[n/6%6], steps[n%6]}
	}
	grey := uint8(8 + 10*(n-232))
	return rgb{grey, grey, grey}
}

// colors returns what the cell is drawn in.
func (s style) colors() (fore, back rgb) {
	fore, back = s.fore, s.back
	if s.inv {
		fore, back = back, fore
	}
	if s.dim {
		mix := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
		fore = rgb{mix(fore.r, back.r), mix(fore.g, back.g), mix(fore.b, back.b)}
	}
	return fore, back
}
