package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dpworkbench/display"
	"dpworkbench/study"
)

// Charts place values between the largest, at the top, and the smallest, and parameters
// from left to right; what all trials share lies in the middle.
func TestCharts(t *testing.T) {
	var done []study.Result
	for i, v := range []float64{3, 1, 5, 1.5} {
		done = append(done, study.Result{Number: 2 * i, Value: v, Coordinates: map[string]float64{"a": float64(i) / 3}})
	}
	done[2].Coordinates = map[string]float64{"b": 0.5}
	v := newValues(done, false, "")
	if v.Scale != (study.Scale{Lo: 1, Hi: 5}) {
		t.Errorf("the values are drawn as %+v", v)
	}
	for value, want := range map[float64]float64{5: 0, 1: 1, 3: 0.5, 2: 0.75} {
		if got := v.height(value); got != want {
			t.Errorf("%v is at %v of the height, want %v", value, got, want)
		}
	}
	for _, same := range []study.Scale{{Lo: 2, Hi: 2}, {Lo: math.Inf(-1), Hi: 1}, {Lo: math.Inf(1), Hi: math.Inf(-1)}, {Lo: -math.MaxFloat64, Hi: math.MaxFloat64}} {
		if got := (values{same}).height(2); got != 0.5 {
			t.Errorf("%v: 2 is at %v of the height", same, got)
		}
	}
	for maximize, best := range map[bool][]float64{false: {3, 1, 1, 1}, true: {3, 3, 5, 5}} {
		c := history(done, v, maximize)
		if c.XAxis[0] != (mark{0, "0"}) || c.XAxis[len(c.XAxis)-1] != (mark{chartWidth, "6"}) || c.YAxis[0] != (mark{chartHeight, "1"}) || c.YAxis[len(c.YAxis)-1] != (mark{0, "5"}) || c.Width != chartWidth || c.Height != chartHeight {
			t.Errorf("the axes are %+v and %+v", c.XAxis, c.YAxis)
		}
		if n := strings.Count(c.Path, "H"); n != len(done)-1 || !strings.HasPrefix(c.Path, "M0.0 ") {
			t.Errorf("the path is %s", c.Path)
		}
		for i, p := range c.Points {
			if p.X != chartWidth*float64(i)/3 || p.Y != chartHeight*(5-done[i].Value)/4 || !strings.HasPrefix(p.Label, "trial ") {
				t.Errorf("trial %d is at %+v", i, p)
			}
			if at := chartHeight * (5 - best[i]) / 4; !strings.Contains(c.Path, map[bool]string{true: " ", false: "V"}[i == 0]+fixed(at)) {
				t.Errorf("maximize %t: the best after trial %d is not at %v in %s", maximize, i, at, c.Path)
			}
		}
	}
	c := slice(done, v, "a")
	if len(c.Points) != 3 || c.Width != sliceWidth || c.XLabel != "a" || c.XAxis != nil {
		t.Errorf("the slice is %+v", c)
	}
	for i, k := range []int{0, 1, 3} {
		if p := c.Points[i]; p.X != sliceWidth*(float64(k)/3) || p.Y != chartHeight*(5-done[k].Value)/4 {
			t.Errorf("trial %d is at %+v of the slice", k, p)
		}
	}
	p := coordinates(done, v, []string{"a", "b"}, false)
	if len(p.Axes) != 3 || p.Axes[1].X != chartWidth/2 || p.Axes[2].X != chartWidth || p.Axes[2].Name != "value" || len(p.Lines) != 4 {
		t.Fatalf("the axes are %+v", p.Axes)
	}
	for i, want := range []string{
		"M0.0 " + fixed(chartHeight) + "L" + fixed(chartWidth) + " " + fixed(chartHeight/2), "M0.0 " + fixed(chartHeight*2/3) + "L" + fixed(chartWidth) + " " + fixed(chartHeight),
		"M" + fixed(chartWidth/2) + " " + fixed(chartHeight/2) + "L" + fixed(chartWidth) + " 0.0", "M0.0 0.0L" + fixed(chartWidth) + " " + fixed(chartHeight*0.875),
	} {
		if p.Lines[i].Path != want {
			t.Errorf("the line of trial %d is %s, want %s", i, p.Lines[i].Path, want)
		}
	}
	if best, worst := p.Lines[1].Color, p.Lines[2].Color; best != "hsl(220 70% 45%)" || worst != "hsl(20 70% 45%)" {
		t.Errorf("the best is drawn in %s, the worst in %s", best, worst)
	}
	if most := coordinates(done, v, nil, true).Lines[2]; most.Color != "hsl(220 70% 45%)" {
		t.Errorf("the best of what is maximized is drawn in %s", most.Color)
	}
}

