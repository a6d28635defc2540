package display

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"text/template"
)

// Report is a page of numbers, each with its evidence, its source and the script line that reproduces it.
type Report struct {
	Title    string
	Lead     []string // paragraphs
	Code     string   // the script that the lines of numbers follow, "" for none
	Sections []ReportSection
	Foot     string // footer of HTML and LaTeX: the program that wrote it
}

// ReportSection is a part of a report: text, then numbers, then a picture.
type ReportSection struct {
	Title string
	Text  []string
	Rows  []ReportRow
	Plot  *LinePlot // nil for none
}

// ReportRow is one number of a report.
type ReportRow struct{ What, Value, Known, Source, Line string }

var _ Figure = (*Report)(nil)

// Encode returns the report as a file that ends in .html, .tex or .txt (80 columns wide).
func (r *Report) Encode(path string) ([]byte, error) {
	return inFormat(path, []format{
		{".html", r.HTML},
		{".tex", r.LaTeX},
		{".txt", func() ([]byte, error) { return []byte(r.Terminal(Caps{Unicode: true})), nil }},
	})
}

// Terminal returns the report as lines of text.
func (r *Report) Terminal(c Caps) string {
	width := c.Width
	if width <= 0 {
		width = 80
	}
	width = max(width, 20)
	var out strings.Builder
	paragraph := func(indent int, text string) {
		for _, line := range wrap(clean(text), width-indent, columns) {
			out.WriteString(strings.Repeat(" ", indent) + line + "\n")
		}
	}
	rule := "="
	if c.Unicode {
		rule = "═"
	}
	paragraph(0, r.Title)
	out.WriteString(strings.Repeat(rule, min(width, columns(clean(r.Title)))) + "\n")
	for _, text := range r.Lead {
		paragraph(0, text)
	}
	for line := range strings.Lines(r.Code) {
		paragraph(4, line)
	}
	for _, s := range r.Sections {
		out.WriteString("\n")
		paragraph(0, s.Title)
		for _, text := range s.Text {
			paragraph(2, text)
		}
		for i, row := range s.Rows {
			paragraph(2, row.What+": "+row.Value+row.known())
			if row.Source != "" && !s.repeats(i) {
				paragraph(6, "source: "+row.Source)
			}
			if row.Line != "" {
				paragraph(6, row.Line)
			}
		}
		if s.Plot != nil {
			out.WriteString("\n" + s.Plot.Terminal(c))
		}
	}
	return out.String()
}

// repeats reports whether a row has the source of the row above.
func (s *ReportSection) repeats(i int) bool { return i > 0 && s.Rows[i].Source == s.Rows[i-1].Source }

func (row ReportRow) known() string {
	if row.Known == "" {
		return ""
	}
	return " (" + row.Known + ")"
}

// Listed returns the rows, with "the same" for a source that equals that of the row above.
func (s ReportSection) Listed() []ReportRow {
	out := slices.Clone(s.Rows)
	for i := range out {
		if s.repeats(i) {
			out[i].Source = "the same"
		}
	}
	return out
}

//go:embed report.tmpl
var reportFile string

// reportTemplates are the report in HTML and in LaTeX.
var reportTemplates = template.Must(template.New("report").Delims("[[", "]]").Funcs(template.FuncMap{
	"text":   htmlText,
	"trim":   func(s string) string { return strings.TrimRight(s, "\n") },
	"lines":  func(s string) []string { return slices.Collect(strings.Lines(s)) },
	"tex":    LaTeX,
	"code":   latexCode,
	"digits": latexBreakable,
	"plot":   (*LinePlot).latex,
	"svg": func(l *LinePlot) (string, error) { // an embedded document has no head
		picture, err := l.SVG()
		return strings.TrimRight(string(picture[max(0, bytes.Index(picture, []byte("<svg"))):]), "\n"), err
	},
}).Parse(reportFile))

// HTML returns the report as a whole document, its picture within.
func (r *Report) HTML() ([]byte, error) { return filled(reportTemplates, "html", r) }

