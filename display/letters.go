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

// legible returns s in characters that has, the font's, covers: what it lacks is spelled,
// and what is left becomes a question mark.
func legible(s string, has func(rune) bool) string {
	if strings.IndexFunc(s, func(r rune) bool { return !has(r) }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if has(r) {
			return r
		}
		return '?'
	}, spelled.Replace(s))
}
