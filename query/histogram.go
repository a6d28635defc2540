package query

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parameter"
)

// maxHistograms and maxHistogramPairs bound what NewHistograms builds: datasets,
// and pairs of neighbors, at 8 bytes each.
const (
	maxHistograms     = 2_000_000
	maxHistogramPairs = 1 << 27
)

// Histograms is the universe of count vectors (x_0, …, x_{types−1}), in
// lexicographic order: with total ≤ records where neighbors are AddRemove, with
// total = records where they are Replace (Wu et al., Section 3.5).
//
// A dataset is stored by the counts of its free types, those that the total
// leaves free (all but the last where neighbors are Replace), or, where records
// are fewer than types, by the types of its records: universes of two million
// datasets hold at most 11 numbers each. A dataset beyond the universe panics, as an
// index does.
type Histograms struct {
	types   int
	records int
	free    int
	rows    []int32 // width numbers per dataset
	width   int
	sparse  bool    // rows hold types, ascending, free standing for none
	atMost  []int32 // below[k·(records+1) + s] vectors of k counts have total ≤ s
	space   *Space
}

// NewHistograms returns the universe. It stops with the context's error, and
// returns one wrapping evidence.ErrParameter where types or records are out of range, the
// neighbors are unknown, or there are more than two million datasets or 2²⁷ pairs
// of neighbors.
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
		return nil, parameter.Errorf("types = %d and records = %d make %.4g datasets, want at most %d", types, records, size, maxHistograms)
	}
	// To each dataset of one record less, a record of each type can come: so many
	// pairs where it is added; where it takes the place of another, each two of
	// these are a pair.
	pairs := 0.0
	if records > 0 {
		pairs = float64(types) * binomial(h.free, records-1)
		if h.bounded() {
			pairs *= float64(types-1) / 2
		}
	}
	if !(pairs <= maxHistogramPairs) {
		return nil, parameter.Errorf("types = %d and records = %d make %.4g pairs of neighbors, want at most %d", types, records, pairs, maxHistogramPairs)
	}
	h.countVectors()
	h.enumerate(int(size))
	return h, h.buildNeighbors(ctx, int(size), int(pairs))
}

// bounded reports whether all datasets have the same total.
func (h *Histograms) bounded() bool { return h.free < h.types }

// vectors returns the number of vectors of k counts with total at most s, the
// binomial coefficient C(s + k, k): exactly up to 2⁵³, and more than that beyond.
func binomial(k, s int) float64 {
	b := 1.0
	for i := 1; i <= min(k, s) && b < 1<<53; i++ {
		b = math.Round(b * (float64(max(k, s)) + float64(i)) / float64(i)) // each is a binomial coefficient
	}
	return b
}

// count fills in below, by C(s + k, k) = C(s − 1 + k, k) + C(s + k − 1, k − 1).
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

// before returns how many datasets come before those with count c of type i, of
// all that agree on the types before i and leave s records to it and the rest.
func (h *Histograms) before(i, s, c int) int {
	at := (h.free-i)*(h.records+1) + s
	n := int(h.atMost[at])
	if c <= s {
		n -= int(h.atMost[at-c])
	}
	return n
}

// list stores every dataset, in order. The one after another has one more record
// of the last type, where the total allows that; elsewhere the records of its
// last type go, and one comes to the type before.
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

// held is a type with records, and how many.
type entry struct{ kind, count int }

// holds appends the free types of dataset x that have records, ascending, and
// returns their total.
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

// rank returns the number of the dataset with such records.
func (h *Histograms) rank(records []entry) int {
	n, left := 0, h.records
	for _, t := range records {
		n += h.before(t.kind, left, t.count)
		left -= t.count
	}
	return n
}

// oneMore appends the numbers of the datasets with such records and one more of a
// free type other than skip. The types before it are ranked as without it, those
// after it with one record less to spend.
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

// link builds the neighbor graph.
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
		for i, t := range records { // one record goes …
			less = append(less[:0], records...)
			if less[i].count--; t.count == 1 {
				less = slices.Delete(less, i, i+1)
			}
			neighbors = append(neighbors, int32(h.rank(less)))
			if h.bounded() { // … or takes another free type
				neighbors = h.addRecord(less, t.kind, neighbors)
			}
		}
		if total < h.records { // one comes, or leaves the type that is not free
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
			return 0, parameter.Errorf("%s is no histogram, want its counts, one per type", formatName(name))
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
	switch { // between two datasets that hold all their records in different types
	case h.types > 1 && h.bounded():
		h.space.diameter = float64(h.records)
	case h.types > 1:
		h.space.diameter = float64(2 * h.records)
	case !h.bounded():
		h.space.diameter = float64(h.records)
	}
	return nil
}

// distance returns d̄(x, y): what the totals of their free types have beyond the
// records that both hold.
func (h *Histograms) distance(x, y int) float64 {
	a, b := h.row(x), h.row(y)
	common, totalX, totalY := 0, 0, 0
	if h.sparse {
		none := int32(h.free)
		i, j := 0, 0
		for i < len(a) && j < len(b) && a[i] != none && b[j] != none {
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
		for _, v := range a {
			if v != none {
				totalX++
			}
		}
		for _, v := range b {
			if v != none {
				totalY++
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

// Index returns the dataset with the given counts, or an error wrapping
// evidence.ErrParameter where the universe has none.
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
