package query

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

const (
	// maxHistograms bounds the number of datasets, and maxHistogramPairs the number of neighboring pairs, at 8
	// bytes each.
	maxHistograms     = 2_000_000
	maxHistogramPairs = 1 << 27
)

// Histograms is the universe of histograms (x_0, …, x_{types−1}) in lexicographic order. The total is at most
// records if neighbors are AddRemove, and equal to records if they are Replace (Wu et al., Section 3.5).
//
// The free types determine a dataset: all types, or all but the last if neighbors are Replace. A dataset is stored
// as the counts of its free types. If there are fewer records than free types, it is stored sparsely, as the types
// of its records. So two million datasets have at most 11 numbers each. An index out of range panics.
type Histograms struct {
	types   int
	records int
	free    int
	rows    []int32 // width numbers for each dataset
	width   int
	sparse  bool    // rows hold the types of the records, ascending; free means no record
	atMost  []int32 // atMost[k·(records+1) + s] is the number of vectors of k counts with total ≤ s
	space   *Space
}

// NewHistograms returns the universe. It returns an error wrapping evidence.ErrParameter if types or records is
// out of range, neighbors is neither AddRemove nor Replace, or there are more than two million datasets or 2²⁷
// pairs of neighbors, and the context's error.
func NewHistograms(ctx context.Context, types, records int, neighbors Relation) (*Histograms, error) {
	if types < 1 || types > maxHistograms {
		return nil, parameter.Bad("types", types, "1 to %d", maxHistograms)
	}
	if records < 0 || records > maxHistograms {
		return nil, parameter.Bad("records", records, "0 to %d", maxHistograms)
	}
	h := &Histograms{types: types, records: records, free: types}
	switch neighbors {
	case AddRemove:
	case Replace:
		h.free--
	default:
		return nil, parameter.Bad("neighbors", string(neighbors), `"add_remove" (also "unbounded") or "replace" ("bounded")`)
	}
	size := binomial(h.free, records)
	if !(size <= maxHistograms) {
		return nil, parameter.Errorf("types = %d and records = %d give %.4g datasets, want at most %d", types, records, size, maxHistograms)
	}
	// Each dataset with one record less extends by a record of each type. Under AddRemove each extension is a pair.
	// Under Replace each two extensions are a pair.
	pairs := 0.0
	if records > 0 {
		pairs = float64(types) * binomial(h.free, records-1)
		if h.bounded() {
			pairs *= float64(types-1) / 2
		}
	}
	if !(pairs <= maxHistogramPairs) {
		return nil, parameter.Errorf("types = %d and records = %d give %.4g pairs of neighbors, want at most %d", types, records, pairs, maxHistogramPairs)
	}
	h.countVectors()
	h.enumerate(int(size))
	if err := h.buildNeighbors(ctx, int(size), int(pairs)); err != nil {
		return nil, err
	}
	return h, nil
}

// bounded reports whether all datasets have the same total.
func (h *Histograms) bounded() bool { return h.free < h.types }

// binomial returns the number of vectors of k counts with total at most s, the binomial coefficient C(s + k, k). It is
// exact below 2⁵³. For a larger coefficient it returns some number of at least 2⁵³.
func binomial(k, s int) float64 {
	b := 1.0
	for i := 1; i <= min(k, s) && b < 1<<53; i++ {
		b = math.Round(b * (float64(max(k, s)) + float64(i)) / float64(i)) // each b is a binomial coefficient
	}
	return b
}

// countVectors computes the table atMost by the recurrence C(s + k, k) = C(s − 1 + k, k) + C(s + k − 1, k − 1).
func (h *Histograms) countVectors() {
	row := h.records + 1
	h.atMost = make([]int32, (h.free+1)*row)
	for s := range row {
		h.atMost[s] = 1
	}
	for k := 1; k <= h.free; k++ {
		h.atMost[k*row] = 1
		for s := 1; s < row; s++ {
			h.atMost[k*row+s] = h.atMost[k*row+s-1] + h.atMost[(k-1)*row+s]
		}
	}
}

// before returns a number of datasets: those with given counts of the types before i, fewer than c records of type i,
// and at most s records of the types from i on.
func (h *Histograms) before(i, s, c int) int {
	at := (h.free-i)*(h.records+1) + s
	n := int(h.atMost[at])
	if c <= s {
		n -= int(h.atMost[at-c])
	}
	return n
}

// enumerate stores every dataset in order. The successor of a dataset adds a record of the last type if the total
// allows. Otherwise it removes the records of the last nonempty type and adds one to the type before.
func (h *Histograms) enumerate(size int) {
	h.sparse = h.records < h.free
	h.width = min(h.records, h.free)
	h.rows = make([]int32, size*h.width)
	if h.width == 0 {
		return
	}
	if h.sparse {
		for k := range h.width {
			h.rows[k] = int32(h.free)
		}
	}
	for x := 1; x < size; x++ {
		row := h.row(x)
		copy(row, h.row(x-1))
		if h.sparse {
			room := slices.Index(row, int32(h.free))
			if room >= 0 {
				row[room] = int32(h.free - 1)
				continue
			}
			last := row[h.width-1]
			first := slices.Index(row, last)
			row[first] = last - 1
			for k := first + 1; k < h.width; k++ {
				row[k] = int32(h.free)
			}
			continue
		}
		last, total := 0, int32(0)
		for i, c := range row {
			if total += c; c > 0 {
				last = i
			}
		}
		if int(total) < h.records {
			row[h.free-1]++
			continue
		}
		row[last] = 0
		row[last-1]++
	}
}

func (h *Histograms) row(x int) []int32 { return h.rows[x*h.width : (x+1)*h.width] }

// entry is an entry of a sparse histogram: a type and its count.
type entry struct{ kind, count int }