// The axes of parameters have their numbers and names where trials stand.
func TestAxesOfParameters(t *testing.T) {
	for _, c := range []struct {
		r    study.Range
		want []mark
	}{
		{study.Range{Low: 0, High: 2}, []mark{{0, "0.0"}, {25, "0.5"}, {50, "1.0"}, {75, "1.5"}, {100, "2.0"}}},
		{study.Range{Low: 0.01, High: 100, Log: true}, []mark{{0, "0.01"}, {25, "0.1"}, {50, "1"}, {75, "10"}, {100, "100"}}},
		{study.Range{Low: 1, High: 4, Whole: true}, []mark{{12.5, "1"}, {37.5, "2"}, {62.5, "3"}, {87.5, "4"}}},
		{study.Range{Choices: []string{"closure", "printed"}}, []mark{{25, "closu…"}, {75, "print…"}}},
		{study.Range{Low: 3, High: 3}, []mark{{50, "3"}}},
	} {
		got := rangeMarks(c.r, 100, 6, 6)
		for i := range got {
			got[i].At = math.Round(got[i].At*1e9) / 1e9
			got[i].Label = display.Number(number(got[i].Label), 6) + strings.TrimLeft(got[i].Label, "0123456789.")
			c.want[min(i, len(c.want)-1)].Label = display.Number(number(c.want[min(i, len(c.want)-1)].Label), 6) + strings.TrimLeft(c.want[min(i, len(c.want)-1)].Label, "0123456789.")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v has %+v, want %+v", c.r, got, c.want)
		}
	}
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprint("choice ", i)
	}
	if got := rangeMarks(study.Range{Choices: many}, 400, 6, 20); len(got) != 6 || got[1].Label != "choice 7" || got[1].At != 75 {
		t.Errorf("forty choices have %+v", got)
	}
}

// number reads a label, 0 where it is none.
func number(label string) float64 {
	v, _ := strconv.ParseFloat(label, 64)
	return v
}

// After its first failure a stream writes nothing, whoever writes, and says why.
func TestStreamsFailOnce(t *testing.T) {
	gone := errors.New("gone")
	calls := 0
	s := &stream{name: "standard output", out: writerFunc(func(p []byte) (int, error) {
		if calls++; calls > 3 {
			return 0, gone
		}
		return len(p), nil
	})}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := s.Write([]byte("x")); err != nil && (!errors.Is(err, gone) || !errors.Is(s.err(), gone)) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n, err := s.Write([]byte("x")); n != 0 || calls != 4 || err == nil || err.Error() != "standard output: gone" || !errors.Is(s.err(), gone) {
		t.Errorf("%d bytes of call %d, %v, %v", n, calls, err, s.err())
	}
}

func fixed(v float64) string { return fmt.Sprintf("%.1f", v) }

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The picture of a chart begins left of and above the chart, and has room for numbers on each side.
func TestRoomAroundCharts(t *testing.T) {
	c, p := &chart{Width: 300, Height: 100}, &parallel{Width: 300, Height: 100}
	if got := c.ViewBox(); got != "-64 -10 384 148" || c.OuterWidth() != 384 || c.OuterHeight() != 148 || c.Middle() != 150 {
		t.Errorf("a chart lies in %s, its middle at %v", got, c.Middle())
	}
	if got := p.ViewBox(); got != "-64 -10 428 148" || p.OuterWidth() != 428 || p.OuterHeight() != 148 {
		t.Errorf("axes lie in %s", got)
	}
}

