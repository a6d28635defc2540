package query

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
)

// Counting returns the query that counts the records of the given types. It returns an error wrapping
// evidence.ErrParameter unless types is a nonempty list of types.
func (h *Histograms) Counting(types []int) (*Query, error) {
	if len(types) == 0 {
		return nil, parameter.Errorf("types is empty, want at least one number in 0…%d", h.types-1)
	}
	zero, one := new(big.Rat), big.NewRat(1, 1)
	weights := slices.Repeat([]*big.Rat{zero}, h.types)
	for _, t := range types {
		if t < 0 || t >= h.types {
			return nil, parameter.Errorf("types contains %d, want numbers in 0…%d", t, h.types-1)
		}
		weights[t] = one
	}
	q, err := h.Linear(weights)
	if err == nil {
		q.name = fmt.Sprintf("count of types %v", types)
	}
	return q, err
}

// Linear returns the query Σ weights[i]·x_i, without rounding. It returns an error wrapping evidence.ErrParameter
// unless there is one weight per type within the range of float64.
func (h *Histograms) Linear(weights []*big.Rat) (*Query, error) {
	if err := h.checkPerType(weights, "weights"); err != nil {
		return nil, err
	}
	// All sums are integer multiples of 1/scale. Many datasets have the same sum.
	scale := big.NewInt(1)
	for _, w := range weights {
		scale = CommonDenominator(scale, w)
	}
	whole := make([]*big.Int, h.types)
	for i, w := range weights {
		whole[i] = Scaled(w, scale)
	}
	known := make(map[string]Value)
	values := make([]Value, h.Size())
	var records []entry
	var key []byte
	sum, term := new(big.Int), new(big.Int)
	for x := range values {
		var total int
		records, total = h.entries(x, records[:0])
		sum.SetInt64(0)
		for _, t := range records {
			sum.Add(sum, term.Mul(whole[t.kind], term.SetInt64(int64(t.count))))
		}
		if h.bounded() {
			sum.Add(sum, term.Mul(whole[h.types-1], term.SetInt64(int64(h.records-total))))
		}
		key = sum.Append(key[:0], 62)
		v, ok := known[string(key)]
		if !ok {
			v = RationalValue(new(big.Rat).SetFrac(sum, scale))
			known[string(key)] = v
		}
		values[x] = v
	}
	return New("linear "+formatRationals(weights), h.space, values, nil, ValueMetric{})
}

// Median returns the query of the lower median of the records; a record of type i has the value values[i]. Without
// records it is values[0]. It returns errors as Linear does.
func (h *Histograms) Median(values []*big.Rat) (*Query, error) {
	if err := h.checkPerType(values, "values"); err != nil {
		return nil, err
	}
	order := make([]int, h.types)
	points := make([]Value, h.types)
	for i, v := range values {
		order[i], points[i] = i, RationalValue(v)
	}
	slices.SortStableFunc(order, func(a, b int) int { return values[a].Cmp(values[b]) })
	place := make([]int, h.types)
	for k, t := range order {
		place[t] = k
	}
	medians := make([]Value, h.Size())
	var records []entry
	for x := range medians {
		var total int
		records, total = h.entries(x, records[:0])
		if rest := h.records - total; h.bounded() && rest > 0 {
			records = append(records, entry{h.types - 1, rest})
			total = h.records
		}
		slices.SortFunc(records, func(a, b entry) int { return cmp.Compare(place[a.kind], place[b.kind]) })
		medians[x] = points[0]
		below := 0
		for _, t := range records {
			if below += t.count; below >= (total+1)/2 { // the ⌈total/2⌉-th smallest record
				medians[x] = points[t.kind]
				break
			}
		}
	}
	return New("median of "+formatRationals(values), h.space, medians, nil, ValueMetric{})
}

func (h *Histograms) checkPerType(numbers []*big.Rat, name string) error {
	if len(numbers) != h.types {
		return parameter.Errorf("%s has %d entries, want %d, one per type", name, len(numbers), h.types)
	}
	for i, v := range numbers {
		if err := checkFloatRange(v, fmt.Sprintf("%s[%d]", name, i)); err != nil {
			return err
		}
	}
	return nil
}

// formatRationals formats the first few numbers.
func formatRationals(numbers []*big.Rat) string {
	const most = 12
	var text []string
	for _, q := range numbers[:min(len(numbers), most)] {
		text = append(text, formatRational(q))
	}
	if len(numbers) > most {
		text = append(text, "…")
	}
	return "[" + strings.Join(text, " ") + "]"
}

// Identity returns the query f(x) = x with the value metric d̄ (Definition 11). It returns an error wrapping
// evidence.ErrParameter if the universe is too large.
func (h *Histograms) Identity() (*Query, error) {
	size := h.Size()
	if err := checkCells(size, size); err != nil {
		return nil, err
	}
	q := &Query{name: "identity", space: h.space, value: make([]int32, size), rng: make([]Value, size)}
	for x := range size {
		q.value[x], q.rng[x] = int32(x), histogramValue{h, int32(x)}
	}
	q.find = func(v Value) (int, bool) {
		c, ok := v.(Counts)
		if !ok {
			return 0, false
		}
		x, err := h.Index(c)
		return x, err == nil
	}
	q.metric = integerMetric(h.distance, big.NewRat(1, 1))
	return q, nil
}

// histogramValue is dataset x of h, as a value of the identity query. It computes the counts on demand.
type histogramValue struct {
	h *Histograms
	x int32
}

// Counts returns the counts.
func (v histogramValue) Counts() Counts { return v.h.Dataset(int(v.x)) }

// String formats the counts as Counts does.
func (v histogramValue) String() string { return v.Counts().String() }

func (v histogramValue) key() string { return v.Counts().key() }
