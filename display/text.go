package display

import (
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// clean returns s fit for a label: valid UTF-8 on one line, with white space of
// any kind as a space, and without control characters, which a terminal would
// obey and XML forbids.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Noncharacter_Code_Point):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// Line returns s on one line, without control characters.
func Line(s string) string { return clean(s) }

// columns returns how many columns of a terminal s takes.
func columns(s string) int { return displaywidth.String(s) }

// shorten truncates s to the given number of columns, ending in "…" (or "~" in ASCII) if it was longer.
func shorten(s string, width int, unicode bool) string {
	if columns(s) <= width {
		return s
	}
	tail := "…"
	if !unicode {
		tail = "~"
	}
	if width < 1 {
		return ""
	}
	return displaywidth.TruncateString(s, width, tail)
}

// wrapAtMost is wrap with at most the given number of lines. If it omits text, it ends in "…".
func wrapAtMost[L int | float64](s string, lines int, limit L, measure func(string) L) []string {
	all := wrap(s, limit, measure)
	if len(all) <= lines {
		return all
	}
	last := all[lines-1]
	for measure(last+"…") > limit && last != "" {
		last = last[:len(last)-lastCharacter(last)]
	}
	return append(all[:lines-1:lines-1], strings.TrimRight(last, " ")+"…")
}

// lastCharacter returns the length in bytes of the grapheme that ends s.
func lastCharacter(s string) int {
	n := 0
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		n = len(g.Value())
	}
	return n
}

// wrap breaks s at spaces into lines of at most limit; a longer word is broken between characters.
func wrap[L int | float64](s string, limit L, measure func(string) L) []string {
	if measure(s) <= limit {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && measure(line+" "+word) <= limit {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
		for measure(line) > limit {
			head, tail := split(line, limit, measure)
			if tail == "" {
				break
			}
			lines, line = append(lines, head), tail
		}
	}
	return append(lines, line)
}

// split splits s after the longest beginning that measures at most limit, and after at least one character.
func split[L int | float64](s string, limit L, measure func(string) L) (head, tail string) {
	g := displaywidth.StringGraphemes(s)
	for g.Next() {
		next := head + g.Value()
		if head != "" && measure(next) > limit {
			break
		}
		head = next
	}
	return head, s[len(head):]
}

// words joins a list for a message: "a, b or c".
func words(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
