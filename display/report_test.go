package display_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"

	"github.com/clipperhouse/displaywidth"
)

// hostileReport contains every character with a meaning in some format.
func hostileReport(t *testing.T) *display.Report {
	t.Helper()
	plot, err := display.NewLinePlot(display.LineSpec{XLabel: "ε & <x>", YLabel: "δ_%", Series: []display.Series{{X: []float64{0, 1, 2}, Y: []float64{1, 0.5, 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	const nasty = `\ { } $ & # _ % ~ ^ " ' < > | é ß ε δ Φ⁻¹ ≤ ≥ … – — ‖x‖₁ 2·decay ∞ 𝔽 漢 </td><script>`
	return &display.Report{
		Title: "report on " + nasty, Lead: []string{nasty, ""}, Code: "m = f(\"" + nasty + "\")\nprint(m)", Foot: nasty,
		Sections: []display.ReportSection{
			{Title: nasty, Text: []string{nasty}, Rows: []display.ReportRow{{nasty, "1.23456789012345678901234567890", nasty, nasty, nasty}, {"second", "2", "", nasty, "m.two"}, {What: "bare", Value: "3"}}, Plot: plot},
			{Title: "empty"},
		},
	}
}

func TestReportFormats(t *testing.T) {
	r := hostileReport(t)
	page, err := r.Encode("a.HTML")
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{"<script>": 0, "&lt;script&gt;": 11, "<svg": 1, "<?xml": 0, "<h2>": 2, "<tr>": 4, "the same": 1, "</html>": 1} {
		if n := strings.Count(string(page), part); n != want {
			t.Errorf("the page has %q %d times, want %d", part, n, want)
		}
	}
	text, err := r.Encode("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if displaywidth.String(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("a line of %d columns: %s", displaywidth.String(line), line)
		}
	}
	if got := r.Terminal(display.Caps{Width: 40}); !strings.Contains(got, "bare: 3\n") || strings.Contains(got, "═") {
		t.Errorf("the terminal text is\n%s", got)
	}
	if _, err := r.Encode("a.pdf"); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), ".tex") {
		t.Errorf("a.pdf: %v", err)
	}
}

// A report is as wide as the terminal, but at least 20 columns. A rule below a longer title is as wide too.
func TestReportWidths(t *testing.T) {
	r := &display.Report{Title: strings.Repeat("long ", 60), Lead: []string{strings.Repeat("a ", 300)}}
	for width, want := range map[int]int{-1: 80, 0: 80, 1: 20, 19: 20, 20: 20, 21: 21, 40: 40, 131: 131} {
		got := r.Terminal(display.Caps{Width: width})
		if !strings.Contains(got, "\n"+strings.Repeat("=", want)+"\n") {
			t.Errorf("%d columns: no rule of %d in\n%s", width, want, got)
		}
		widest := 0
		for line := range strings.Lines(got) {
			widest = max(widest, displaywidth.String(strings.TrimSuffix(line, "\n")))
		}
		if widest != want {
			t.Errorf("%d columns: the widest line has %d, want %d", width, widest, want)
		}
	}
}

// pdflatex compiles the LaTeX of a report without errors, whatever its texts.
func TestReportCompilesInLaTeX(t *testing.T) {
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("no pdflatex here")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.tex"), must.Be(hostileReport(t).LaTeX()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.pdf")); err != nil || info.Size() < 1000 {
		t.Errorf("a.pdf: %v, %v", info, err)
	}
}
