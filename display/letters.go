package display

import "strings"

// The house font has letters, Greek, and the common operators, but not every
// character that a label may hold; it would draw nothing for the others, and
// 10⁻³ would read 10³. What it lacks is spelled with what it has.
var spelled = strings.NewReplacer(
	"∈", "in", "∉", "not in", "∝", "~", "∼", "~", "↦", "→", "∧", "&", "∨", "|", "\u2011", "-",
	"⟨", "<", "⟩", ">", "⌈", "ceil(", "⌉", ")", "⌊", "floor(", "⌋", ")",
)

// raised and lowered hold the characters of exponents and of indices, each
// before its plain form. The font has some of them.
const (
	raised  = "⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁺+⁻-⁼=⁽(⁾)ⁱiⁿnᵀT"
	lowered = "₀0₁1₂2₃3₄4₅5₆6₇7₈8₉9₊+₋-₌=₍(₎)ᵢiⱼjₖkₘmₙnₓx"
)

// legible returns s in characters that has, the font's, covers: an exponent or an
// index of which it lacks one is written whole after ^ or _, and what is left
// becomes a question mark.
func legible(s string, has func(rune) bool) string {
	missing := strings.IndexFunc(s, func(r rune) bool { return !has(r) })
	if missing < 0 {
		return s
	}
	s = shift(s, '^', raised, has)
	s = shift(s, '_', lowered, has)
	return strings.Map(func(r rune) rune {
		if has(r) {
			return r
		}
		return '?'
	}, spelled.Replace(s))
}

// shift writes the runs of characters of an alphabet that has does not cover.
func shift(s string, mark rune, alphabet string, has func(rune) bool) string {
	plain := pairs(alphabet)
	var out []rune
	for text := []rune(s); len(text) > 0; {
		n, covered := 0, true
		for ; n < len(text) && plain[text[n]] != 0; n++ {
			covered = covered && has(text[n])
		}
		switch {
		case n == 0:
			n = 1
			out = append(out, text[0])
		case covered:
			out = append(out, text[:n]...)
		default:
			out = append(out, mark)
			for _, r := range text[:n] {
				out = append(out, plain[r])
			}
		}
		text = text[n:]
	}
	return string(out)
}
