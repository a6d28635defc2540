package display

import (
	"strings"
	"unicode"
)

// span is a part of a label: on the line, raised as an exponent, or lowered as an
// index.
type span struct {
	text  string
	level int // 1 raised, −1 lowered
}

// How exponents and indices are set, in parts of the size of their line.
const (
	smaller = 0.72
	raise   = 0.36
	lower   = -0.18
)

// spans parses a label in LaTeX's notation: ^ raises and _ lowers the text in the braces that follow. Without braces ^
// raises a sign, letters and digits. _ lowers up to three letters and digits that end a word with a single letter
// before it, as in ε_0 or P_max, but not in names of programs. Unicode superscripts and subscripts are also set as
// raised and lowered text, because the font lacks some and spaces others widely.
func spans(s string) []span {
	shifts := func(r rune) bool { return r == '^' || r == '_' || raisedRunes[r] != 0 || loweredRunes[r] != 0 }
	if strings.IndexFunc(s, shifts) < 0 {
		return []span{{s, 0}}
	}
	var out []span
	add := func(text string, level int) {
		if n := len(out); n > 0 && out[n-1].level == level {
			out[n-1].text += text
		} else if text != "" {
			out = append(out, span{text, level})
		}
	}
	text := []rune(s)
	for i := 0; i < len(text); {
		if inner, level, n := shifted(text, i); n > 0 {
			add(inner, level)
			i += n
			continue
		}
		if plain, level, n := unicodeRun(text[i:]); n > 0 {
			add(plain, level)
			i += n
			continue
		}
		add(string(text[i]), 0)
		i++
	}
	return out
}

// shifted parses the text that ^ or _ at index i raises or lowers; n is its length with the mark, 0 if there is
// none.
func shifted(text []rune, i int) (inner string, level, n int) {
	if text[i] != '^' && text[i] != '_' || i == 0 || unicode.IsSpace(text[i-1]) {
		return "", 0, 0
	}
	level = map[rune]int{'^': 1, '_': -1}[text[i]]
	rest := text[i+1:]
	if len(rest) > 0 && rest[0] == '{' {
		for end, r := range rest {
			if r == '}' {
				return string(rest[1:end]), level, end + 2
			}
		}
		return "", 0, 0
	}
	k := 0
	if level > 0 && len(rest) > 0 && strings.ContainsRune("+-−", rest[0]) {
		k = 1
	}
	signs := k
	for k < len(rest) && letterOrDigit(rest[k]) {
		k++
	}
	if k == signs {
		return "", 0, 0
	}
	if level < 0 {
		before := i - 1
		for before >= 0 && (letterOrDigit(text[before]) || text[before] == '_') {
			before--
		}
		if i-1-before != 1 || !unicode.IsLetter(text[i-1]) || k > 3 || k < len(rest) && rest[k] == '_' {
			return "", 0, 0
		}
	}
	return string(rest[:k]), level, k + 1
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// unicodeRun parses a run of Unicode superscripts, or of subscripts.
func unicodeRun(text []rune) (plain string, level, n int) {
	for level, alphabet := range map[int]map[rune]rune{1: raisedRunes, -1: loweredRunes} {
		for n = 0; n < len(text) && alphabet[text[n]] != 0; n++ {
			plain += string(alphabet[text[n]])
		}
		if n > 0 {
			return plain, level, n
		}
	}
	return "", 0, 0
}

// raisedRunes and loweredRunes map superscripts and subscripts to the plain characters.
var raisedRunes, loweredRunes = pairs(raised), pairs(lowered)

func pairs(alphabet string) map[rune]rune {
	out := make(map[rune]rune)
	letters := []rune(alphabet)
	for i := 0; i < len(letters); i += 2 {
		out[letters[i]] = letters[i+1]
	}
	return out
}

// flat formats a label for a terminal. Raised or lowered text in braces is written in Unicode superscripts or
// subscripts if all exist. Otherwise the text follows its mark ^ or _.
func flat(s string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	var out strings.Builder
	text := []rune(s)
	for i := 0; i < len(text); {
		inner, level, n := shifted(text, i)
		if n == 0 || text[i+1] != '{' {
			out.WriteRune(text[i])
			i++
			continue
		}
		alphabet := raised
		if level < 0 {
			alphabet = lowered
		}
		if shown, ok := unplain(inner, alphabet); ok {
			out.WriteString(shown)
		} else {
			out.WriteString(string(text[i]) + inner)
		}
		i += n
	}
	return out.String()
}

// unplain writes a text in the characters of an alphabet.
func unplain(text, alphabet string) (string, bool) {
	var out strings.Builder
	letters := []rune(alphabet)
	for _, r := range strings.ReplaceAll(text, "−", "-") {
		found := false
		for i := 1; i < len(letters) && !found; i += 2 {
			if found = letters[i] == r; found {
				out.WriteRune(letters[i-1])
			}
		}
		if !found {
			return "", false
		}
	}
	return out.String(), true
}

// set draws a label with its baseline starting at (x, y), and returns its width; if draw is false, it only
// measures.
func (p *page) set(s string, x, y, size float64, bold, draw bool) float64 {
	width := 0.0
	for _, part := range spans(s) {
		at, shift := size, 0.0
		switch part.level {
		case 1:
			at, shift = smaller*size, raise*size
		case -1:
			at, shift = smaller*size, lower*size
		}
		face, text := p.face(at, bold), p.legible(part.text)
		if draw {
			p.FillString(face, point(x+width, y+shift), text)
		}
		width += face.Width(text).Points()
	}
	return width
}
