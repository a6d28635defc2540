package repl

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/redact"
	"dpworkbench/internal/version"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/script"
)

const reportHelp = `A report of one page: the claimed and the actual privacy, δ(ε) as numbers and a plot, the datasets and outputs with the largest loss, and for a mechanism on a finite query its distortion compared with the optimum. Each number has its evidence, its source, and the line of script that reproduces it. path writes the page to a file atomically, in the format of its extension (.html, .tex for pdflatex, .txt) or of format, and returns None; a notebook shows the page. format without path returns the text. optimum says whether to solve the linear program of the optimum: True, False, or None for up to 3,000 variables (datasets times values). The page says if it was not solved.`

// affordable is the largest number of variables of a linear program that a report solves by default, in some seconds.
const affordable = 3000

// report writes the page on a mechanism or a privacy.
func report(c *script.Call, a *privacy.Account) (any, error) {
	extension := map[string]string{"": "", "text": ".txt", "html": ".html", "latex": ".tex"}[c.Text("format")]
	path := c.Text("path")
	if known := []string{".html", ".tex", ".txt"}; c.Given("path") && extension == "" && !slices.Contains(known, strings.ToLower(filepath.Ext(path))) {
		c.Fail("path", c.Value("path"), "one that ends in .html, .tex or .txt, or a format")
	}
	r := &reporter{Call: c, a: a, page: &display.Report{Title: a.Name(), Foot: "dpworkbench " + version.Text()}}
	r.m, _ = c.Self().(*script.Object).Inner().(mechanism.Mechanism)
	r.head()
	sections := []func(){r.privacy, r.curve, r.worst, r.utility, r.optimum}
	if _, err := a.Worst(c.Context, nil); errors.Is(err, privacy.ErrNoNeighbors) {
		r.section("Privacy", nil, "No two datasets are neighbors: any answer is private, and there is nothing to compute.")
		sections = []func(){r.utility}
	}
	for _, section := range sections {
		section()
	}
	r.maskPasswords()
	if !c.Given("path") {
		if c.Given("format") {
			return string(must(r.page.Encode(extension))), nil
		}
		return drawn(c, map[string]any{"title": r.page.Title, "sections": script.Each(r.page.Sections, sectionData)})(r.page, nil)
	}
	if extension == "" {
		extension = filepath.Ext(path)
	}
	stop(c.SaveFile(path, must(r.page.Encode(extension))))
	if c.Session.OnSave != nil {
		c.Session.OnSave(r.page)
	}
	return nil, nil
}

// sectionData returns a section as JSON.
func sectionData(s display.ReportSection) any {
	return map[string]any{"title": s.Title, "text": s.Text, "numbers": script.Each(s.Rows, func(row display.ReportRow) any {
		return map[string]any{"what": row.What, "value": row.Value, "known": row.Known, "source": row.Source, "line": row.Line}
	})}
}

// reporter writes a page.
type reporter struct {
	*script.Call
	a    *privacy.Account
	m    mechanism.Mechanism // nil if it is not a mechanism on a finite query
	page *display.Report
	name string // the variable with which the script lines begin
}

// head writes the title and the script that makes the reported value.
func (r *reporter) head() {
	r.name = "p"
	if r.m != nil {
		r.name = "m"
		q := r.m.Query()
		r.page.Title += " on " + q.Name()
		r.page.Lead = []string{fmt.Sprintf("%d datasets, %d unordered pairs of neighbors, a range of %d values.", q.Size(), q.Space().Pairs(), len(q.Range()))}
	}
	if r.a.IsBound() {
		r.page.Lead = append(r.page.Lead, "The numbers on privacy are upper bounds.")
	}
	switch uses := r.a.Assumes(); uses {
	case "":
	case "fixed in advance":
		r.page.Lead = append(r.page.Lead, "The uses are fixed in advance. The privacy of uses that are chosen in the light of earlier outputs is "+r.name+".adaptive.")
	default:
		r.page.Lead = append(r.page.Lead, "The uses are "+uses+".")
	}
	made := script.Made(r.Self())
	if made == "" {
		r.page.Lead = append(r.page.Lead, fmt.Sprintf("Lines begin with %s, the name of the value in its script.", r.name))
		return
	}
	r.page.Code = r.name + " = " + made
	if strings.Contains(made, "…") || strings.Contains(made, "lambda") {
		r.page.Lead = append(r.page.Lead, "Long arguments are cut in the line below, and functions are written by their names: take both from the script that made the value.")
	}
}

