package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/display"
	"dpworkbench/internal/redact"
	"dpworkbench/repl"
	"dpworkbench/study"
)

// studyPage is what the template shows: a list of studies, or one study.
type studyPage struct {
	Storage string
	Names   []string // of the studies, where no one is chosen
	Name    string
	Counts  string
	Best    string
	Live    bool
	Scale   string // what was asked for: "linear", "log" or ""
	Log     bool   // the scale that is shown
	History *chart
	Slices  []*chart  // a parameter against the value
	Lines   *parallel // parallel coordinates
	Header  []string
	Rows    [][]string
}

// A chart is drawn in a box of chartWidth × chartHeight, y downwards.
const (
	chartWidth, chartHeight = 640.0, 240.0
	sliceWidth              = 320.0
)

// character is the width of one in a label.
const character = 6.5

type chart struct {
	Title         string
	Width, Height float64
	Points        []point
	Path          string // of the best so far
	XAxis, YAxis  []mark
	XLabel, Note  string
}

// mark is a number or a name on an axis.
type mark struct {
	At    float64
	Label string
}

type point struct {
	X, Y  float64
	Label string
	Out   bool // beyond the scale: it stands at the edge
}

type parallel struct {
	Width, Height float64
	Axes          []axis
	Lines         []line
}

type axis struct {
	X     float64
	Name  string
	Marks []mark
}

type line struct{ Path, Color, Label string }

// newStudyPage shows a study, or the list of them where name is "". scale is "linear" or
// "log", for the values, and "" where they choose.
func newStudyPage(ctx context.Context, storage *study.Storage, name, scale string) (*studyPage, error) {
	p := &studyPage{Storage: storage.Name(), Name: name, Scale: scale}
	if name == "" {
		names, err := storage.Names(ctx)
		p.Names = names
		return p, err
	}
	s, err := study.Load(ctx, storage, name)
	if err != nil {
		return nil, err
	}
	results, err := s.Results(ctx)
	if err != nil {
		return nil, err
	}
	c := tally(results)
	p.Counts = fmt.Sprintf("%s: %d complete, %d failed, %d running, %d waiting", direction(s), c["complete"], c["failed"], c["running"], c["waiting"])
	p.Live = c["running"]+c["waiting"] > 0
	p.Best = repl.Best(ctx, s)
	names := parameterNames(results)
	var done []study.Result
	for _, r := range results {
		if r.State == "complete" {
			done = append(done, r)
		}
	}
	if len(done) > 0 {
		v := newValues(done, s.Maximizes(), scale)
		p.Log = v.Log
		p.History = history(done, v, s.Maximizes())
		for _, name := range names {
			p.Slices = append(p.Slices, slice(done, v, name))
		}
		p.Lines = coordinates(done, v, names, s.Maximizes())
	}
	p.Header = append([]string{"trial", "state", "value"}, append(names, "reason")...)
	for _, r := range slices.Backward(results) {
		value := ""
		if r.State == "complete" {
			value = display.Number(r.Value, 8)
		}
		row := []string{fmt.Sprint(r.Number), r.State, value}
		for _, name := range names {
			cell := ""
			switch x := r.Params[name].(type) {
			case nil:
			case float64:
				cell = display.Number(x, 8)
			default:
				cell = redact.Text(fmt.Sprint(x))
			}
			row = append(row, cell)
		}
		p.Rows = append(p.Rows, append(row, r.Reason))
	}
	return p, nil
}

// values is how the values of some trials are drawn.
type values struct{ study.Scale }

func newValues(done []study.Result, maximize bool, scale string) values {
	var all []float64
	for _, r := range done {
		all = append(all, r.Value)
	}
	var log *bool
	if scale != "" {
		asked := scale == "log"
		log = &asked
	}
	return values{study.NewScale(all, maximize, log)}
}

// height places a value: 0 is the top of the scale, 1 the bottom.
func (v values) height(value float64) float64 { return 1 - v.At(value) }

// marks are the numbers beside a vertical axis.
func (v values) marks() []mark {
	out := []mark{}
	for _, t := range display.Ticks(v.Lo, v.Hi, v.Log, 6) {
		out = append(out, mark{chartHeight * v.height(t.Value), t.Label})
	}
	if len(out) < 2 { // all values are nearly the same
		out = []mark{{chartHeight * v.height(v.Lo), display.Number(v.Lo, 6)}}
		if v.Hi > v.Lo {
			out = append(out, mark{chartHeight * v.height(v.Hi), display.Number(v.Hi, 6)})
		}
	}
	return out
}

func (v values) chart(title string, width float64) *chart {
	c := &chart{Title: title, Width: width, Height: chartHeight, YAxis: v.marks()}
	if v.Log {
		c.Note = "logarithmic"
	}
	for _, out := range []struct {
		n    int
		side string
		end  float64
	}{{v.Above, "above", v.Hi}, {v.Below, "below", v.Lo}} {
		if out.n > 0 {
			if c.Note != "" {
				c.Note += "; "
			}
			c.Note += fmt.Sprintf("%d %s %s, drawn at the edge", out.n, out.side, display.Number(out.end, 4))
		}
	}
	return c
}

func (v values) point(x float64, r study.Result) point {
	return point{x, chartHeight * v.height(r.Value), label(r), !v.Shows(r.Value)}
}

