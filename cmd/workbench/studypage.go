package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/display"
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

type chart struct {
	Title                  string
	Width, Height          float64
	Points                 []point
	Path                   string // of the best so far
	Left, Right, Low, High string // ends of the axes
}

type point struct {
	X, Y  float64
	Label string
}

type parallel struct {
	Width, Height float64
	Axes          []axis
	Lines         []line
}

type axis struct {
	X    float64
	Name string
}

type line struct{ Path, Color, Label string }

func newStudyPage(ctx context.Context, storage *study.Storage, name string) (*studyPage, error) {
	p := &studyPage{Storage: storage.Name(), Name: name}
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
		v := newValues(done)
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
				cell = fmt.Sprint(x)
			}
			row = append(row, cell)
		}
		p.Rows = append(p.Rows, append(row, r.Reason))
	}
	return p, nil
}

// values is the range of the values of some trials.
type values struct{ lo, hi float64 }

func newValues(done []study.Result) values {
	v := values{math.Inf(1), math.Inf(-1)}
	for _, r := range done {
		v.lo, v.hi = min(v.lo, r.Value), max(v.hi, r.Value)
	}
	return v
}

// height places a value: 0 is the largest, 1 the smallest.
func (v values) height(value float64) float64 {
	if !(v.hi-v.lo > 0) || math.IsInf(v.hi-v.lo, 0) {
		return 0.5
	}
	return (v.hi - value) / (v.hi - v.lo)
}

func (v values) chart(title string, width float64) *chart {
	return &chart{Title: title, Width: width, Height: chartHeight, Low: display.Number(v.lo, 4), High: display.Number(v.hi, 4)}
}

// history draws the value of every trial, and the best so far.
func history(done []study.Result, v values, maximize bool) *chart {
	c := v.chart("History", chartWidth)
	last := done[len(done)-1].Number
	c.Left, c.Right = "trial 0", fmt.Sprintf("trial %d", last)
	best := done[0].Value
	for i, r := range done {
		x := chartWidth * float64(r.Number) / float64(max(last, 1))
		if (maximize && r.Value > best) || (!maximize && r.Value < best) {
			best = r.Value
		}
		y := chartHeight * v.height(best)
		if i == 0 {
			c.Path = fmt.Sprintf("M%.1f %.1f", x, y)
		} else {
			c.Path += fmt.Sprintf("H%.1fV%.1f", x, y)
		}
		c.Points = append(c.Points, point{x, chartHeight * v.height(r.Value), label(r)})
	}
	return c
}

// slice draws a parameter against the value.
func slice(done []study.Result, v values, name string) *chart {
	c := v.chart(name, sliceWidth)
	c.Left, c.Right = "low", "high"
	for _, r := range done {
		if u, ok := r.Coordinates[name]; ok {
			c.Points = append(c.Points, point{sliceWidth * u, chartHeight * v.height(r.Value), label(r)})
		}
	}
	return c
}

// coordinates draws a line for every trial through its parameters and value.
func coordinates(done []study.Result, v values, names []string, maximize bool) *parallel {
	p := &parallel{Width: chartWidth, Height: chartHeight}
	step := chartWidth / float64(max(len(names), 1))
	for i, name := range names {
		p.Axes = append(p.Axes, axis{float64(i) * step, name})
	}
	p.Axes = append(p.Axes, axis{float64(len(names)) * step, "value"})
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
