package display

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// LaTeX returns text escaped for LaTeX, as one line that compiles with any engine and without packages. Special
// characters become commands, Greek letters and mathematical symbols become mathematics, and accents become
// accents. A character that LaTeX lacks is written by its code point, "[U+65E5]".
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
		if i > 0 && strings.ContainsRune("-'`,!?<>", r) && strings.HasSuffix(out.String(), string(r)) { // prevent ligatures
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
	case "i", "j": // an accented i or j loses its dot
		letter = `\` + letter
	}
	return `\` + accent + `{` + letter + `}`
}

// numeral matches a number as tables write it: a relation sign, digits or a fraction, a power of ten, and a percent
// sign.
var numeral = regexp.MustCompile(`^([≤≥<>≈~]|<=|>=)? ?([-−]?)(\d+(?:\.\d*)?|\.\d+|\d+/\d+|inf|nan)(?:[eE]([+-]?\d+))?(%?)$`)

// intervals matches two numbers between brackets.
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

// latexApart returns what must precede a row whose first cell is first. Without it, the end of the row before would
// take the cell as an argument.
func latexApart(first string) string {
	if strings.HasPrefix(first, "[") || strings.HasPrefix(first, "*") {
		return "{}" + first
	}
	return first
}

// latexText holds the characters for which LaTeX has commands in text.
var latexText = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\ensuremath{<}`, '>': `\ensuremath{>}`, '|': `\ensuremath{|}`,
	'"': `{\char34}`, '`': "\\`{}",
	'–': `--`, '—': `---`, '‘': "`", '’': "'", '“': "``", '”': "''", '…': `\ldots{}`, '§': `\S{}`, '¶': `\P{}`, '©': `\copyright{}`, '£': `\pounds{}`,
	'«': `\ensuremath{\ll}`, '»': `\ensuremath{\gg}`, '¡': "!`", '¿': "?`", '†': `\dag{}`, '‡': `\ddag{}`, '°': `\ensuremath{^\circ}`,
}

// latexMath holds the signs for which LaTeX has commands in mathematics.
var latexMath = map[rune]string{
	'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`, 'ε': `\varepsilon`, 'ϵ': `\epsilon`, 'ζ': `\zeta`, 'η': `\eta`, 'θ': `\theta`, 'ϑ': `\vartheta`,
	'ι': `\iota`, 'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`, 'µ': `\mu`, 'ν': `\nu`, 'ξ': `\xi`, 'ο': `o`, 'π': `\pi`, 'ρ': `\rho`, 'ϱ': `\varrho`, 'σ': `\sigma`, 'ς': `\varsigma`,
	'τ': `\tau`, 'υ': `\upsilon`, 'φ': `\varphi`, 'ϕ': `\phi`, 'χ': `\chi`, 'ψ': `\psi`, 'ω': `\omega`,
	'Α': `\mathrm{A}`, 'Β': `\mathrm{B}`, 'Γ': `\Gamma`, 'Δ': `\Delta`, '∆': `\Delta`, 'Ε': `\mathrm{E}`, 'Ζ': `\mathrm{Z}`, 'Η': `\mathrm{H}`, 'Θ': `\Theta`, 'Ι': `\mathrm{I}`,
	'Κ': `\mathrm{K}`, 'Λ': `\Lambda`, 'Μ': `\mathrm{M}`, 'Ν': `\mathrm{N}`, 'Ξ': `\Xi`, 'Ο': `\mathrm{O}`, 'Π': `\Pi`, 'Ρ': `\mathrm{P}`, 'Σ': `\Sigma`, 'Τ': `\mathrm{T}`,
	'Υ': `\Upsilon`, 'Φ': `\Phi`, 'Χ': `\mathrm{X}`, 'Ψ': `\Psi`, 'Ω': `\Omega`, '\u2126': `\Omega`,
	'≤': `\le`, '≥': `\ge`, '≠': `\ne`, '≈': `\approx`, '≡': `\equiv`, '∼': `\sim`, '≃': `\simeq`, '∝': `\propto`, '≪': `\ll`, '≫': `\gg`,
	'−': `-`, '±': `\pm`, '∓': `\mp`, '×': `\times`, '÷': `\div`, '·': `\cdot`, '⋅': `\cdot`, '∘': `\circ`, '∗': `\ast`, '⊕': `\oplus`, '⊗': `\otimes`, '⊙': `\odot`,
	'∞': `\infty`, '∈': `\in`, '∉': `\notin`, '∋': `\ni`, '⊂': `\subset`, '⊆': `\subseteq`, '⊃': `\supset`, '⊇': `\supseteq`, '∪': `\cup`, '∩': `\cap`, '∅': `\emptyset`, '∖': `\setminus`,
	'∀': `\forall`, '∃': `\exists`, '¬': `\neg`, '∧': `\wedge`, '∨': `\vee`, '⊤': `\top`, '⊥': `\perp`,
	'→': `\to`, '←': `\leftarrow`, '↔': `\leftrightarrow`, '⇒': `\Rightarrow`, '⇐': `\Leftarrow`, '⇔': `\Leftrightarrow`, '↦': `\mapsto`, '↑': `\uparrow`, '↓': `\downarrow`,
	'∑': `\sum`, '∏': `\prod`, '∫': `\int`, '√': `\surd`, '∂': `\partial`, '∇': `\nabla`, '‖': `\|`, '∥': `\|`, '′': `'`, '″': `''`,
	'⌈': `\lceil`, '⌉': `\rceil`, '⌊': `\lfloor`, '⌋': `\rfloor`, '⟨': `\langle`, '⟩': `\rangle`, '•': `\bullet`,
	'ℓ': `\ell`, 'ℝ': `\mathbf{R}`, 'ℕ': `\mathbf{N}`, 'ℤ': `\mathbf{Z}`, 'ℚ': `\mathbf{Q}`, 'ℂ': `\mathbf{C}`, '𝔼': `\mathbf{E}`,
	'½': `\frac12`, '¼': `\frac14`, '¾': `\frac34`, '⅓': `\frac13`, '⅔': `\frac23`,
	'⁰': `^0`, '¹': `^1`, '²': `^2`, '³': `^3`, '⁴': `^4`, '⁵': `^5`, '⁶': `^6`, '⁷': `^7`, '⁸': `^8`, '⁹': `^9`, '⁺': `^+`, '⁻': `^-`, 'ⁿ': `^n`, 'ᵀ': `^T`, 'ⁱ': `^i`, 'ᵏ': `^k`,
	'₀': `_0`, '₁': `_1`, '₂': `_2`, '₃': `_3`, '₄': `_4`, '₅': `_5`, '₆': `_6`, '₇': `_7`, '₈': `_8`, '₉': `_9`, '₊': `_+`, '₋': `_-`, 'ᵢ': `_i`, 'ⱼ': `_j`, 'ₖ': `_k`, 'ₙ': `_n`,
}

