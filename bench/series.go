package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// point is ours at one size.
type point struct {
	row, unit     string
	n             int
	size, seconds float64
	expected      float64
}

// measureSeries measures ours at every size, the median of three rounds.
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

// writeSeries writes points for notebooks/performance.star: the work's size in its unit, and seconds of the whole.
func writeSeries(points []point) []byte {
	var b strings.Builder
	b.WriteString("row,unit,n,size,seconds,expected\n")
	for _, p := range points {
		fmt.Fprintf(&b, "%s,%s,%d,%g,%.4g,%g\n", p.row, p.unit, p.n, p.size, p.seconds, p.expected)
	}
	return []byte(b.String())
}
