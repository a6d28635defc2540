package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// task does the work of a row once, after all preparations, and returns a number that it computed. On an error it
// panics (must), as a benchmark does, and the worker reports it.
type task func() float64

// comparison is a row of the table: a piece of our work, and the peers that do the same work.
type comparison struct {
	name, work string // the row's name, and its work with %d for the size
	n, quick   int    // the size, and the size for --quick
	each       bool   // the work is n questions, and the time of one is reported
	run        func(ctx context.Context, n int) task
	script     *scripted // nil if only Go is measured
	peers      []peer
	input      func(ctx context.Context, n int) any // the JSON input of a Python peer
	agree      float64                              // largest relative difference of a peer's number from ours; 0 if not compared
	above      bool                                 // peers' numbers are upper bounds, so none may be below ours
	truth      float64                              // true value at the full size; 0 if the page shows no values
	optimum    float64                              // lower bound of errors at the full size; 0 if the page shows none
	needs      func(n int) load
	slow       bool   // too slow for tests
	memory     bool   // show the peak memory in the table
	asked      string // the goal
	series     *series
	tags       string // build tags of a separate build; "" if none is needed
}

// scripted is the work as a script. The variable n is its size, and setup runs once.
type scripted struct{ setup, statement string }

// peer is another implementation: a function of a module of bench/peers, or of Go.
type peer struct {
	name, module, function string
	run                    func(ctx context.Context, n int) task
}

// series is a list of sizes at which our time is measured. The time is expected to grow as amount(n) to the power
// expected.
type series struct {
	sizes    []int
	unit     string
	amount   func(n int) float64 // nil means n itself
	expected float64
}

// load is the least work that a task needs: bytes moved in memory, standard normal numbers, and multiply-adds.
type load struct{ bytes, normals, products float64 }

// times holds the measurements of a side: the seconds of each run, its number and its peak memory.
type times struct {
	label      string // name and version of the program
	seconds    []float64
	processors []float64 // processor time of each run, summed over the processors
	value      float64
	bytes      float64
	absent     string // why the side is absent; "" if it is not
	failed     bool   // the side is absent because it failed
}

func (t *times) median() float64 { return quantile(t.seconds, .5) }

func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(x))
	at := q * float64(len(s)-1)
	i := min(int(at), len(s)-2)
	if len(s) == 1 {
		return s[0]
	}
	return s[i] + (at-float64(i))*(s[i+1]-s[i])
}

// result is the result of a comparison.
type result struct {
	*comparison
	size         int
	ours, script *times // script is nil if there is none
	peers        []*times
}

func (r result) fails() bool {
	return slices.ContainsFunc(append([]*times{r.ours, r.script}, r.peers...), func(t *times) bool { return t != nil && t.failed })
}

const leftOut = "left out of this run"

// leftOut returns the row of a comparison that is not measured.
func (c *comparison) leftOut() result {
	r := result{comparison: c, size: c.n, ours: &times{absent: leftOut}}
	for _, p := range c.peers {
		r.peers = append(r.peers, &times{label: p.name, absent: leftOut})
	}
	return r
}