// history draws the value of every trial, and the best so far.
func history(done []study.Result, v values, maximize bool) *chart {
	c := v.chart("History", chartWidth)
	c.XLabel = "trial"
	last := done[len(done)-1].Number
	across := func(n float64) float64 { return chartWidth * n / float64(max(last, 1)) }
	for _, t := range display.Ticks(0, float64(last), false, 10) {
		if t.Value == math.Trunc(t.Value) {
			c.XAxis = append(c.XAxis, mark{across(t.Value), display.Number(t.Value, 10)})
		}
	}
	best := done[0].Value
	for i, r := range done {
		x := across(float64(r.Number))
		if (maximize && r.Value > best) || (!maximize && r.Value < best) {
			best = r.Value
		}
		y := chartHeight * v.height(best)
		if i == 0 {
			c.Path = fmt.Sprintf("M%.1f %.1f", x, y)
		} else {
			c.Path += fmt.Sprintf("H%.1fV%.1f", x, y)
		}
		c.Points = append(c.Points, v.point(x, r))
	}
	return c
}

// rangeMarks are the numbers or the names along the axis of a parameter, at most so many,
// at their coordinates times length, and names with at most so many characters.
func rangeMarks(r study.Range, length float64, most, longest int) []mark {
	out := []mark{}
	if r.Choices != nil {
		every := (len(r.Choices) + most - 1) / most
		for i := 0; i < len(r.Choices); i += every {
			name := []rune(redact.Text(r.Choices[i]))
			if len(name) > longest {
				name = append(name[:max(longest-1, 1)], '…')
			}
			out = append(out, mark{length * r.At(float64(i)), string(name)})
		}
		return out
	}
	for _, t := range display.Ticks(r.Low, r.High, r.Log, most) {
		if !r.Whole || t.Value == math.Trunc(t.Value) {
			text := t.Label
			if r.Whole {
				text = display.Number(t.Value, 10)
			}
			out = append(out, mark{length * r.At(t.Value), text})
		}
	}
	if len(out) == 0 {
		out = append(out, mark{length * r.At(r.Low), display.Number(r.Low, 6)})
		if r.High > r.Low {
			out = append(out, mark{length * r.At(r.High), display.Number(r.High, 6)})
		}
	}
	return out
}

// rangeIn returns the range of a parameter, by the first trial that has it.
func rangeIn(done []study.Result, name string) (study.Range, bool) {
	for _, r := range done {
		if x, ok := r.Ranges[name]; ok {
			return x, true
		}
	}
	return study.Range{}, false
}

// slice draws a parameter against the value.
func slice(done []study.Result, v values, name string) *chart {
	c := v.chart(name, sliceWidth)
	c.XLabel = name
	if r, ok := rangeIn(done, name); ok {
		const most = 6 // numbers or names; 49 characters fit beside each other
		shown := max(min(most, len(r.Choices)), 1)
		c.XAxis = rangeMarks(r, sliceWidth, most, 49/shown-1)
		if r.Log {
			c.XLabel += ", logarithmic"
		}
	}
	for _, r := range done {
		if u, ok := r.Coordinates[name]; ok {
			c.Points = append(c.Points, v.point(sliceWidth*u, r))
		}
	}
	return c
}

// coordinates draws a line for every trial through its parameters and value.
func coordinates(done []study.Result, v values, names []string, maximize bool) *parallel {
	p := &parallel{Width: chartWidth, Height: chartHeight}
	step := chartWidth / float64(max(len(names), 1))
	for i, name := range names {
		a := axis{X: float64(i) * step, Name: name}
		if r, ok := rangeIn(done, name); ok {
			a.Marks = rangeMarks(r, chartHeight, 8, max(int(step/character)-2, 3))
			for k := range a.Marks {
				a.Marks[k].At = chartHeight - a.Marks[k].At
			}
		}
		p.Axes = append(p.Axes, a)
	}
	p.Axes = append(p.Axes, axis{X: float64(len(names)) * step, Name: "value", Marks: v.marks()})
	for _, r := range done {
		path, command := "", "M"
		for i, name := range names {
			if u, ok := r.Coordinates[name]; ok {
				path += fmt.Sprintf("%s%.1f %.1f", command, float64(i)*step, chartHeight*(1-u))
				command = "L"
			}
		}
		path += fmt.Sprintf("%s%.1f %.1f", command, float64(len(names))*step, chartHeight*v.height(r.Value))
		good := v.height(r.Value)
		if maximize {
			good = 1 - good
		}
		p.Lines = append(p.Lines, line{path, fmt.Sprintf("hsl(%.0f 70%% 45%%)", 220-200*(1-good)), label(r)})
	}
	return p
}

func label(r study.Result) string {
	return fmt.Sprintf("trial %d: %s; %s", r.Number, display.Number(r.Value, 6), repl.Parameters(r.Params))
}

// What a chart takes with the room for its numbers.
const roomLeft, roomAbove, roomRight, roomBelow = 64.0, 10.0, 20.0, 38.0

// OuterWidth, OuterHeight, ViewBox and Middle place a chart in its picture.
func (c *chart) OuterWidth() float64  { return c.Width + roomLeft + roomRight }
func (c *chart) OuterHeight() float64 { return c.Height + roomAbove + roomBelow }
func (c *chart) ViewBox() string      { return viewBox(c.OuterWidth(), c.OuterHeight()) }
func (c *chart) Middle() float64      { return c.Width / 2 }

// OuterWidth, OuterHeight and ViewBox place the axes in their picture; the last has its
// numbers on the right.
func (p *parallel) OuterWidth() float64  { return p.Width + 2*roomLeft }
func (p *parallel) OuterHeight() float64 { return p.Height + roomAbove + roomBelow }
func (p *parallel) ViewBox() string      { return viewBox(p.OuterWidth(), p.OuterHeight()) }

func viewBox(width, height float64) string {
	return fmt.Sprintf("%g %g %g %g", -roomLeft, -roomAbove, width, height)
}
