package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

func ExampleHistograms_Median() {
	h, _ := query.NewHistograms(context.Background(), 3, 2, query.AddRemove)
	q, _ := h.Median([]*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(2, 1)})
	x, _ := h.Index([]int{0, 1, 1})
	fmt.Println(h.Size(), q.Value(x), q.Value(0), q.Sensitivity().Float())
	// Output: 10 1 0 2
}

// Size, neighbors and distances match their definitions.
func TestHistogramsAgainstDefinition(t *testing.T) {
	for _, c := range []struct {
		types, records int
		neighbors      query.Relation
		size           int
	}{
		{1, 4, query.AddRemove, 5}, {3, 4, query.AddRemove, 35}, {2, 5, query.AddRemove, 21}, {4, 3, query.AddRemove, 35},
		{1, 4, query.Replace, 1}, {3, 4, query.Replace, 15}, {4, 3, query.Replace, 20}, {2, 0, query.AddRemove, 1},
		{9, 2, query.AddRemove, 55}, {9, 2, query.Replace, 45}, {30, 1, query.AddRemove, 31}, {30, 1, query.Replace, 30},
		{1, 0, query.Replace, 1}, {2, 7, query.Replace, 8}, {5, 4, query.Replace, 70}, {4, 4, query.AddRemove, 70},
	} {
		h := must.For(query.NewHistograms(context.Background(), c.types, c.records, c.neighbors))(t)
		if h.Size() != c.size {
			t.Errorf("%v: %d datasets, want %d", c, h.Size(), c.size)
		}
		norm := func(x, y int) float64 {
			d := 0.0
			for i := range c.types {
				d += math.Abs(float64(h.Dataset(x)[i] - h.Dataset(y)[i]))
			}
			if c.neighbors == query.Replace {
				d /= 2
			}
			return d
		}
		diameter := 0.0
		for x := range h.Size() {
			if i, err := h.Index(h.Dataset(x)); err != nil || i != x {
				t.Fatalf("%v: index of dataset %d is %d, %v", c, x, i, err)
			}
			if x > 0 && slices.Compare(h.Dataset(x-1), h.Dataset(x)) >= 0 {
				t.Fatalf("%v: datasets %d and %d out of order", c, x-1, x)
			}
			walked := h.Space().Distances(x) // breadth-first search, not the closed form
			for y := range h.Size() {
				d := norm(x, y)
				diameter = max(diameter, d)
				if walked[y] != d || h.Space().Distance(x, y) != d {
					t.Fatalf("%v: distance of %v and %v is %v walked, %v closed, want %v", c, h.Dataset(x), h.Dataset(y), walked[y], h.Space().Distance(x, y), d)
				}
				if near := slices.Contains(h.Space().Neighbors(x), int32(y)); near != (d == 1) {
					t.Fatalf("%v: %v and %v neighbors: %v", c, h.Dataset(x), h.Dataset(y), near)
				}
			}
		}
		if h.Space().Diameter() != diameter {
			t.Errorf("%v: diameter %v, want %v", c, h.Space().Diameter(), diameter)
		}
	}
}

func TestHistogramQueries(t *testing.T) {
	h := must.For(query.NewHistograms(context.Background(), 3, 4, query.AddRemove))(t)
	counting := must.For(h.Counting([]int{0, 2}))(t)
	linear := must.For(h.Linear(rationals("0.1", "0.2", "-0.3")))(t)
	median := must.For(h.Median(rationals("5", "-1", "2")))(t)
	identity := must.For(h.Identity())(t)
	for x := range h.Size() {
		c := h.Dataset(x)
		if got := counting.Values(); len(got) != h.Size() || got[x] != counting.Value(x) {
			t.Errorf("Values has %v for dataset %d, want %v", got, x, counting.Value(x))
		}
		if got := float64(counting.Value(x).(query.Number)); got != float64(c[0]+c[2]) {
			t.Errorf("count of %v is %v", c, got)
		}
		if got, want := float64(linear.Value(x).(query.Number)), float64(c[0]+2*c[1]-3*c[2])/10; got != want {
			t.Errorf("linear value of %v is %v, want %v", c, got, want)
		}
		var records []float64
		for i, v := range []float64{5, -1, 2} {
			for range c[i] {
				records = append(records, v)
			}
		}
		slices.Sort(records)
		want := 5.0
		if n := len(records); n > 0 {
			want = records[(n-1)/2]
		}
		if got := float64(median.Value(x).(query.Number)); got != want {
			t.Errorf("median of %v is %v, want %v", records, got, want)
		}
		for y := range h.Size() {
			if got := identity.Metric().Distance(identity.ValueIndex(x), identity.ValueIndex(y)); got != h.Space().Distance(x, y) {
				t.Errorf("identity metric of %v and %v is %v", c, h.Dataset(y), got)
			}
		}
	}
	if s := linear.Sensitivity().Float(); s != 0.3 {
		t.Errorf("sensitivity of the linear query is %v, want 0.3", s)
	}
	if s := identity.Sensitivity().Float(); s != 1 {
		t.Errorf("sensitivity of the identity is %v, want 1", s)
	}
}

