package query

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Unreached is the layer of a value that no seed reaches.
const Unreached = -1

// MaxLayer bounds layers. Sums of two layers fit int32.
const MaxLayer = 1 << 30

// Seed puts a value of the range into a layer of a dataset.
type Seed struct {
	Dataset, Value, Layer int
}

// SeedFunc calls put with the seeds of dataset x.
type SeedFunc func(x int, put func(value, layer int))

// DistanceTransform returns the layers L^x(r): the minimum of ⌈d̄(x, y)⌉ + i over the seeds that put the value r into
// layer i of a dataset y. The layer is Unreached if r has no seed. Layers of neighbors differ by at most one.
//
// For graphs, a shortest path may first delete edges, so two passes over the neighboring pairs suffice. For other path
// spaces it is a breadth-first search for 64 values at a time, one per bit of a word. With a distance matrix it is the
// minimum over the matrix. It returns an error wrapping evidence.ErrParameter if a seed is out of range or a layer
// exceeds MaxLayer, and the context's error.
func (s *Space) DistanceTransform(ctx context.Context, values int, seeds []Seed) (*LayerTable, error) {
	if err := s.checkTable(values); err != nil {
		return nil, err
	}
	n, latest := s.Size(), 0
	for i, seed := range seeds {
		if seed.Dataset < 0 || seed.Dataset >= n || seed.Value < 0 || seed.Value >= values || seed.Layer < 0 || seed.Layer > MaxLayer {
			return nil, parameter.Errorf("seeds[%d] puts value %d into layer %d of dataset %d, want a value in 0…%d, a layer in 0…%d and a dataset in 0…%d", i, seed.Value, seed.Layer, seed.Dataset, values-1, MaxLayer, n-1)
		}
		latest = max(latest, seed.Layer)
	}
	if !s.hasLevels(latest) {
		return s.transformPath(ctx, values, seeds)
	}
	byDataset := slices.Clone(seeds)
	slices.SortFunc(byDataset, func(a, b Seed) int { return a.Dataset - b.Dataset })
	return s.transformLevels(ctx, values, func(x int, put func(value, layer int)) {
		at, _ := slices.BinarySearchFunc(byDataset, x, func(seed Seed, x int) int { return seed.Dataset - x })
		for ; at < len(byDataset) && byDataset[at].Dataset == x; at++ {
			put(byDataset[at].Value, byDataset[at].Layer)
		}
	})
}

// DistanceTransformFrom is DistanceTransform with the seeds given by a function. It calls the function at least once
// per dataset, from several goroutines. The caller must ensure that seeds are in range and that no layer of a seed
// exceeds latest.
func (s *Space) DistanceTransformFrom(ctx context.Context, values, latest int, initial SeedFunc) (*LayerTable, error) {
	if err := s.checkTable(values); err != nil {
		return nil, err
	}
	if s.hasLevels(latest) {
		return s.transformLevels(ctx, values, initial)
	}
	seeds := make([]Seed, 0, s.Size())
	for x := range s.Size() {
		initial(x, func(value, layer int) { seeds = append(seeds, Seed{x, value, layer}) })
	}
	return s.transformPath(ctx, values, seeds)
}

// checkTable returns an error wrapping evidence.ErrParameter if a table with a cell for each dataset and value is too
// large.
func (s *Space) checkTable(values int) error {
	if n := s.Size(); values < 0 || values > maxCells/n {
		return parameter.Errorf("a table of %d datasets and %d values, want at most %d cells", n, values, maxCells)
	}
	return nil
}

