package query

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"

	"dpworkbench/internal/parameter"
)

// Space is a dataset metric space (Wu et al., Definition 4): the datasets 0 … Size()−1 with a metric d̄. Two
// datasets are neighbors if 0 < d̄ ≤ 1.
//
// Most spaces are path spaces: d̄ is the length of the shortest path in the neighbor graph, +Inf if there is none.
// Other spaces have a distance matrix. An index out of range panics.
type Space struct {
	offsets   []int64 // neighbors of x are neighbors[offsets[x]:offsets[x+1]], ascending
	neighbors []int32
	graphs    *graphUniverse // has the neighbors if they are not listed

	// levels[k] is the first dataset of level k, for graphs the first with k edges; the last entry is Size().
	// Neighbors are in adjacent levels, and between any two datasets there is a shortest path that first only descends
	// and then only ascends. It is nil for other spaces.
	levels []int

	matrix      []float64              // distances, row by row; nil for a path space
	closedForm  func(x, y int) float64 // d̄ in closed form; may be nil
	name        func(x int) any        // nil if datasets have only numbers
	find        func(name any) (int, error)
	names       []any           // given to Named; nil otherwise
	recordCount func(x int) int // nil if datasets are not multisets of records

	mu       sync.Mutex
	diameter float64 // 0 if it is not computed yet
}

// newPathSpace returns the space with a symmetric neighbor graph in compressed rows. Rows must be ascending,
// without loops, and hold every edge twice.
func newPathSpace(offsets []int64, neighbors []int32) *Space {
	return &Space{offsets: offsets, neighbors: neighbors}
}

// maxPathDatasets bounds the datasets of a path space, to 2 GiB of rows.
const maxPathDatasets = 1 << 26

// NewPathSpace returns the space of n datasets with the path metric of the given undirected edges. It returns an
// error wrapping evidence.ErrParameter unless n is positive and every edge connects two different datasets.
func NewPathSpace(n int, edges [][2]int) (*Space, error) {
	if err := parameter.AtLeast("datasets", n, 1); err != nil {
		return nil, err
	}
	if n > maxPathDatasets {
		return nil, parameter.Bad("datasets", n, "at most %d", maxPathDatasets)
	}
	rows := make([][]int32, n)
	for k, e := range edges {
		for _, v := range e {
			if v < 0 || v >= n {
				return nil, parameter.Errorf("edges[%d] = (%d, %d), want two datasets in 0…%d", k, e[0], e[1], n-1)
			}
		}
		if e[0] == e[1] {
			return nil, parameter.Errorf("edges[%d] = (%d, %d) joins a dataset to itself, want two datasets", k, e[0], e[1])
		}
		rows[e[0]] = append(rows[e[0]], int32(e[1]))
		rows[e[1]] = append(rows[e[1]], int32(e[0]))
	}
	return newPathSpace(compress(rows)), nil
}

// compress sorts each row, removes duplicates and concatenates the rows.
func compress(rows [][]int32) (offsets []int64, neighbors []int32) {
	offsets = make([]int64, len(rows)+1)
	for x, row := range rows {
		slices.Sort(row)
		neighbors = append(neighbors, slices.Compact(row)...)
		offsets[x+1] = int64(len(neighbors))
	}
	return offsets, neighbors
}

// IsConnected reports whether all distances are finite.
func (s *Space) IsConnected() bool {
	s.mu.Lock()
	known := s.diameter
	s.mu.Unlock()
	if known > 0 {
		return !math.IsInf(known, 1)
	}
	for _, d := range s.Distances(0) {
		if math.IsInf(d, 1) {
			return false
		}
	}
	return true
}

// Size returns the number of datasets.
func (s *Space) Size() int {
	if s.graphs != nil {
		return len(s.graphs.codes)
	}
	return len(s.offsets) - 1
}

