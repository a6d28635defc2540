package audit

import (
	"math"
	"slices"
	"strconv"

	"dpworkbench/internal/parameter"
)

// quantileEdges returns edges that divide the numbers drawn in the choosing parts, over all datasets, into at most the
// given number of bins. Each bin but the last holds at least an equal share of these draws.
func (d *drawn) quantileEdges(bins int) []edge {
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
	var edges []edge
	inside := int64(0) // draws in the current bin
	for i, w := range weight {
		if w == 0 { // drawn only in the testing part, on which no edge may depend
			continue
		}
		if inside > 0 && float64(inside)*float64(bins) >= float64(total) {
			edges = append(edges, edge{d.values[i], d.labels[i]})
			inside = 0
		}
		inside += w
	}
	return edges
}

// group replaces outputs that are numbers by bins between the ascending edges: numbers below the first edge, [first,
// second), …, and numbers from the last edge on. Outputs that are words do not change.
func (d *drawn) group(edges []edge) *drawn {
	g := &drawn{feature: d.feature}
	for i := range len(edges) + 1 {
		switch {
		case len(edges) == 0:
			g.labels = append(g.labels, "any number")
		case i == 0:
			g.labels = append(g.labels, "below "+edges[0].text)
		case i == len(edges):
			g.labels = append(g.labels, "from "+edges[i-1].text)
		default:
			g.labels = append(g.labels, "["+edges[i-1].text+", "+edges[i].text+")")
		}
	}
	place := make([]int, len(d.labels))
	for i := range d.labels {
		if i < len(d.values) {
			v := d.values[i]
			place[i], _ = slices.BinarySearchFunc(edges, v, func(e edge, v numeral) int {
				if e.at.compare(v) <= 0 {
					return -1
				}
				return 1
			})
			continue
		}
		place[i] = len(g.labels)
		g.labels = append(g.labels, d.labels[i])
	}
	g.tallies = moved(d.tallies, place)
	return g
}

// edge is a boundary between bins: the least number of the upper bin, as given.
type edge struct {
	at   numeral
	text string
}

// edgesOf returns the edges at the given numbers, each read as its shortest decimal. It returns an error wrapping
// ErrParameter unless they are finite and ascend.
func edgesOf(numbers []float64) ([]edge, error) {
	var edges []edge
	for i, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && !(numbers[i-1] < v) {
			return nil, parameter.Errorf("bins[%d] = %g, want finite numbers in ascending order", i, v)
		}
		edges = append(edges, edge{numeralOf(v), strconv.FormatFloat(v, 'g', -1, 64)})
	}
	return edges, nil
}