// measure starts the processes of all sides and runs them in turn.
func (c *comparison) measure(ctx context.Context, e *environment, o options) (result, error) {
	r := result{comparison: c, size: c.n}
	if o.quick {
		r.size = c.quick
	}
	var sides []*side
	defer func() {
		for _, s := range sides {
			s.close()
		}
	}()
	open := func(label string, command []string, input any, limit time.Duration) *times {
		s := start(ctx, label, command, input, limit)
		sides = append(sides, s)
		return &s.times
	}
	own, err := e.binary(ctx, c.tags)
	if err != nil {
		r.ours = &times{absent: oneLine(err.Error())}
		return r, ctx.Err()
	}
	size := fmt.Sprint(r.size)
	r.ours = open("Go", []string{own, workerWord, "go", c.name, size}, nil, 0)
	if c.script != nil {
		r.script = open("script", []string{own, workerWord, "script", c.name, size}, nil, 0)
	}
	for i, p := range c.peers {
		if p.run != nil {
			r.peers = append(r.peers, open(p.name, []string{own, workerWord, fmt.Sprint(i), c.name, size}, nil, o.patience))
			continue
		}
		var input any
		if c.input != nil {
			input = c.input(ctx, r.size)
		}
		r.peers = append(r.peers, open(p.name, []string{e.python, "bench/peers/worker.py", p.module, p.function, size}, input, o.patience))
	}
	if err := alternate(ctx, sides, o); err != nil {
		return r, err
	}
	for i, t := range append([]*times{r.script}, r.peers...) {
		if t == nil || len(t.seconds) == 0 || len(r.ours.seconds) == 0 {
			continue
		}
		agree := c.agree
		if i == 0 && agree > 0 {
			agree = 1e-12 // rounding differences only
		}
		off := t.value - r.ours.value
		if agree > 0 && !(math.Abs(off) <= agree*math.Abs(r.ours.value)) || c.above && off < -1e-9*math.Abs(r.ours.value) {
			t.failed, t.absent = true, fmt.Sprintf("says %g, ours %g", t.value, r.ours.value)
		}
	}
	if c.each {
		for _, t := range append([]*times{r.ours, r.script}, r.peers...) {
			if t != nil {
				for i := range t.seconds {
					t.seconds[i] /= float64(r.size)
				}
			}
		}
	}
	return r, nil
}

// alternate runs every side once per round. A first run of less than five seconds warms up and does not count.
func alternate(ctx context.Context, sides []*side, o options) error {
	begun := time.Now()
	for round := 0; ; round++ {
		for _, s := range sides {
			if err := s.once(ctx, round == 0); err != nil {
				return err
			}
		}
		done := slices.ContainsFunc(sides, func(s *side) bool { return s.running() }) // is a side still running?
		for _, s := range sides {
			if !s.running() {
				continue
			}
			n := len(s.times.seconds)
			done = done && n > 0 && (n >= o.rounds || o.spend > 0 && time.Since(begun) > o.spend)
		}
		if done || !slices.ContainsFunc(sides, func(s *side) bool { return s.running() }) {
			return ctx.Err()
		}
	}
}

// must returns v, and panics if err is not nil.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// point is the measured time at one size.
type point struct {
	row, unit     string
	n             int
	size, seconds float64
	expected      float64
}

// measureSeries returns the median of three rounds at every size.
func (c *comparison) measureSeries(ctx context.Context, e *environment, o options) (points []point, err error) {
	o.rounds = 3
	for _, n := range c.series.sizes {
		if o.quick && n > c.quick {
			break
		}
		own, err := e.binary(ctx, c.tags)
		if err != nil {
			return points, ctx.Err()
		}
		s := start(ctx, "Go", []string{own, workerWord, "go", c.name, strconv.Itoa(n)}, nil, 0)
		err = alternate(ctx, []*side{s}, o)
		s.close()
		if err != nil {
			return nil, err
		}
		if len(s.times.seconds) == 0 {
			return points, fmt.Errorf("%s at %d: %s", c.name, n, s.times.absent)
		}
		amount := float64(n)
		if c.series.amount != nil {
			amount = c.series.amount(n)
		}
		points = append(points, point{c.name, c.series.unit, n, amount, s.times.median(), c.series.expected})
	}
	return points, nil
}

// writeSeries returns the rows of series.csv for notebooks/performance.star: the size in its unit, and the seconds of
// the whole run.
func writeSeries(points []point) []byte {
	var b strings.Builder
	b.WriteString("row,unit,n,size,seconds,expected\n")
	for _, p := range points {
		fmt.Fprintf(&b, "%s,%s,%d,%g,%.4g,%g\n", p.row, p.unit, p.n, p.size, p.seconds, p.expected)
	}
	return []byte(b.String())
}
