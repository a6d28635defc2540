package audit

import (
	"strconv"
	"strings"
)

// names numbers the datasets or the outputs of an input. Two spellings of one
// number, such as 3, 3.0 and 3e0, are the same name; the first one seen is kept.
type names struct {
	labels []string
	seen   map[string]int // by spelling, and by the number it spells
}

// id returns the number of a name, a new one where it was not seen before.
func (s *names) id(text string) int {
	if i, ok := s.seen[text]; ok {
		return i
	}
	if s.seen == nil {
		s.seen = make(map[string]int)
	}
	text = strings.Clone(text) // readers hand out parts of larger buffers
	key := text
	if n, ok := plainNumber(text); ok {
		key = n
		if i, ok := s.seen[key]; ok {
			s.seen[text] = i
			return i
		}
	}
	i := len(s.labels)
	s.labels = append(s.labels, text)
	s.seen[key], s.seen[text] = i, i
	return i
}

// find returns the number of a name that was seen.
func (s *names) find(text string) (int, bool) {
	if i, ok := s.seen[text]; ok {
		return i, true
	}
	if n, ok := plainNumber(text); ok {
		i, ok := s.seen[n]
		return i, ok
	}
	return 0, false
}

// plainNumber returns one spelling, with a NUL before it, of the number that
// text spells in JSON's grammar, and false where it spells none: "007" and
// "0x1" are words.
func plainNumber(text string) (string, bool) {
	rest, minus := strings.CutPrefix(text, "-")
	whole, rest := digits(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	var fraction string
	if after, ok := strings.CutPrefix(rest, "."); ok {
		if fraction, rest = digits(after); fraction == "" {
			return "", false
		}
	}
	exponent := 0
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		n, err := strconv.Atoi(rest[1:])
		if err != nil || n < -1<<20 || n > 1<<20 {
			return "", false
		}
		exponent, rest = n, ""
	}
	if rest != "" {
		return "", false
	}
	mantissa := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	short := strings.TrimRight(mantissa, "0")
	exponent += len(mantissa) - len(short)
	switch {
	case short == "":
		return "\x000", true
	case minus:
		short = "-" + short
	}
	return "\x00" + short + "e" + strconv.Itoa(exponent), true
}

// digits cuts the leading decimal digits off text.
func digits(text string) (lead, rest string) {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}