// LaTeX returns the report as a document that needs no packages but fontenc and
// booktabs.
func (r *Report) LaTeX() ([]byte, error) { return filled(reportTemplates, "latex", r) }

// filled executes one of a set of templates.
func filled(set *template.Template, name string, data any) ([]byte, error) {
	var out bytes.Buffer
	err := set.ExecuteTemplate(&out, name, data)
	return out.Bytes(), err
}

func htmlText(s string) string { return html.EscapeString(strings.ToValidUTF8(s, "\uFFFD")) }

// latexCode returns code in LaTeX, with allowed line breaks.
func latexCode(s string) string { return breakable(LaTeX(s), ".", ",", "(", "=", `\_`, "/") }

// latexBreakable returns text with numbers in LaTeX, which may break between digits.
func latexBreakable(s string) string {
	var out strings.Builder
	digits := 0
	for _, r := range s {
		out.WriteString(LaTeX(string(r)))
		if r == ' ' { // LaTeX drops a blank that stands alone
			out.WriteByte(' ')
		}
		if r >= '0' && r <= '9' {
			if digits++; digits%9 == 0 {
				out.WriteString(`\allowbreak{}`)
			}
		} else {
			digits = 0
		}
	}
	return out.String()
}

func breakable(s string, after ...string) string {
	for _, sign := range after {
		s = strings.ReplaceAll(s, sign, sign+`\allowbreak{}`)
	}
	return s
}

// latex draws the plot with LaTeX's picture environment.
func (l *LinePlot) latex() string {
	const w, h = 110.0, 30.0 // millimetres
	var out strings.Builder
	out.WriteString("{\\footnotesize\\setlength{\\unitlength}{1mm}\\begin{picture}(130,41)(-18,-10)\n")
	stroke := func(x0, y0, x1, y1 float64) {
		fmt.Fprintf(&out, "\\qbezier(%.3f,%.3f)(%.3f,%.3f)(%.3f,%.3f)\n", x0, y0, (x0+x1)/2, (y0+y1)/2, x1, y1)
	}
	fmt.Fprintf(&out, "\\put(0,0){\\line(1,0){%g}}\\put(0,0){\\line(0,1){%g}}\\put(%[1]g,0){\\line(0,1){%[2]g}}\\put(0,%[2]g){\\line(1,0){%[1]g}}\n", w, h)
	for _, t := range l.x.ticks(6, false) {
		if x := l.x.at(t.value) * w; t.label != "" && x >= 0 && x <= w {
			fmt.Fprintf(&out, "\\put(%.3f,0){\\line(0,1){1}}\\put(%.3[1]f,-4){\\makebox(0,0)[b]{%[2]s}}\n", x, LaTeX(t.label))
		}
	}
	for _, t := range l.y.ticks(5, false) {
		if y := l.y.at(t.value) * h; t.label != "" && y >= 0 && y <= h {
			fmt.Fprintf(&out, "\\put(0,%.3f){\\line(1,0){1}}\\put(-1,%.3[1]f){\\makebox(0,0)[r]{%[2]s}}\n", y, LaTeX(t.label))
		}
	}
	fmt.Fprintf(&out, "\\put(%g,-9){\\makebox(0,0)[b]{%s}}\\put(-18,%g){\\makebox(0,0)[l]{%s}}\n", w/2, LaTeX(l.xlabel), h/2, LaTeX(l.ylabel))
	for _, s := range l.series {
		for i := 1; i < len(s.X); i++ {
			x0, y0, x1, y1 := l.x.at(s.X[i-1])*w, l.y.at(s.Y[i-1])*h, l.x.at(s.X[i])*w, l.y.at(s.Y[i])*h
			if !math.IsNaN(y0) && !math.IsNaN(y1) { // else a gap
				stroke(x0, y0, x1, y1)
			}
		}
	}
	out.WriteString("\\end{picture}\\par}\n")
	return out.String()
}
