package query

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Unreached marks a value that no seed reaches.
const Unreached = -1

// MaxLayer bounds layers: tables hold them as int32s, and sums of two of them
// must fit as well.
const MaxLayer = 1 << 30

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
// error, and returns one wrapping evidence.ErrParameter where a seed leaves the universe
// or the range, and where a layer is above MaxLayer.
func (s *Space) Spread(ctx context.Context, values int, seeds []Seed) ([]int32, error) {
	n := s.Size()
	if values < 0 || values > maxCells/n {
		return nil, parameter.Errorf("a table of %d datasets and %d values, want at most %d cells", n, values, maxCells)
	}
	for i, seed := range seeds {
		if seed.Dataset < 0 || seed.Dataset >= n || seed.Value < 0 || seed.Value >= values || seed.Layer < 0 || seed.Layer > MaxLayer {
			return nil, parameter.Errorf("seeds[%d] puts value %d into layer %d of dataset %d, want a value of 0…%d, a layer of 0…%d and a dataset of 0…%d", i, seed.Value, seed.Layer, seed.Dataset, values-1, MaxLayer, n-1)
		}
	}
	if err := memory.Need(fmt.Sprintf("a table of %d datasets and %d values", n, values), 5*float64(n)*float64(values)); err != nil {
		return nil, err
	}
	table := make([]int32, n*values)
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
	err := parallel.Workers(ctx, words, 1, func() func(from, to int) error {
		reached, next := make([]uint64, n), make([]uint64, n)
		return func(w, _ int) error {
			return s.spreadWord(ctx, values, w, byWord[w], table, reached, next)
		}
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

// spreadWord fills the columns 64w … 64w+63 of the table. reached and next are
// its own for the while: a word for each dataset, next clear.
func (s *Space) spreadWord(ctx context.Context, values, w int, seeds []Seed, table []int32, reached, next []uint64) error {
	clear(reached)                  // next is left clear
	pending := make(map[int][]Seed) // by layer
	for _, seed := range seeds {
		pending[seed.Layer] = append(pending[seed.Layer], seed)
	}
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
			if layer > MaxLayer {
				return tooFar(float64(layer))
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
	n, lost := s.Size(), false
	for _, seed := range seeds {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range n {
			d := math.Ceil(s.matrix[x*n+seed.Dataset]) + float64(seed.Layer)
			if math.IsInf(d, 1) {
				continue
			}
			layer := int32(min(d, far))
			lost = lost || d > MaxLayer
			if cell := &table[x*values+seed.Value]; *cell == Unreached || layer < *cell {
				*cell = layer
			}
		}
	}
	for k := 0; lost && k < len(seeds); k++ {
		seed := seeds[k]
		for x := range n {
			if table[x*values+seed.Value] > MaxLayer { // and no seed is nearer
				return tooFar(math.Ceil(s.matrix[x*n+seed.Dataset]) + float64(seed.Layer))
			}
		}
	}
	return nil
}

// far marks a layer above MaxLayer.
const far = math.MaxInt32

// tooFar is the error of a layer that no table holds.
func tooFar(layer float64) error {
	return parameter.Errorf("distances put a value into layer %.0f of a dataset, want at most %d, or inf for datasets that no path joins", layer, MaxLayer)
}
