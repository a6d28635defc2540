package display

import "strings"

// latexText are characters that LaTeX has commands for in text.
var latexText = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\ensuremath{<}`, '>': `\ensuremath{>}`, '|': `\ensuremath{|}`,
	'"': `{\char34}`, '`': "\\`{}",
	'–': `--`, '—': `---`, '‘': "`", '’': "'", '“': "``", '”': "''", '…': `\ldots{}`, '§': `\S{}`, '¶': `\P{}`, '©': `\copyright{}`, '£': `\pounds{}`,
	'«': `\ensuremath{\ll}`, '»': `\ensuremath{\gg}`, '¡': "!`", '¿': "?`", '†': `\dag{}`, '‡': `\ddag{}`, '°': `\ensuremath{^\circ}`,
}

// latexMath are signs of mathematics.
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

// combining are the accents that stand behind their letter.
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

// accentedLetters adds the letters with an accent, written as pairs, to those without.
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
