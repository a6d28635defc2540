package audit

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// Samples counts the outputs drawn at each dataset. The zero value is empty. All draws must be independent, within a
// dataset and between datasets.
type Samples struct {
	datasets, outputs names
	counts            []map[int]int64
	totals            []int64
}

// mostDraws bounds the draws of one dataset.
const mostDraws = 1 << 40

// Add counts n more draws of an output at a dataset. It returns an error
// wrapping ErrParameter unless n ≥ 0 and the dataset's total stays below 2⁴⁰.
func (s *Samples) Add(dataset, output string, n int64) error {
	x := s.dataset(dataset)
	if n < 0 || n > mostDraws-s.totals[x] {
		return parameter.Errorf("dataset %s, output %s: count = %d, want a whole number of draws, at most 2^40 in all", clip(dataset), clip(output), n)
	}
	s.counts[x][s.outputs.id(output)] += n
	s.totals[x] += n
	return nil
}

// Declare adds a dataset, with or without draws.
func (s *Samples) Declare(dataset string) { s.dataset(dataset) }

func (s *Samples) dataset(name string) int {
	x := s.datasets.id(name)
	if x == len(s.counts) {
		s.counts = append(s.counts, make(map[int]int64))
		s.totals = append(s.totals, 0)
	}
	return x
}

// Datasets returns the names of the datasets in the order of their first appearance.
func (s *Samples) Datasets() []string { return slices.Clone(s.datasets.labels) }

// check returns an error wrapping ErrParameter if a dataset has no draws, or if the draws look like probabilities.
func (s *Samples) check() error {
	if len(s.counts) == 0 {
		return parameter.Errorf("table_or_samples is empty")
	}
	for x, n := range s.totals {
		if n == 0 {
			return parameter.Errorf("dataset %s has no samples", clip(s.datasets.labels[x]))
		}
	}
	for x := range s.counts {
		if !s.looksLikeLaw(x) {
			return nil
		}
	}
	return parameter.Errorf("table_or_samples lists draws that look like probabilities: those of dataset %s are %d numbers that sum to 1; a table maps each output to its probability", clip(s.datasets.labels[0]), s.totals[0])
}

// looksLikeLaw reports whether the draws at a dataset look like probabilities: a few numbers in [0, 1], not all
// integers, that sum to 1.
func (s *Samples) looksLikeLaw(x int) bool {
	const most = 1000
	if s.totals[x] > most {
		return false
	}
	sum, whole := new(big.Rat), true
	for id, n := range s.counts[x] {
		p, _, err := ParseNumber(s.outputs.labels[id])
		if err != nil || p.Sign() < 0 {
			return false
		}
		whole = whole && p.IsInt()
		sum.Add(sum, new(big.Rat).Mul(p, new(big.Rat).SetInt64(n)))
	}
	total, _ := sum.Float64()
	return !whole && math.Abs(total-1) < DefaultRounding
}

// tally is one output's draws at one dataset, in three independent parts.
type tally struct {
	output                int
	order, score, confirm int64
}

// chooses reports whether the output was drawn in a part that chooses events.
func (t tally) chooses() bool { return t.order+t.score > 0 }

// drawn holds samples prepared for the search. Outputs are renumbered, numbers first in ascending order, then
// words, so that results do not depend on the order of the input.
type drawn struct {
	feature string // the feature that replaces the outputs; "" for the outputs themselves
	labels  []string
	values  []numeral // values of the outputs that are numbers, which come first
	tallies [][]tally // by dataset, in the order of the outputs; before split, all draws are in confirm
}

func (s *Samples) layOut() *drawn {
	rows := make([][]tally, len(s.counts))
	for x, counts := range s.counts {
		for id, n := range counts {
			if n > 0 {
				rows[x] = append(rows[x], tally{output: id, confirm: n})
			}
		}
	}
	return newDrawn(s.outputs.labels, rows)
}

// newDrawn renumbers the outputs, in labels and in the rows of tallies.
func newDrawn(labels []string, rows [][]tally) *drawn {
	type output struct {
		id     int
		number bool
		value  numeral
	}
	all := make([]output, len(labels))
	for i, label := range labels {
		all[i].id = i
		all[i].value, all[i].number = parseNumeral(label)
	}
	slices.SortFunc(all, func(a, b output) int {
		switch {
		case a.number && !b.number:
			return -1
		case b.number && !a.number:
			return 1
		case a.number: // different outputs spell different numbers
			return a.value.compare(b.value)
		}
		return cmp.Compare(labels[a.id], labels[b.id])
	})
	d := new(drawn)
	place := make([]int, len(all))
	for i, o := range all {
		place[o.id] = i
		d.labels = append(d.labels, labels[o.id])
		if o.number {
			d.values = append(d.values, o.value)
		}
	}
	d.tallies = moved(rows, place)
	return d
}

// moved renumbers outputs: the tallies of output i become those of output place[i], in order. Tallies of outputs with
// the same place are added.
func moved(rows [][]tally, place []int) [][]tally {
	all := make([][]tally, len(rows))
	for x, row := range rows {
		row = slices.Clone(row)
		for i := range row {
			row[i].output = place[row[i].output]
		}
		slices.SortFunc(row, func(a, b tally) int { return a.output - b.output })
		for _, t := range row {
			if n := len(all[x]); n > 0 && all[x][n-1].output == t.output {
				last := &all[x][n-1]
				last.order += t.order
				last.score += t.score
				last.confirm += t.confirm
				continue
			}
			all[x] = append(all[x], t)
		}
	}
	return all
}