// The numbers beside a chart stand at their heights: round ones, or where the values are too near each other or too far
// apart for such, the two ends, or the one value that all are.
func TestNumbersBesideCharts(t *testing.T) {
	next := math.Nextafter(1, 2)
	for _, c := range []struct {
		s    study.Scale
		want []mark
	}{
		{study.Scale{Lo: 1, Hi: 5}, []mark{{240, "1"}, {180, "2"}, {120, "3"}, {60, "4"}, {0, "5"}}},
		{study.Scale{Lo: 0.01, Hi: 100, Log: true}, []mark{{240, "0.01"}, {180, "0.1"}, {120, "1"}, {60, "10"}, {0, "100"}}},
		{study.Scale{Lo: 1, Hi: next}, []mark{{240, "1"}, {0, "1"}}},
		{study.Scale{Lo: 3, Hi: 3}, []mark{{120, "3"}}},
		{study.Scale{Lo: 2, Hi: math.Inf(1)}, []mark{{120, "2"}, {120, display.Number(math.Inf(1), 6)}}},
	} {
		got := (values{c.s}).marks()
		for i := range got {
			got[i].At = math.Round(got[i].At*1e9) / 1e9
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("beside %+v stand %+v, want %+v", c.s, got, c.want)
		}
	}
	done := []study.Result{{Value: 1}, {Number: 1, Value: next}}
	if c := history(done, newValues(done, false, ""), false); c.Points[0].Y != chartHeight || c.Points[1].Y != 0 {
		t.Errorf("two neighbors are drawn at %+v", c.Points)
	}
	if c := history(done[:1], newValues(done[:1], false, ""), false); c.Points[0].X != 0 || c.Points[0].Y != chartHeight/2 || c.Path != "M0.0 120.0" {
		t.Errorf("a trial alone is drawn at %+v", c.Points)
	}
}

// What lies beyond a chart is counted below it, by the end that it is drawn at.
func TestNotesOfCharts(t *testing.T) {
	for want, s := range map[string]study.Scale{
		"":                             {Lo: 1, Hi: 5},
		"logarithmic":                  {Lo: 1, Hi: 5, Log: true},
		"2 above 5, drawn at the edge": {Lo: 1, Hi: 5, Above: 2},
		"3 below 1, drawn at the edge": {Lo: 1, Hi: 5, Below: 3},
		"logarithmic; 2 above 5, drawn at the edge; 3 below 1, drawn at the edge": {Lo: 1, Hi: 5, Log: true, Above: 2, Below: 3},
	} {
		if got := (values{s}).chart("a", 100).Note; got != want {
			t.Errorf("the note of %+v is %q, want %q", s, got, want)
		}
	}
}

// Names of choices are cut to the room that each has: the 49 characters below a slice are shared by the names that are shown,
// six at most, with one left between two; an axis of parallel coordinates has what lies before the next, and three at least.
func TestRoomForNames(t *testing.T) {
	const long = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
	trial := func(choices, parameters int) ([]study.Result, []string) {
		names, ranges := make([]string, parameters), make(map[string]study.Range)
		for i := range names {
			names[i] = fmt.Sprint("p", i)
			ranges[names[i]] = study.Range{Choices: slices.Repeat([]string{long}, choices)}
		}
		return []study.Result{{Value: 1, Ranges: ranges}}, names
	}
	for choices, want := range map[int]int{1: 48, 2: 23, 3: 15, 6: 7, 12: 7} {
		done, names := trial(choices, 1)
		marks := slice(done, newValues(done, false, ""), names[0]).XAxis
		if got := marks[0].Label; len(marks) != min(choices, 6) || got != long[:want-1]+"…" {
			t.Errorf("of %d choices %d are named, the first %q of %d characters, want %d", choices, len(marks), got, len([]rune(got)), want)
		}
	}
	for parameters, want := range map[int]int{1: 96, 2: 47, 10: 7, 40: 3} { // 640/6.5 = 98.46, 49.2, 9.8, 2.46
		done, names := trial(2, parameters)
		axes := coordinates(done, newValues(done, false, ""), names, false).Axes
		if got := axes[0].Marks; len(axes) != parameters+1 || got[0] != (mark{180, long[:want-1] + "…"}) || got[1].At != 60 {
			t.Errorf("of %d parameters the first has %+v, want %d characters", parameters, got, want)
		}
	}
}