// entries appends the nonzero free types of dataset x, ascending, and returns their total count.
func (h *Histograms) entries(x int, into []entry) ([]entry, int) {
	total := 0
	for i, v := range h.row(x) {
		n := len(into)
		switch {
		case !h.sparse && v > 0:
			into = append(into, entry{i, int(v)})
			total += int(v)
		case !h.sparse || int(v) == h.free:
		case n > 0 && into[n-1].kind == int(v):
			into[n-1].count++
			total++
		default:
			into = append(into, entry{int(v), 1})
			total++
		}
	}
	return into, total
}

// rank returns the number of the dataset with the given entries.
func (h *Histograms) rank(records []entry) int {
	n, left := 0, h.records
	for _, t := range records {
		n += h.before(t.kind, left, t.count)
		left -= t.count
	}
	return n
}

// addRecord appends the numbers of the datasets with the given entries and one more record of a free type other than
// skip. A dataset's number is a sum with a term for each type. The added record does not change the terms of earlier
// types. The terms of later types are those for one record less.
func (h *Histograms) addRecord(records []entry, skip int, into []int32) []int32 {
	after := 0
	left := h.records
	for _, t := range records {
		after += h.before(t.kind, left-1, t.count)
		left -= t.count
	}
	before, k := 0, 0
	left = h.records
	for j := range h.free {
		count := 0
		if k < len(records) && records[k].kind == j {
			count = records[k].count
			after -= h.before(j, left-1, count)
		}
		if j != skip {
			into = append(into, int32(before+h.before(j, left, count+1)+after))
		}
		if count > 0 {
			before += h.before(j, left, count)
			left -= count
			k++
		}
	}
	return into
}

// buildNeighbors builds the neighbor graph.
func (h *Histograms) buildNeighbors(ctx context.Context, size, pairs int) error {
	offsets, neighbors := make([]int64, size+1), make([]int32, 0, 2*pairs)
	var records, less []entry
	for x := range size {
		if x%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var total int
		records, total = h.entries(x, records[:0])
		from := len(neighbors)
		for i, t := range records { // remove one record …
			less = append(less[:0], records...)
			if less[i].count--; t.count == 1 {
				less = slices.Delete(less, i, i+1)
			}
			neighbors = append(neighbors, int32(h.rank(less)))
			if h.bounded() { // … or change its type
				neighbors = h.addRecord(less, t.kind, neighbors)
			}
		}
		if total < h.records { // add a record; under Replace, this changes the type of a record of the last type
			neighbors = h.addRecord(records, -1, neighbors)
		}
		slices.Sort(neighbors[from:])
		offsets[x+1] = int64(len(neighbors))
	}
	h.space = newPathSpace(offsets, neighbors)
	h.space.closedForm = h.distance
	h.space.name = func(x int) any { return h.Dataset(x) }
	h.space.find = func(name any) (int, error) {
		counts, ok := name.([]int)
		if !ok {
			return 0, parameter.Errorf("%s is not a histogram, want counts, one per type", formatName(name))
		}
		return h.Index(counts)
	}
	h.space.recordCount = func(x int) int {
		total := 0
		for _, n := range h.Dataset(x) {
			total += n
		}
		return total
	}
	switch { // the distance of two datasets with all records in one type each
	case h.types > 1 && h.bounded():
		h.space.diameter = float64(h.records)
	case h.types > 1:
		h.space.diameter = float64(2 * h.records)
	case !h.bounded():
		h.space.diameter = float64(h.records)
	}
	return nil
}

// distance returns d̄(x, y) from the totals of the free types and the number of records that x and y have in common.
func (h *Histograms) distance(x, y int) float64 {
	a, b := h.row(x), h.row(y)
	common, totalX, totalY := 0, 0, 0
	if h.sparse {
		for _, row := range []*[]int32{&a, &b} {
			if k := slices.Index(*row, int32(h.free)); k >= 0 {
				*row = (*row)[:k]
			}
		}
		totalX, totalY = len(a), len(b)
		for i, j := 0, 0; i < len(a) && j < len(b); {
			switch {
			case a[i] < b[j]:
				i++
			case a[i] > b[j]:
				j++
			default:
				common++
				i++
				j++
			}
		}
	} else {
		for k := range a {
			common += int(min(a[k], b[k]))
			totalX += int(a[k])
			totalY += int(b[k])
		}
	}
	if h.bounded() {
		return float64(h.records - common - min(h.records-totalX, h.records-totalY))
	}
	return float64(totalX + totalY - 2*common)
}

// Size returns the number of datasets.
func (h *Histograms) Size() int { return h.space.Size() }

// Space returns the dataset metric space.
func (h *Histograms) Space() *Space { return h.space }

// Dataset returns the counts of dataset x.
func (h *Histograms) Dataset(x int) []int {
	counts := make([]int, h.types)
	records, total := h.entries(x, nil)
	for _, t := range records {
		counts[t.kind] = t.count
	}
	if h.bounded() {
		counts[h.types-1] = h.records - total
	}
	return counts
}

// Index returns the dataset with the given counts. It returns an error wrapping evidence.ErrParameter if there is
// none.
func (h *Histograms) Index(counts []int) (int, error) {
	var records []entry
	left := h.records
	ok := len(counts) == h.types
	for i, c := range counts {
		if ok = ok && c >= 0 && c <= left; !ok {
			break
		}
		left -= c
		if c > 0 && i < h.free {
			records = append(records, entry{i, c})
		}
	}
	if !ok || h.bounded() && left > 0 {
		return 0, parameter.Errorf("histogram %s is not in the universe of %d types and %d records", truncate(fmt.Sprint(counts)), h.types, h.records)
	}
	return h.rank(records), nil
}