func (r *reporter) section(title string, rows []display.ReportRow, text ...string) *display.ReportSection {
	r.page.Sections = append(r.page.Sections, display.ReportSection{Title: title, Text: text, Rows: rows})
	return &r.page.Sections[len(r.page.Sections)-1]
}

// row returns a row of the page: a number with its description, its source and its line of script.
func (r *reporter) row(what string, n evidence.Number, line string) display.ReportRow {
	value, known, _ := strings.Cut(n.String(), " (")
	return display.ReportRow{What: what, Value: value, Known: strings.TrimSuffix(known, ")"), Source: n.Origin(), Line: r.name + "." + line}
}

// maskPasswords masks passwords before the page is written in any format. A dataset may be named by the URL of a
// database.
func (r *reporter) maskPasswords() {
	p := r.page
	texts := []*string{&p.Title, &p.Code}
	for i := range p.Lead {
		texts = append(texts, &p.Lead[i])
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		for j := range s.Text {
			texts = append(texts, &s.Text[j])
		}
		for j := range s.Rows {
			row := &s.Rows[j]
			texts = append(texts, &row.What, &row.Value, &row.Known, &row.Source, &row.Line)
		}
	}
	for _, text := range texts {
		*text = redact.Text(*text)
	}
}

// promise is a claimed ε at a δ; δ is nil if it is 0.
type promise struct {
	epsilon evidence.Number
	delta   *big.Rat
}

// promised returns what the maker of the value claims, or nil.
func (r *reporter) promised() *promise {
	v := r.Self().(*script.Object).Inner()
	if x, ok := v.(interface {
		Guarantee() (evidence.Epsilon, evidence.Delta)
	}); ok {
		if eps, delta := x.Guarantee(); !delta.IsZero() {
			return &promise{eps.Number(), delta.Rat()}
		}
	}
	if x, ok := v.(interface{ promised() *promise }); ok {
		return x.promised()
	}
	if x, ok := v.(interface{ ClaimedEpsilon() evidence.Number }); ok && x.ClaimedEpsilon().Kind() == evidence.KindClaimed {
		return &promise{x.ClaimedEpsilon(), nil} // a smallest ε is computed, not claimed
	}
	return nil
}

// promised returns the claim of a design's condition, or nil if its covariances were given.
func (d *design) promised() *promise {
	if claimed, ok := d.ClaimedEpsilon(); ok && d.delta != nil {
		return &promise{claimed, d.delta.Rat()}
	}
	return nil
}

// compared returns a sentence that says whether the computed number n is within the claim.
func compared(n, claimed evidence.Number, what string) string {
	if c, ok := claimed.(evidence.Claimed); ok && !c.Epsilon.IsZero() && c.Epsilon.Value() == c.Value {
		claimed = c.Epsilon.Number() // as given, before rounding
	}
	switch ways := evidence.Relate(n, claimed); {
	case ways == evidence.Greater:
		return "What is claimed does not hold: " + what + " is larger."
	case ways&evidence.Greater == 0:
		return "What is claimed holds: " + what + " is no larger."
	}
	return "What is claimed lies within the ends of " + what + ": it holds to the digits that are computed."
}

// spelled returns an ε as a script writes it.
func spelled(eps evidence.Epsilon) string {
	text := eps.Text()
	if !strings.Contains(text, "/") {
		return text
	}
	if inner, ok := strings.CutPrefix(text, "ln("); ok {
		return `ln("` + strings.TrimSuffix(inner, ")") + `")`
	}
	return strconv.Quote(text)
}

