package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dpworkbench/evidence"
)

// quantileEdges returns edges that part the draws used for the choice of
// events, those of all datasets together, into at most so many bins: each but the
// last holds at least its share.
func (d *drawn) quantileEdges(bins int) []float64 {
	weight := make([]int64, len(d.values))
	total := int64(0)
	for _, row := range d.tallies {
		for _, t := range row {
			if t.output < len(weight) {
				weight[t.output] += t.order + t.score
				total += t.order + t.score
			}
		}
	}
	var edges []float64
	inside := int64(0) // of the open bin
	for i, w := range weight {
		if w == 0 { // drawn in the part that tests alone: no edge may depend on that
			continue
		}
		if inside > 0 && float64(inside)*float64(bins) >= float64(total) {
			edges = append(edges, d.values[i])
			inside = 0
		}
		inside += w
	}
	return edges
}

// group replaces outputs that are numbers by the bins between ascending edges:
// below the first, [first, second), …, from the last on. Words stay.
func (d *drawn) group(edges []float64) *drawn {
	g := &drawn{tallies: make([][]tally, len(d.tallies))}
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for i := range len(edges) + 1 {
		switch {
		case len(edges) == 0:
			g.labels = append(g.labels, "any number")
		case i == 0:
			g.labels = append(g.labels, "below "+text(edges[0]))
		case i == len(edges):
			g.labels = append(g.labels, "from "+text(edges[i-1]))
		default:
			g.labels = append(g.labels, "["+text(edges[i-1])+", "+text(edges[i])+")")
		}
	}
	place := make([]int, len(d.labels))
	for i := range d.labels {
		if i < len(d.values) {
			v := d.values[i]
			place[i], _ = slices.BinarySearchFunc(edges, v, func(edge, v float64) int {
				if edge <= v {
					return -1
				}
				return 1
			})
			continue
		}
		place[i] = len(g.labels)
		g.labels = append(g.labels, d.labels[i])
	}
	for x, row := range d.tallies {
		for _, t := range row { // places ascend with outputs
			t.output = place[t.output]
			if n := len(g.tallies[x]); n > 0 && g.tallies[x][n-1].output == t.output {
				last := &g.tallies[x][n-1]
				last.order += t.order
				last.score += t.score
				last.confirm += t.confirm
				continue
			}
			g.tallies[x] = append(g.tallies[x], t)
		}
	}
	return g
}

// checkEdges returns an error wrapping ErrParameter unless edges are finite and
// ascend.
func checkEdges(edges []float64) error {
	for i, e := range edges {
		if math.IsNaN(e) || math.IsInf(e, 0) || i > 0 && !(edges[i-1] < e) {
			return fmt.Errorf("%w: bins[%d] = %g, want finite numbers that ascend", evidence.ErrParameter, i, e)
		}
	}
	return nil
}