func TestHistogramsRefuse(t *testing.T) {
	for name, f := range map[string]func() error{
		"no types":   func() error { _, err := query.NewHistograms(context.Background(), 0, 3, query.AddRemove); return err },
		"no records": func() error { _, err := query.NewHistograms(context.Background(), 2, -1, query.AddRemove); return err },
		"neighbors":  func() error { _, err := query.NewHistograms(context.Background(), 2, 1, "some"); return err },
		"too many": func() error {
			_, err := query.NewHistograms(context.Background(), 100, 100, query.AddRemove)
			return err
		},
		"type outside": func() error {
			return histogramValue(t, func(h *query.Histograms) error { _, err := h.Counting([]int{3}); return err })
		},
		"no weights": func() error {
			return histogramValue(t, func(h *query.Histograms) error { _, err := h.Linear(nil); return err })
		},
		"weight too large": func() error {
			return histogramValue(t, func(h *query.Histograms) error { _, err := h.Linear(rationals("1", "1e400", "0")); return err })
		},
		"median": func() error {
			return histogramValue(t, func(h *query.Histograms) error { _, err := h.Median(rationals("1", "1e-400", "0")); return err })
		},
		"counts": func() error {
			return histogramValue(t, func(h *query.Histograms) error { _, err := h.Index([]int{1, -1, 0}); return err })
		},
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
}

func rationals(texts ...string) []*big.Rat {
	out := make([]*big.Rat, len(texts))
	for i, text := range texts {
		out[i], _ = new(big.Rat).SetString(text)
	}
	return out
}

// For weights and values outside float64, results equal the sums in rational arithmetic.
func TestHistogramQueriesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	numbers := []string{"1000.1234567890123", "9007199254740993", "-9007199254740992", "1/3", "-2/7", "0.1", "0.30000000000000004", "5e-324", "1.7e308", "0", "12"}
	for range 60 {
		types := 1 + rng.IntN(4)
		h := must.For(query.NewHistograms(context.Background(), types, rng.IntN(5), []query.Relation{query.AddRemove, query.Replace}[rng.IntN(2)]))(t)
		weights := make([]*big.Rat, types)
		for i := range weights {
			weights[i] = rationals(numbers[rng.IntN(len(numbers))])[0]
		}
		linear, err := h.Linear(weights)
		if errors.Is(err, evidence.ErrParameter) { // sums of 1.7e308 overflow
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		largest := new(big.Rat)
		sums := make([]*big.Rat, h.Size())
		for x := range sums {
			sums[x] = new(big.Rat)
			for i, c := range h.Dataset(x) {
				sums[x].Add(sums[x], new(big.Rat).Mul(weights[i], big.NewRat(int64(c), 1)))
			}
			if got, ok := query.RationalOf(linear.Value(x)); !ok || got.Cmp(sums[x]) != 0 {
				t.Fatalf("%v at %v is %v, want %v", weights, h.Dataset(x), linear.Value(x), sums[x])
			}
		}
		for x := range sums {
			for _, y := range h.Space().Neighbors(x) {
				if d := new(big.Rat).Sub(sums[x], sums[y]); d.Abs(d).Cmp(largest) > 0 {
					largest = d
				}
			}
		}
		if got, ok := linear.Sensitivity().(evidence.Exact); !ok || got.Value.Cmp(largest) != 0 {
			t.Fatalf("sensitivity of %v is %v, want %v exactly", weights, linear.Sensitivity(), largest)
		}
	}
}

// The memory of the largest universes is proportional to their numbers of datasets and pairs. Larger universes are
// rejected at once.
func TestHistogramsFitInMemory(t *testing.T) {
	var before, after runtime.MemStats
	for _, c := range []struct {
		types, records int
		neighbors      query.Relation
		most           uint64 // bytes
	}{
		{9000, 1, query.AddRemove, 8 << 20},
		{9000, 1, query.Replace, 400 << 20}, // 40 million pairs
		{1, 1_999_999, query.AddRemove, 64 << 20},
		{1998, 2, query.AddRemove, 128 << 20},
	} {
		runtime.ReadMemStats(&before)
		h := must.For(query.NewHistograms(context.Background(), c.types, c.records, c.neighbors))(t)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > c.most {
			t.Errorf("%v: building %d datasets took %d MiB, want at most %d", c, h.Size(), taken>>20, c.most>>20)
		}
		if i, err := h.Index(h.Dataset(h.Size() - 1)); err != nil || i != h.Size()-1 {
			t.Errorf("%v: index of the last dataset is %d, %v", c, i, err)
		}
	}
	for _, c := range [][2]int{{2_000_000, 1}, {40_000, 1}, {math.MaxInt, math.MaxInt}, {math.MaxInt, 0}, {1, math.MaxInt}, {math.MinInt, 1}, {3, math.MinInt}, {300, 300}} {
		if _, err := query.NewHistograms(context.Background(), c[0], c[1], query.Replace); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v, want ErrParameter", c, err)
		}
	}
}

func histogramValue(t *testing.T, f func(*query.Histograms) error) error {
	t.Helper()
	h := must.For(query.NewHistograms(context.Background(), 3, 2, query.AddRemove))(t)
	return f(h)
}