// privacy writes the claimed and the true privacy.
func (r *reporter) privacy() {
	var rows []display.ReportRow
	var text []string
	smallest := must(r.a.Epsilon(r.Context, evidence.Delta{}))
	self := r.Self().(*script.Object).Inner()
	d, ofDesign := self.(*design)
	p := r.promised()
	switch {
	case p == nil:
		if r.m != nil || ofDesign {
			text = append(text, "Nothing is claimed.")
		}
	case ofDesign:
		at := evidence.FormatFloat(d.delta.Value(), -1)
		rows = append(rows, r.row("claimed ε at δ = "+at, p.epsilon, "claimed_epsilon"))
		text = append(text, compared(must(r.a.Epsilon(r.Context, *d.delta)), p.epsilon, "the smallest ε at this δ"))
	case p.delta != nil:
		eps := p.epsilon.(evidence.InputEpsilon).Epsilon
		text = append(text, fmt.Sprintf("What is claimed is (%s, %s)-differential privacy, and no ε at δ = 0.", eps, p.delta.RatString()))
		delta := must(r.a.Delta(r.Context, eps))
		text = append(text, compared(delta, self.(*optimize.Optimal).GuaranteedDelta(), "δ at that ε"))
		rows = append(rows, r.row("δ at the claimed ε = "+eps.String(), delta, "delta_at("+spelled(eps)+")"))
	default:
		if math.IsInf(p.epsilon.Float(), 1) {
			text = append(text, "No ε at δ = 0 is claimed.")
			break
		}
		rows = append(rows, r.row("claimed ε", p.epsilon, "claimed_epsilon"))
		text = append(text, compared(smallest, p.epsilon, "the smallest ε"))
	}
	switch {
	case ofDesign && d.delta != nil:
		rows = append(rows, r.row("smallest ε at δ = "+evidence.FormatFloat(d.delta.Value(), -1), must(r.a.Epsilon(r.Context, *d.delta)), "smallest_epsilon"))
		fallthrough
	case ofDesign:
		rows = append(rows, r.row("ε at δ = 0", smallest, "epsilon_at(0)"))
	default:
		rows = append(rows, r.row("smallest ε", smallest, "smallest_epsilon"))
	}
	if smallest.Float() > 0 {
		rows = append(rows, r.row("ε at δ = 1e-6", must(r.a.Epsilon(r.Context, must(evidence.NewDelta("delta", 1e-6)))), "epsilon_at(1e-6)"))
		rows = append(rows, r.row("ρ of zCDP", must(r.a.ZCDP(r.Context)), "zcdp"), r.row("μ of GDP", must(r.a.GDP(r.Context)), "gdp"))
	}
	r.section("Privacy", rows, text...)
}

// curve plots δ over ε, around the claimed ε.
func (r *reporter) curve() {
	const points = 33
	var claimed *evidence.Epsilon
	if p := r.promised(); p != nil && p.delta != nil {
		if given, ok := p.epsilon.(evidence.InputEpsilon); ok {
			claimed = &given.Epsilon
		}
	}
	var eps, delta []float64
	var err error
	if claimed != nil {
		eps, delta, err = r.a.ProfilePointsTo(r.Context, min(2*claimed.Value(), math.MaxFloat64), points)
	} else {
		eps, delta, err = r.a.ProfilePoints(r.Context, points)
	}
	stop(err)
	var rows []display.ReportRow
	for i := range 5 {
		at := eps[(points-1)*i/4]
		text := evidence.FormatFloat(at, 3)
		var e evidence.Epsilon
		switch {
		case at == 0:
			text = "0"
		case claimed != nil && i == 2:
			continue // already shown above
		default:
			e = must(evidence.NewEpsilon("eps", must(strconv.ParseFloat(text, 64))))
		}
		rows = append(rows, r.row("δ at ε = "+text, must(r.a.Delta(r.Context, e)), "delta_at("+text+")"))
	}
	s := r.section("The curve δ(ε)", rows)
	spec := display.LineSpec{XLabel: "ε (nats)", YLabel: "δ", Series: []display.Series{{X: eps, Y: delta}}}
	if slices.Max(delta) == slices.Min(delta) {
		spec.YLimits = &[2]float64{0, 1}
	}
	s.Plot = must(display.NewLinePlot(spec))
}

