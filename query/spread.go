package query

import (
	"context"
	"math"
	"math/bits"
	"sync"
)

// Unreached marks a value that no seed reaches.
const Unreached = -1

// Seed puts a value of the range into a layer of a dataset.
type Seed struct {
	Dataset, Value, Layer int
}

// Spread returns the layer table L[x·values + r] = min over seeds (y, r, i) of
// ⌈d̄(x, y)⌉ + i, Unreached where there is none: the distance transform behind
// layered mechanisms. Neighbors then differ by at most one layer.
//
// On a path space it is one breadth-first search for all values, 64 to a word;
// elsewhere the minimum over the distance matrix. It stops with the context's
// error.
func (s *Space) Spread(ctx context.Context, values int, seeds []Seed) ([]int32, error) {
	table := make([]int32, s.Size()*values)
	for i := range table {
		table[i] = Unreached
	}
	if !s.IsPath() {
		return table, s.spreadMatrix(ctx, values, seeds, table)
	}
	words := (values + 63) / 64
	byWord := make([][]Seed, words)
	for _, seed := range seeds {
		byWord[seed.Value/64] = append(byWord[seed.Value/64], seed)
	}
	var wg sync.WaitGroup
	errs := make([]error, words)
	for w := range words {
		wg.Go(func() { errs[w] = s.spreadWord(ctx, values, w, byWord[w], table) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return table, nil
}

// spreadWord fills the columns 64w … 64w+63 of the table.
func (s *Space) spreadWord(ctx context.Context, values, w int, seeds []Seed, table []int32) error {
	n := s.Size()
	pending := make(map[int][]Seed) // by layer
	for _, seed := range seeds {
		pending[seed.Layer] = append(pending[seed.Layer], seed)
	}
	reached, next := make([]uint64, n), make([]uint64, n)
	type entry struct {
		x    int32
		bits uint64
	}
	var frontier []entry
	var touched []int32
	for layer := 0; len(frontier) > 0 || len(pending) > 0; layer++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, f := range frontier {
			for _, y := range s.Neighbors(int(f.x)) {
				if f.bits&^reached[y] != 0 {
					if next[y] == 0 {
						touched = append(touched, y)
					}
					next[y] |= f.bits
				}
			}
		}
		for _, seed := range pending[layer] {
			if next[seed.Dataset] == 0 {
				touched = append(touched, int32(seed.Dataset))
			}
			next[seed.Dataset] |= 1 << (seed.Value % 64)
		}
		delete(pending, layer)
		if len(touched) == 0 && len(pending) > 0 { // nothing spreads: skip to the next seeded layer
			skip := math.MaxInt
			for l := range pending {
				skip = min(skip, l)
			}
			layer = skip - 1
		}
		frontier = frontier[:0]
		for _, x := range touched {
			fresh := next[x] &^ reached[x]
			next[x] = 0
			if fresh == 0 {
				continue
			}
			reached[x] |= fresh
			frontier = append(frontier, entry{x, fresh})
			row := table[int(x)*values+64*w:]
			for b := fresh; b != 0; b &= b - 1 {
				row[bits.TrailingZeros64(b)] = int32(layer)
			}
		}
		touched = touched[:0]
	}
	return nil
}

// spreadMatrix takes the minimum over the distance matrix.
func (s *Space) spreadMatrix(ctx context.Context, values int, seeds []Seed, table []int32) error {
	n := s.Size()
	for _, seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range n {
			d := math.Ceil(s.matrix[x*n+seed.Dataset])
			if math.IsInf(d, 1) {
				continue
			}
			layer := int32(d) + int32(seed.Layer)
			if cell := &table[x*values+seed.Value]; *cell == Unreached || layer < *cell {
				*cell = layer
			}
		}
	}
	return nil
}

// GrowingMax returns, for each dataset, the running maxima of a function over
// balls: out[x][t] is the largest f(y) with d̄(x, y) ≤ t, for t = 0, 1, … until
// no dataset's maximum grows any more.
func (s *Space) GrowingMax(ctx context.Context, f []float64) ([][]float64, error) {
	n := s.Size()
	out, last := make([][]float64, n), 0.0
	for x := range out {
		out[x] = []float64{f[x]}
	}
	for _, d := range s.matrix {
		if !math.IsInf(d, 1) {
			last = max(last, d)
		}
	}
	for t := 1; ; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		changed := false
		for x := range n {
			m := out[x][t-1]
			if s.IsPath() {
				for _, y := range s.Neighbors(x) {
					m = max(m, out[y][t-1])
				}
			} else {
				for y := range n {
					if s.matrix[x*n+y] <= float64(t) {
						m = max(m, f[y])
					}
				}
			}
			changed = changed || m != out[x][t-1]
			out[x] = append(out[x], m)
		}
		if !changed && float64(t) >= last {
			return out, nil
		}
	}
}