// combining lists the accents that follow their letter.
var combining = map[rune]string{
	'\u0300': "`", '\u0301': "'", '\u0302': "^", '\u0303': "~", '\u0304': "=", '\u0305': "=", '\u0306': "u", '\u0307': ".",
	'\u0308': `"`, '\u030A': "r", '\u030B': "H", '\u030C': "v", '\u0323': "d", '\u0327': "c", '\u0331': "b",
}

// latexLetters are the Latin letters beyond ASCII that every font of LaTeX has.
var latexLetters = accentedLetters(map[string]string{
	"`": "ÀA ÈE ÌI ÒO ÙU àa èe ìi òo ùu ǸN ǹn",
	"'": "ÁA ÉE ÍI ÓO ÚU ÝY áa ée íi óo úu ýy ĆC ćc ĹL ĺl ŃN ńn ŔR ŕr ŚS śs ŹZ źz",
	"^": "ÂA ÊE ÎI ÔO ÛU âa êe îi ôo ûu ĈC ĉc ĜG ĝg ĤH ĥh ĴJ ĵj ŜS ŝs ŴW ŵw ŶY ŷy",
	"~": "ÃA ÑN ÕO ãa ñn õo ĨI ĩi ŨU ũu",
	`"`: "ÄA ËE ÏI ÖO ÜU äa ëe ïi öo üu ÿy ŸY",
	"=": "ĀA āa ĒE ēe ĪI īi ŌO ōo ŪU ūu",
	"u": "ĂA ăa ĔE ĕe ĞG ğg ĬI ĭi ŎO ŏo ŬU ŭu",
	".": "ĊC ċc ĖE ėe ĠG ġg İI ŻZ żz",
	"r": "ŮU ůu",
	"H": "ŐO őo ŰU űu",
	"v": "ČC čc ĎD ďd ĚE ěe ŇN ňn ŘR řr ŠS šs ŤT ťt ŽZ žz ǦG ǧg",
	"c": "ÇC çc ŞS şs ŢT ţt",
})

// accentedLetters returns the letters without an accent, and those with an accent, which byAccent lists as pairs.
func accentedLetters(byAccent map[string]string) map[rune]string {
	out := map[rune]string{
		'ß': `\ss{}`, 'æ': `\ae{}`, 'Æ': `\AE{}`, 'œ': `\oe{}`, 'Œ': `\OE{}`, 'ø': `\o{}`, 'Ø': `\O{}`, 'å': `\aa{}`, 'Å': `\AA{}`, '\u212B': `\AA{}`, 'ł': `\l{}`, 'Ł': `\L{}`, 'ı': `\i{}`,
		'\u00A0': `~`, '\u2009': `\,`,
	}
	for accent, pairs := range byAccent {
		for pair := range strings.FieldsSeq(pairs) {
			r := []rune(pair)
			out[r[0]] = accented(accent, string(r[1]))
		}
	}
	return out
}

// The font has letters, Greek, and common operators, but not all characters of labels. It would draw nothing for a
// missing character, so 10⁻³ would read 10³. So missing characters are replaced by available ones.
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

// legible returns s in characters that the font has. Missing ones are spelled out, and the rest become question
// marks.
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
