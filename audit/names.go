package audit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// names numbers the datasets or the outputs of an input. Spellings of one number, such as 3, 3.0 and 3e0, are one
// name; the first one seen is stored.
type names struct {
	labels []string
	seen   map[string]int // by spelling, and by the number it spells
}

// id returns the number of a name; an unknown name gets a new one.
func (s *names) id(text string) int {
	if i, ok := s.seen[text]; ok {
		return i
	}
	if s.seen == nil {
		s.seen = make(map[string]int)
	}
	text = strings.Clone(text) // readers hand out parts of larger buffers
	key := text
	if n, ok := parseNumeral(text); ok {
		key = n.key()
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
	if n, ok := parseNumeral(text); ok {
		i, ok := s.seen[n.key()]
		return i, ok
	}
	return 0, false
}

// numeral is the number ±0.digits · 10^exponent, where digits has no zeros at either end. Each number has one such
// form, without rounding. Zero has no digits.
type numeral struct {
	negative bool
	digits   string
	exponent int
}

// parseNumeral parses text by JSON's number grammar; ok is false for other text, such as "007" and "0x1".
func parseNumeral(text string) (numeral, bool) {
	rest, minus := strings.CutPrefix(text, "-")
	whole, rest := digits(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return numeral{}, false
	}
	var fraction string
	if after, ok := strings.CutPrefix(rest, "."); ok {
		if fraction, rest = digits(after); fraction == "" {
			return numeral{}, false
		}
	}
	exponent := 0
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		n, err := strconv.Atoi(rest[1:])
		if err != nil || n < -1<<20 || n > 1<<20 {
			return numeral{}, false
		}
		exponent, rest = n, ""
	}
	if rest != "" {
		return numeral{}, false
	}
	mantissa := strings.TrimLeft(whole+fraction, "0")
	exponent += len(mantissa) - len(fraction)
	if mantissa = strings.TrimRight(mantissa, "0"); mantissa == "" {
		return numeral{}, true
	}
	return numeral{minus, mantissa, exponent}, true
}

// numeralOf returns the value of the shortest decimal of a finite v.
func numeralOf(v float64) numeral {
	n, _ := parseNumeral(strconv.FormatFloat(v, 'g', -1, 64))
	return n
}

// compare orders numbers: −1, 0 or +1.
func (n numeral) compare(m numeral) int {
	if a, b := n.sign(), m.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	c := cmp.Compare(n.exponent, m.exponent)
	if c == 0 {
		c = strings.Compare(n.digits, m.digits) // a prefix is the smaller one
	}
	return c * n.sign()
}

func (n numeral) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// key returns the same text for all spellings of the number. It starts with a NUL, so it differs from every name.
func (n numeral) key() string {
	sign := ""
	if n.negative {
		sign = "-"
	}
	return "\x00" + sign + n.digits + "e" + strconv.Itoa(n.exponent)
}

// digits cuts the leading decimal digits off text.
func digits(text string) (lead, rest string) {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// key returns the same text for all spellings of name i.
func (s *names) key(i int) string {
	if n, ok := parseNumeral(s.labels[i]); ok {
		return n.key()
	}
	return s.labels[i]
}

// clone returns a copy that later additions do not change.
func (s *names) clone() names { return names{slices.Clone(s.labels), maps.Clone(s.seen)} }
