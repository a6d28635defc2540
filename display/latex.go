package display

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// LaTeX returns text as LaTeX prints it, one line that compiles with any engine and
// no package: special characters are written as commands, Greek letters and signs of
// mathematics as mathematics, accents as accents. What LaTeX has no sign for is named
// by its number, "[U+65E5]".
func LaTeX(s string) string {
	runes := []rune(clean(s))
	var out strings.Builder
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if i+1 < len(runes) {
			if accent, ok := combining[runes[i+1]]; ok {
				out.WriteString(accented(accent, latexRune(r)))
				i++
				continue
			}
		}
		if i > 0 && strings.ContainsRune("-'`,!?<>", r) && strings.HasSuffix(out.String(), string(r)) { // no ligatures
			out.WriteString("{}")
		}
		out.WriteString(latexRune(r))
	}
	return out.String()
}

func latexRune(r rune) string {
	if text, ok := latexText[r]; ok {
		return text
	}
	if text, ok := latexMath[r]; ok {
		return `\ensuremath{` + text + `}`
	}
	if letter, ok := latexLetters[r]; ok {
		return letter
	}
	if r < utf8.RuneSelf {
		return string(r)
	}
	return fmt.Sprintf("[U+%04X]", r)
}

func accented(accent, letter string) string {
	switch letter {
	case "i", "j": // without its dot
		letter = `\` + letter
	}
	return `\` + accent + `{` + letter + `}`
}

// numeral is a number as tables write it: a relation, digits or a fraction, a power of
// ten, a percent sign.
var numeral = regexp.MustCompile(`^([≤≥<>≈~]|<=|>=)? ?([-−]?)(\d+(?:\.\d*)?|\.\d+|\d+/\d+|inf|nan)(?:[eE]([+-]?\d+))?(%?)$`)

// intervals is two of them between brackets.
var intervals = regexp.MustCompile(`^\[([^,\[\]]+), ([^,\[\]]+)\]$`)

var relations = map[string]string{"≤": `\le `, "<=": `\le `, "≥": `\ge `, ">=": `\ge `, "<": "<", ">": ">", "≈": `\approx `, "~": `\sim `}

// latexMathNumber returns a number as LaTeX writes it inside mathematics.
func latexMathNumber(s string) (string, bool) {
	m := numeral.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	text := relations[m[1]]
	if m[2] != "" {
		text += "-"
	}
	switch m[3] {
	case "inf":
		text += `\infty`
	case "nan":
		return "", false
	default:
		text += m[3]
	}
	if m[4] != "" {
		exponent := strings.TrimLeft(strings.TrimLeft(m[4], "+-"), "0")
		if exponent == "" {
			exponent = "0"
		}
		if m[4][0] == '-' {
			exponent = "-" + exponent
		}
		text += ` \times 10^{` + exponent + `}`
	}
	if m[5] != "" {
		text += `\%`
	}
	return text, true
}

// latexCell returns the text of a cell: numbers and intervals as mathematics.
func latexCell(s string) string {
	s = clean(s)
	if n, ok := latexMathNumber(s); ok {
		return "$" + n + "$"
	}
	if m := intervals.FindStringSubmatch(s); m != nil {
		lo, ok1 := latexMathNumber(m[1])
		hi, ok2 := latexMathNumber(m[2])
		if ok1 && ok2 {
			return "$[" + lo + ", " + hi + "]$"
		}
	}
	return LaTeX(s)
}

// latexApart keeps the first cell of a row from what the end of the row before takes for its own.
func latexApart(first string) string {
	if strings.HasPrefix(first, "[") || strings.HasPrefix(first, "*") {
		return "{}" + first
	}
	return first
}