// worst writes the pair with the largest privacy loss.
func (r *reporter) worst() {
	w := must(r.a.Worst(r.Context, nil))
	text := "No dataset stands out: one pair of laws is the worst for all of them."
	if w.X != nil {
		text = fmt.Sprintf("The datasets %v (the true one) and %v.", w.X, w.Y)
	}
	if r.m != nil {
		x, okX := w.X.(query.Dataset)
		y, okY := w.Y.(query.Dataset)
		if q := r.m.Query(); okX && okY {
			text += fmt.Sprintf(" Their values are %v and %v.", valueText(q.Value(x.Index)), valueText(q.Value(y.Index)))
		}
	}
	if len(w.Outputs) > 0 {
		const most = 8
		var outputs []string
		for _, o := range w.Outputs[:min(most, len(w.Outputs))] {
			if v, ok := o.(query.Value); ok {
				o = valueText(v)
			}
			outputs = append(outputs, fmt.Sprint(o))
		}
		if len(w.Outputs) > most {
			outputs = append(outputs, fmt.Sprintf("… (%d)", len(w.Outputs)))
		}
		text += " Outputs of the largest loss: " + strings.Join(outputs, ", ") + "."
	}
	r.section("Where most is revealed", []display.ReportRow{r.row("largest loss", w.Loss, "worst().loss")}, text)
}

// valueText writes integers with all digits, as tables do.
func valueText(v query.Value) string {
	if q, ok := query.RationalOf(v); ok && q.IsInt() {
		return q.Num().String()
	}
	return v.String()
}

// utility writes the errors of the answers.
func (r *reporter) utility() {
	if r.m == nil {
		return
	}
	q := r.m.Query()
	all := must(mechanism.Distortions(r.Context, r.m))
	x := slices.Index(all, slices.Max(all))
	dataset := script.Brief(script.ToValue(scriptPlace(q.Space().Dataset(x))))
	r.section("Distortion", []display.ReportRow{
		r.row("expected, uniform prior", must(mechanism.ExpectedDistortion(r.Context, r.m, nil)), "expected_distortion()"),
		r.row("largest, at dataset "+dataset, mechanism.Distortion(r.m, x), "distortion("+dataset+")"),
		r.row("sensitivity of the query", q.Sensitivity(), "query.sensitivity"),
	})
}

// optimum writes how far the mechanism is from the best one at the same ε.
func (r *reporter) optimum() {
	if r.m == nil {
		return
	}
	const title = "Distance to the optimum"
	q := r.m.Query()
	variables := q.Size() * len(q.Range())
	switch {
	case r.Given("optimum") && !r.Bool("optimum"):
		r.section(title, nil, "Not computed: optimum=False was asked for.")
		return
	case !r.Given("optimum") && variables > affordable:
		r.section(title, nil, fmt.Sprintf("Not computed: the linear program has %d variables, and more than %d take long. report(optimum=True) solves it, and optimal(q, eps, seconds=60) encloses the optimum in a time that you set.", variables, affordable))
		return
	case math.IsInf(must(r.a.Epsilon(r.Context, evidence.Delta{})).Float(), 1):
		r.section(title, nil, "Not computed: no ε is finite, so there is no optimum at the same ε.")
		return
	case r.promised() != nil && r.promised().delta != nil:
		r.section(title, nil, "Not computed: the claim is (ε, δ), and the optimum at the smallest ε for δ = 0 has another guarantee.")
		return
	}
	ratio, err := optimize.RatioToOptimum(r.Context, r.m)
	if err != nil {
		stop(r.Context.Err())
		r.section(title, nil, fmt.Sprintf("Not computed: %v.", err))
		return
	}
	row := r.row("expected distortion over the optimum's", ratio, "")
	row.Line = fmt.Sprintf("compare(%s, %[1]s).ratio_to_optimum", r.name)
	r.section(title, []display.ReportRow{row}, "1 where no mechanism on this range does better at the same smallest ε, under a uniform prior.")
}