// Neighbors returns the datasets y with 0 < d̄(x, y) ≤ 1, ascending. The caller must not change the slice.
func (s *Space) Neighbors(x int) []int32 {
	if s.graphs != nil {
		return s.AppendNeighbors(nil, x)
	}
	return s.neighbors[s.offsets[x]:s.offsets[x+1]]
}

// AppendNeighbors appends the neighbors of x to row. If the space does not store lists of neighbors, Neighbors
// allocates a slice for every call, and AppendNeighbors does not.
func (s *Space) AppendNeighbors(row []int32, x int) []int32 {
	if s.graphs != nil {
		return s.graphs.above(x, s.graphs.below(x, row))
	}
	return append(row, s.Neighbors(x)...)
}

// Pairs returns the number of unordered neighboring pairs.
func (s *Space) Pairs() int64 {
	if s.graphs != nil {
		return s.graphs.pairs()
	}
	return int64(len(s.neighbors)) / 2
}

// Pair returns the i-th ordered neighboring pair, 0 ≤ i < 2·Pairs(), in the order of x, then y.
func (s *Space) Pair(i int64) (x, y int) {
	if s.graphs == nil {
		return sort.Search(s.Size(), func(x int) bool { return s.offsets[x+1] > i }), int(s.neighbors[i])
	}
	x, i = s.graphs.pairAt(i)
	return x, int(s.Neighbors(x)[i])
}

// SameNeighbors reports whether both spaces have the same datasets and neighbors.
func (s *Space) SameNeighbors(o *Space) bool {
	switch {
	case s == o || s.graphs != nil && s.graphs == o.graphs:
		return true
	case s.Size() != o.Size() || s.Pairs() != o.Pairs():
		return false
	case s.graphs == nil && o.graphs == nil:
		return slices.Equal(s.offsets, o.offsets) && slices.Equal(s.neighbors, o.neighbors)
	}
	for x := range s.Size() {
		if !slices.Equal(s.Neighbors(x), o.Neighbors(x)) {
			return false
		}
	}
	return true
}

// IsPath reports whether d̄ is the path metric of the neighbor graph.
func (s *Space) IsPath() bool { return s.matrix == nil }

// Distance returns d̄(x, y), +Inf if no path connects them.
func (s *Space) Distance(x, y int) float64 {
	switch {
	case s.matrix != nil:
		return s.matrix[x*s.Size()+y]
	case s.closedForm != nil:
		return s.closedForm(x, y)
	}
	return s.Distances(x)[y]
}

// Distances returns d̄(x, y) for every y.
func (s *Space) Distances(x int) []float64 {
	n := s.Size()
	d := make([]float64, n)
	if s.matrix != nil {
		copy(d, s.matrix[x*n:(x+1)*n])
		return d
	}
	for y := range d {
		d[y] = math.Inf(1)
	}
	d[x] = 0
	queue := append(make([]int32, 0, n), int32(x))
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range s.Neighbors(int(u)) {
			if math.IsInf(d[v], 1) {
				d[v] = d[u] + 1
				queue = append(queue, v)
			}
		}
	}
	return d
}

// Diameter returns the largest distance, +Inf if the space is disconnected.
func (s *Space) Diameter() float64 {
	d, _ := s.FindDiameter(context.Background())
	return d
}

// FindDiameter is Diameter with a context, whose error it returns. Without a closed form it searches from every
// dataset.
func (s *Space) FindDiameter(ctx context.Context) (float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.diameter > 0 {
		return s.diameter, nil
	}
	largest := 0.0
	for x := range s.Size() {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if largest = max(largest, slices.Max(s.Distances(x))); math.IsInf(largest, 1) {
			break
		}
	}
	s.diameter = largest
	return largest, nil
}

// CeilDistances returns ⌈d̄(x, y)⌉ for every y, −1 if no path connects them.
func (s *Space) CeilDistances(x int) []int {
	d := s.Distances(x)
	out := make([]int, len(d))
	for y, v := range d {
		out[y] = -1
		if !math.IsInf(v, 1) && v <= MaxLayer {
			out[y] = int(math.Ceil(v))
		}
	}
	return out
}
