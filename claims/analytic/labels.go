package analytic

import (
	"iter"
	"slices"

	"dpworkbench/claims/check"
)

// labels assigns a number to each dataset of a tiny universe.
type labels struct {
	distance [][]int // d̄ between datasets, in halves
	at       []int
}

// labelled enumerates the assignments of labels 0 … letters − 1 to the datasets of each metric.
func labelled(metrics [][][]int, letters int) iter.Seq[labels] {
	return check.Each(slices.Values(metrics), func(d [][]int) iter.Seq[labels] {
		return check.Map(check.Words(letters, len(d)), func(at []int) labels { return labels{d, at} })
	})
}

// adjacentLabels enumerates the assignments of labels 0 … most in which the labels of neighbors differ by at most 1, on
// the chained metrics of three to five datasets.
func adjacentLabels(most int) iter.Seq[labels] {
	return check.Keep(labelled(threeOrMore(slices.Concat(metricsFor(true), widerSpaces)), most+1), func(l labels) bool {
		for x, a := range l.at {
			for y, b := range l.at[:x] {
				if l.distance[x][y] <= 2 && max(a-b, b-a) > 1 {
					return false
				}
			}
		}
		return true
	})
}

// threeOrMore returns the metrics on three datasets or more.
func threeOrMore(metrics [][][]int) [][][]int {
	return slices.Collect(check.Keep(slices.Values(metrics), func(d [][]int) bool { return len(d) > 2 }))
}
