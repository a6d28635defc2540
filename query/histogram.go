package query

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/interval"
)

// maxHistograms bounds the number of datasets that NewHistograms builds.
const maxHistograms = 2_000_000

// Neighboring says which histograms are neighbors.
type Neighboring string

// Unbounded neighbors differ by one record present or absent: d̄ = ‖x−y‖₁.
// Bounded neighbors differ by one record changed: d̄ = ‖x−y‖₁/2.
const (
	Unbounded Neighboring = "unbounded"
	Bounded   Neighboring = "bounded"
)

// Histograms is the universe of count vectors (x_0, …, x_{types−1}), in
// lexicographic order: with total ≤ records where neighbors are Unbounded, with
// total = records where they are Bounded (Wu et al., Section 3.5).
type Histograms struct {
	types   int
	records int
	counts  [][]int
	space   *Space
}

// NewHistograms returns the universe. It returns an error wrapping
// ErrParameter where types < 1, records < 0, the neighbors are unknown, or
// there are more than two million datasets.
func NewHistograms(types, records int, neighbors Neighboring) (*Histograms, error) {
	if types < 1 {
		return nil, fmt.Errorf("%w: types = %d, want at least 1", ErrParameter, types)
	}
	if records < 0 {
		return nil, fmt.Errorf("%w: records = %d, want at least 0", ErrParameter, records)
	}
	free := types // coordinates that the total leaves free
	switch neighbors {
	case Unbounded:
	case Bounded:
		free--
	default:
		return nil, fmt.Errorf("%w: neighbors = %q, want \"unbounded\" or \"bounded\"", ErrParameter, string(neighbors))
	}
	if size := binomial(records+free, free); size > maxHistograms {
		return nil, fmt.Errorf("%w: types = %d and records = %d make %.4g datasets, want at most %d", ErrParameter, types, records, size, maxHistograms)
	}
	h := &Histograms{types: types, records: records}
	h.list(make([]int, 0, types), records, neighbors == Bounded)
	h.link(neighbors == Bounded)
	return h, nil
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b *= float64(n-k+i) / float64(i)
	}
	return math.Round(b)
}

// list appends every histogram that starts with prefix and has left records
// to spend, ascending.
func (h *Histograms) list(prefix []int, left int, exactly bool) {
	if len(prefix) == h.types {
		if !exactly || left == 0 {
			h.counts = append(h.counts, slices.Clone(prefix))
		}
		return
	}
	first := 0
	if exactly && len(prefix) == h.types-1 {
		first = left
	}
	for c := first; c <= left; c++ {
		h.list(append(prefix, c), left-c, exactly)
	}
}

// link builds the neighbor graph.
func (h *Histograms) link(bounded bool) {
	rows := make([][]int32, len(h.counts))
	for x, c := range h.counts {
		y := slices.Clone(c)
		for i := range y { // one record less of type i …
			if y[i] == 0 {
				continue
			}
			y[i]--
			if bounded { // … and one more of another type
				for j := range y {
					if j != i {
						y[j]++
						rows[x] = append(rows[x], int32(h.find(y)))
						y[j]--
					}
				}
			} else {
				z := int32(h.find(y))
				rows[x] = append(rows[x], z)
				rows[z] = append(rows[z], int32(x))
			}
			y[i]++
		}
	}
	h.space = newPathSpace(compress(rows))
	scale := 1.0
	if bounded {
		scale = 0.5
	}
	h.space.closed = func(x, y int) float64 {
		d := 0
		for i, c := range h.counts[x] {
			d += max(c-h.counts[y][i], h.counts[y][i]-c)
		}
		return scale * float64(d)
	}
	switch { // between two datasets that hold all their records in different types
	case h.types > 1 && bounded:
		h.space.diameter = float64(h.records)
	case h.types > 1:
		h.space.diameter = float64(2 * h.records)
	case !bounded:
		h.space.diameter = float64(h.records)
	}
}

func (h *Histograms) find(counts []int) int {
	i, ok := slices.BinarySearchFunc(h.counts, counts, slices.Compare[[]int])
	if !ok {
		return -1
	}
	return i
}

// Size returns the number of datasets.
func (h *Histograms) Size() int { return len(h.counts) }

// Space returns the dataset metric space.
func (h *Histograms) Space() *Space { return h.space }

// Dataset returns the counts of dataset x. The slice is the universe's own.
func (h *Histograms) Dataset(x int) []int { return h.counts[x] }

// Index returns the dataset with the given counts, or an error wrapping
// ErrParameter where the universe has none.
func (h *Histograms) Index(counts []int) (int, error) {
	if i := h.find(counts); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: histogram %v is not in the universe of %d types and %d records", ErrParameter, counts, h.types, h.records)
}

// Counting returns the query that counts the records of the given types.
func (h *Histograms) Counting(types []int) (*Query, error) {
	weights := make([]float64, h.types)
	if len(types) == 0 {
		return nil, fmt.Errorf("%w: types is empty, want at least one of 0…%d", ErrParameter, h.types-1)
	}
	for _, t := range types {
		if t < 0 || t >= h.types {
			return nil, fmt.Errorf("%w: types has %d, want 0…%d", ErrParameter, t, h.types-1)
		}
		weights[t] = 1
	}
	q, err := h.Linear(weights)
	if err == nil {
		q.name = fmt.Sprintf("count of types %v", types)
	}
	return q, err
}

// Linear returns the query Σ weights[i]·x_i, computed on the weights' shortest
// decimals.
func (h *Histograms) Linear(weights []float64) (*Query, error) {
	if len(weights) != h.types {
		return nil, fmt.Errorf("%w: weights has %d entries, want %d, one per type", ErrParameter, len(weights), h.types)
	}
	decimals := make([]*big.Rat, h.types)
	for i, w := range weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("%w: weights[%d] = %g, want a finite number", ErrParameter, i, w)
		}
		decimals[i] = interval.Decimal(w)
	}
	values := make([]float64, h.Size())
	sum, term := new(big.Rat), new(big.Rat)
	for x, counts := range h.counts {
		sum.SetInt64(0)
		for i, c := range counts {
			sum.Add(sum, term.Mul(term.SetInt64(int64(c)), decimals[i]))
		}
		values[x], _ = sum.Float64()
	}
	return NewNumeric(fmt.Sprintf("linear %v", weights), h.space, values, nil)
}

// Median returns the lower median of the records, a record of type i having
// value values[i]; of no records, the first value.
func (h *Histograms) Median(values []float64) (*Query, error) {
	if len(values) != h.types {
		return nil, fmt.Errorf("%w: values has %d entries, want %d, one per type", ErrParameter, len(values), h.types)
	}
	order := make([]int, h.types)
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: values[%d] = %g, want a finite number", ErrParameter, i, v)
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	medians := make([]float64, h.Size())
	for x, counts := range h.counts {
		total := 0
		for _, c := range counts {
			total += c
		}
		medians[x] = values[0]
		below := 0
		for _, t := range order {
			below += counts[t]
			if total > 0 && below >= (total+1)/2 { // the ⌈total/2⌉-th smallest record
				medians[x] = values[t]
				break
			}
		}
	}
	return NewNumeric(fmt.Sprintf("median of %v", values), h.space, medians, nil)
}

// Identity returns the query f(x) = x with the value metric d̄ (Definition 11).
func (h *Histograms) Identity() (*Query, error) {
	values := make([]Value, h.Size())
	for x, c := range h.counts {
		values[x] = Counts(c)
	}
	return New("identity", h.space, values, nil, ValueMetric{Closed: h.space.closed})
}
