package display_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"
)

func TestLaTeX(t *testing.T) {
	for text, want := range map[string]string{
		`50 % of $3 & a_b #1 {x} \n ^ ~`: `50 \% of \$3 \& a\_b \#1 \{x\} \textbackslash{}n \textasciicircum{} \textasciitilde{}`,
		"Ψ ≤ ε":                          `\ensuremath{\Psi} \ensuremath{\le} \ensuremath{\varepsilon}`,
		"a--b, ,, ''":                    "a-{}-b, ,{}, '{}'",
		"Poincaré, Erdős, naïve, Łódź":   `Poincar\'{e}, Erd\H{o}s, na\"{\i}ve, \L{}\'{o}d\'{z}`,
		"d̄(x, y)":                       `\={d}(x, y)`,
		"日本":                             "[U+65E5][U+672C]",
		"two\nlines\x1b":                 "two lines",
		"":                               "",
	} {
		if got := display.LaTeX(text); got != want {
			t.Errorf("LaTeX(%q) = %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"1.5e-7": `$1.5 \times 10^{-7}$`, "-3": "$-3$", "−3": "$-3$", "1e+22": `$1 \times 10^{22}$`, "inf": `$\infty$`, "-inf": `$-\infty$`, "nan": "nan", "3/4": "$3/4$",
		"≤ 0.2": `$\le 0.2$`, "12%": `$12\%$`, "[0.1, 1e-9]": `$[0.1, 1 \times 10^{-9}]$`, "[a, b]": "[a, b]", "1,5": "1,5", "0x1p3": "0x1p3", "1.": "$1.$", "2e00": `$2 \times 10^{0}$`,
	} {
		if got := must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{"a", text}}})).LaTeX(); !strings.Contains(got, "\na & "+want+" \\\\\n") {
			t.Errorf("the cell %q is in %s, want %s", text, got, want)
		}
	}
}

func TestTableLaTeX(t *testing.T) {
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Title: "ε & δ", Header: []string{"ε", "P/P_S"}, Rows: [][]string{{"0.1", "≤ 0.5"}, {"1e-9", ""}, {"1", "[x] 5%"}}})).LaTeX(), `
% needs \usepackage{booktabs}
\begin{table}
\centering
\caption{\ensuremath{\varepsilon} \& \ensuremath{\delta}}
\begin{tabular}{rl}
\toprule
\ensuremath{\varepsilon} & P/P\_S \\
\midrule
$0.1$ & $\le 0.5$ \\
$1 \times 10^{-9}$ &  \\
$1$ & [x] 5\% \\
\bottomrule
\end{tabular}
\end{table}
`)
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{"[x]", "1"}, {"*", "2"}}})).LaTeX(), `
% needs \usepackage{booktabs}
\begin{tabular}{lr}
\toprule
{}[x] & $1$ \\
{}* & $2$ \\
\bottomrule
\end{tabular}
`)
}

func TestTableMarkdown(t *testing.T) {
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Title: "a*b", Header: []string{"ε", "x|y"}, Rows: [][]string{{"0.1", "<b> & `c`"}, {"-1e-9", "two\nlines"}}})).Markdown(), `
**a\*b**

| ε | x\|y |
| ---: | --- |
| 0.1 | &lt;b&gt; &amp; \`+"`c\\`"+` |
| -1e-9 | two lines |
`)
	checkGolden(t, must.Be(display.NewTable(display.TableSpec{Rows: [][]string{{"1"}}})).Markdown(), `
|  |
| ---: |
| 1 |
`)
}

// compile runs pdflatex on a document with this body, and skips the test without pdflatex.
func compile(t *testing.T, body string) {
	t.Helper()
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex here")
	}
	dir := t.TempDir()
	source := "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + body + "\n\\end{document}\n"
	if err := os.WriteFile(filepath.Join(dir, "t.tex"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(pdflatex, "-interaction=nonstopmode", "-halt-on-error", "t.tex")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out[max(0, len(out)-2000):])
	}
	if log := string(must.Be(os.ReadFile(filepath.Join(dir, "t.log")))); strings.Contains(log, "Missing character") {
		t.Error("a character is missing:", log[strings.Index(log, "Missing character"):][:200])
	}
}

// All ASCII characters and all mapped characters compile: alone, doubled, at the start of a cell and of a row, with
// an accent, in headers and in titles.
func TestLaTeXCompiles(t *testing.T) {
	var signs []rune
	for r := rune(0); r < 0x3000; r++ {
		if mapped := !strings.HasPrefix(display.LaTeX(string(r)), "[U+"); r < 0x180 || mapped || r%64 == 0 {
			signs = append(signs, r)
		}
	}
	signs = append(signs, '𝔼', '日', '😀', '\uFFFD')
	var body strings.Builder
	spec := display.TableSpec{Title: "Title ε_1 & 100%", Header: []string{"Ψ_{1}", "x & y", "#", "\\"}}
	for i, r := range signs {
		c := string(r)
		spec.Rows = append(spec.Rows, []string{c, "a" + c + c + "b", c + "\u0304 " + c + "\u0301", c + "1"})
		if len(spec.Rows) == 40 || i == len(signs)-1 {
			body.WriteString(must.Be(display.NewTable(spec)).LaTeX() + "\\clearpage\n")
			spec.Rows = nil
		}
	}
	numbers := display.TableSpec{Header: []string{"n"}}
	for _, s := range []string{"1e-300", "-inf", "nan", "≤ 3", "12%", "[1e-9, 2]", "[-inf, 5e-324]", "3/4", "~1", "*", "[", "[1pt]"} {
		numbers.Rows = append(numbers.Rows, []string{s})
	}
	body.WriteString(must.Be(display.NewTable(numbers)).LaTeX())
	compile(t, body.String())
}