// transformPath is DistanceTransform for spaces without levels.
func (s *Space) transformPath(ctx context.Context, values int, seeds []Seed) (*LayerTable, error) {
	n := s.Size()
	if err := memory.Need(fmt.Sprintf("a table of %d datasets and %d values", n, values), 5*float64(n)*float64(values)); err != nil {
		return nil, err
	}
	table := make([]int32, n*values)
	for i := range table {
		table[i] = Unreached
	}
	if !s.IsPath() {
		if err := s.transformMatrix(ctx, values, seeds, table); err != nil {
			return nil, err
		}
		return NewLayerTable(values, table), nil
	}
	words := (values + 63) / 64
	byWord, count := make([][]Seed, words), make([]int, words)
	for _, seed := range seeds {
		count[seed.Value/64]++
	}
	for w := range byWord {
		byWord[w] = make([]Seed, 0, count[w])
	}
	for _, seed := range seeds {
		byWord[seed.Value/64] = append(byWord[seed.Value/64], seed)
	}
	err := parallel.Workers(ctx, words, 1, func() func(from, to int) error {
		v := &searchState{reached: make([]uint64, n), next: make([]uint64, n)}
		return func(w, _ int) error { return s.searchWord(ctx, values, w, byWord[w], table, v) }
	})
	if err != nil {
		return nil, err
	}
	return NewLayerTable(values, table), nil
}

// searchState is the state of a breadth-first search for 64 values. For each dataset, a word of reached holds the
// values that have reached it, and a word of next the values that reach it in the next layer.
type searchState struct {
	reached, next []uint64
	frontier      []frontierEntry // the bits reached in the last layer
}

type frontierEntry struct {
	x    int32
	bits uint64
}

// searchWord fills the columns 64w … 64w+63 of the table by a breadth-first search. It sorts seeds in place.
func (s *Space) searchWord(ctx context.Context, values, w int, seeds []Seed, table []int32, v *searchState) error {
	clear(v.reached)
	clear(v.next)
	v.frontier = v.frontier[:0]
	slices.SortStableFunc(seeds, func(a, b Seed) int { return a.Layer - b.Layer })
	var touched []int32 // datasets with values in next
	for layer := 0; len(v.frontier) > 0 || len(seeds) > 0; layer++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, f := range v.frontier {
			for _, y := range s.Neighbors(int(f.x)) {
				if f.bits&^v.reached[y] != 0 {
					if v.next[y] == 0 {
						touched = append(touched, y)
					}
					v.next[y] |= f.bits
				}
			}
		}
		if len(touched) == 0 && len(seeds) > 0 { // the frontier is empty: skip to the next seeded layer
			layer = seeds[0].Layer
		}
		for ; len(seeds) > 0 && seeds[0].Layer == layer; seeds = seeds[1:] {
			if v.next[seeds[0].Dataset] == 0 {
				touched = append(touched, int32(seeds[0].Dataset))
			}
			v.next[seeds[0].Dataset] |= 1 << (seeds[0].Value % 64)
		}
		v.frontier = v.frontier[:0]
		for _, x := range touched {
			fresh := v.next[x] &^ v.reached[x]
			v.next[x] = 0
			if fresh == 0 {
				continue
			}
			if layer > MaxLayer {
				return errTooFar(float64(layer))
			}
			v.reached[x] |= fresh
			v.frontier = append(v.frontier, frontierEntry{x, fresh})
			for ; fresh != 0; fresh &= fresh - 1 {
				table[int(x)*values+64*w+bits.TrailingZeros64(fresh)] = int32(layer)
			}
		}
		touched = touched[:0]
	}
	return nil
}

// transformMatrix computes each layer of the table as the minimum over the seeds, with distances from the matrix.
func (s *Space) transformMatrix(ctx context.Context, values int, seeds []Seed, table []int32) error {
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
			layer := int32(min(d, beyondMaxLayer))
			lost = lost || d > MaxLayer
			if cell := &table[x*values+seed.Value]; *cell == Unreached || layer < *cell {
				*cell = layer
			}
		}
	}
	for k := 0; lost && k < len(seeds); k++ {
		seed := seeds[k]
		for x := range n {
			if table[x*values+seed.Value] > MaxLayer { // no seed is nearer
				return errTooFar(math.Ceil(s.matrix[x*n+seed.Dataset]) + float64(seed.Layer))
			}
		}
	}
	return nil
}

// beyondMaxLayer marks a layer above MaxLayer.
const beyondMaxLayer = math.MaxInt32

// errTooFar is the error for a layer above MaxLayer.
func errTooFar(layer float64) error {
	return parameter.Errorf("a value is in layer %.0f of a dataset, want at most %d; use inf for the distance of unconnected datasets", layer, MaxLayer)
}
