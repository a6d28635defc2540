package mechanism

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// LayerTable is a table of integer levels L^x(r), query.Unreached where p^x(r) = 0,
// with what does not depend on ε: the profile of each dataset and the extremes
// of the level difference across each neighboring pair. Mechanisms at different
// ε share it. It is immutable. A dataset or a place beyond the table panics, as an
// index does.
type LayerTable struct {
	q              *query.Query
	table          *query.LayerTable
	profile        []int32   // dataset → profile
	representative []int32   // the first dataset of each profile
	firstLayer     []int32   // the first level of each profile
	cached         []profile // nil where there are many: made again from their owners
	span           int64     // the deepest level of a dataset below its first, at most

	maxEdges int64 // that are looked at once and kept
	edgeLock sync.Mutex
	edges    []edge // nil until asked for
}

// mostKept is how many profiles are kept.
const maxCachedProfiles = 1 << 18

// profile is what a dataset's law and distortion depend on: n_i = |R_i^x| and
// D_i = Σ_{r ∈ R_i^x} d(f(x), r), for the levels i that occur.
type profile struct {
	layer []int32 // ascending
	count []float64
	steps []float64  // D_i in steps of the metric, rounded where these are not whole
	total []*big.Rat // D_i itself there, nil where they are
}

// NewLayerTable wraps the n × |R| table of levels of q, row by row. It returns an error
// wrapping evidence.ErrParameter where the table has another size, a level is
// neither query.Unreached nor in 0…query.MaxLayer, or a dataset reaches no value,
// and the context's error.
func NewLayerTable(ctx context.Context, q *query.Query, table []int32) (*LayerTable, error) {
	size := len(q.Range())
	if len(table) != q.Size()*size {
		return nil, parameter.Errorf("table of %d layers, want %d", len(table), q.Size()*size)
	}
	for i, level := range table {
		if level < query.Unreached || level > query.MaxLayer {
			return nil, parameter.Errorf("value %d of dataset %d in layer %d, want 0…%d, or %d for none", i%size, i/size, level, query.MaxLayer, query.Unreached)
		}
	}
	return LayerTableOf(ctx, q, query.NewLayerTable(size, table))
}

// LayerTableOf wraps the layers that q's space spread over its range. It returns an error wrapping
// evidence.ErrParameter where a dataset reaches no value, and the context's error.
func LayerTableOf(ctx context.Context, q *query.Query, table *query.LayerTable) (*LayerTable, error) {
	l := &LayerTable{q: q, table: table, profile: make([]int32, q.Size()), maxEdges: maxCachedEdges}
	var err error
	if table.SharesRows() {
		err = numberProfiles(ctx, l, func(_ *profileBuilder, x int) uint64 {
			return uint64(table.RowID(x))<<32 | uint64(q.ValueIndex(x))
		})
	} else {
		err = numberProfiles(ctx, l, func(b *profileBuilder, x int) string {
			b.key = b.profile(q, x, b.row(table, x)).appendKey(b.key[:0])
			return string(b.key)
		})
	}
	if err != nil {
		return nil, err
	}
	l.firstLayer = make([]int32, len(l.representative))
	if len(l.representative) <= maxCachedProfiles {
		l.cached = make([]profile, len(l.representative))
	}
	spans, err := parallel.Gather(ctx, len(l.representative), 1<<8, func(span *int64) func(from, to int) error {
		var b profileBuilder
		return func(from, to int) error {
			for i := from; i < to; i++ {
				x := int(l.representative[i])
				p := b.profile(q, x, b.row(table, x))
				if len(p.layer) == 0 {
					return parameter.Errorf("dataset %v reaches no value: every layer is empty", q.Space().Dataset(x))
				}
				l.firstLayer[i], *span = p.layer[0], max(*span, p.span())
				if l.cached != nil {
					l.cached[i] = p.clone()
				}
			}
			return nil
		}
	})
	l.span = slices.Max(spans)
	return l, err
}

// distinguish numbers the different profiles, which datasets share where their keys are the same, in the order of
// the first dataset that has them, and enters whose is which.
func numberProfiles[K comparable](ctx context.Context, l *LayerTable, key func(b *profileBuilder, x int) K) error {
	size := l.q.Size()
	each := (size-1)/(2*runtime.GOMAXPROCS(0)) + 1 // datasets at a time
	type part struct {
		keys  []K // of the different ones
		owner []int32
	}
	parts := make([]part, (size+each-1)/each)
	err := parallel.Each(ctx, len(parts), func(i int) error {
		known := make(map[K]int32)
		var b profileBuilder
		for x := i * each; x < min((i+1)*each, size); x++ {
			if x%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			k := key(&b, x)
			id, ok := known[k]
			if !ok {
				id = int32(len(known))
				known[k] = id
				parts[i].keys, parts[i].owner = append(parts[i].keys, k), append(parts[i].owner, int32(x))
			}
			l.profile[x] = id
		}
		return nil
	})
	if err != nil {
		return err
	}
	known := make(map[K]int32)
	for i, p := range parts {
		ids := make([]int32, len(p.keys))
		for n, k := range p.keys {
			id, ok := known[k]
			if !ok {
				id = int32(len(l.representative))
				known[k] = id
				l.representative = append(l.representative, p.owner[n])
			}
			ids[n] = id
		}
		for x := i * each; x < min((i+1)*each, size); x++ {
			l.profile[x] = ids[l.profile[x]]
		}
		parts[i] = part{}
	}
	return nil
}

// profileAt returns a profile.
func (l *LayerTable) profileAt(i int32) profile {
	if l.cached != nil {
		return l.cached[i]
	}
	var b profileBuilder
	return b.profile(l.q, int(l.representative[i]), b.row(l.table, int(l.representative[i])))
}

// eachProfile calls f with every profile, on all processors.
func (l *LayerTable) eachProfile(f func(i int, p profile)) {
	_ = parallel.Workers(context.Background(), len(l.representative), 1<<10, func() func(from, to int) error { // a second at most
		var b profileBuilder
		return func(from, to int) error {
			for i := from; i < to; i++ {
				if l.cached != nil {
					f(i, l.cached[i])
				} else {
					f(i, b.profile(l.q, int(l.representative[i]), b.row(l.table, int(l.representative[i]))))
				}
			}
			return nil
		}
	})
}

// buckets gathers profiles in memory that is used again.
type profileBuilder struct {
	count, steps []float64 // by level, zero between uses
	p            profile
	layers       []int32
	key          []byte
}

// row returns the levels of x, valid until the next.
func (b *profileBuilder) row(t *query.LayerTable, x int) []int32 {
	row := t.Row(x, b.layers)
	if t.SharesRows() {
		b.layers = row
	}
	return row
}

// profile returns the profile of a row of levels; it is valid until the next.
func (b *profileBuilder) profile(q *query.Query, x int, row []int32) profile {
	b.p = profile{layer: b.p.layer[:0], count: b.p.count[:0], steps: b.p.steps[:0]}
	metric, value := q.Metric(), q.ValueIndex(x)
	const near = 1 << 12 // levels with a bucket; deeper ones are rare
	var far []int
	for r, level := range row {
		switch {
		case level == query.Unreached:
			continue
		case level >= near:
			far = append(far, r)
			continue
		}
		for int(level) >= len(b.count) {
			b.count, b.steps = append(b.count, 0), append(b.steps, 0)
		}
		if b.count[level] == 0 {
			b.p.layer = append(b.p.layer, level)
		}
		b.count[level]++
		b.steps[level] += metric.Steps(value, r)
	}
	slices.Sort(b.p.layer)
	for _, level := range b.p.layer {
		b.p.count, b.p.steps = append(b.p.count, b.count[level]), append(b.p.steps, b.steps[level])
		b.count[level], b.steps[level] = 0, 0
	}
	slices.SortStableFunc(far, func(r, s int) int { return int(row[r]) - int(row[s]) })
	for i, r := range far {
		if i == 0 || row[r] != row[far[i-1]] {
			b.p.layer, b.p.count, b.p.steps = append(b.p.layer, row[r]), append(b.p.count, 0), append(b.p.steps, 0)
		}
		last := len(b.p.layer) - 1
		b.p.count[last]++
		b.p.steps[last] += metric.Steps(value, r)
	}
	if !metric.IsExact() {
		b.p.total = make([]*big.Rat, len(b.p.layer))
		for r, level := range row {
			if k, ok := slices.BinarySearch(b.p.layer, level); ok && level != query.Unreached {
				if b.p.total[k] == nil {
					b.p.total[k] = new(big.Rat)
				}
				b.p.total[k].Add(b.p.total[k], metric.Rational(value, r))
			}
		}
	}
	return b.p
}

func (p profile) appendKey(key []byte) []byte {
	short := func(v float64) { key = binary.AppendUvarint(key, bits.ReverseBytes64(math.Float64bits(v))) } // of whole numbers a few bytes
	for i := range p.layer {
		key = binary.AppendUvarint(key, uint64(p.layer[i]))
		short(p.count[i])
		short(p.steps[i])
		if p.total != nil {
			key = append(append(key, p.total[i].RatString()...), 0)
		}
	}
	return key
}

// ProfileKey returns what the law and the distortion of x depend on, at any ε: the
// number of values in each layer that it reaches, and their distances together.
// Datasets with the same key have the same distortion.
func (l *LayerTable) ProfileKey(x int) string {
	return string(l.profileAt(l.profile[x]).appendKey(nil))
}

// depth returns how far the last level lies below the first.
func (p profile) span() int64 { return int64(p.layer[len(p.layer)-1]) - int64(p.layer[0]) }

// size returns how many values have a level.
func (p profile) size() float64 {
	n := 0.0
	for _, c := range p.count {
		n += c
	}
	return n
}

func (p profile) clone() profile {
	return profile{slices.Clone(p.layer), slices.Clone(p.count), slices.Clone(p.steps), p.total}
}

// distances returns enclosures of the D_i over a unit.
func (l *LayerTable) distances(p profile) (over func(k int) interval.Interval, unit interval.Interval) {
	if p.total != nil {
		return func(k int) interval.Interval { return interval.Rat(p.total[k]) }, interval.Int(1)
	}
	return func(k int) interval.Interval { return interval.Float(p.steps[k]) }, interval.Rat(l.q.Metric().Unit())
}

// wholeDistances returns the D_i as whole multiples of a unit.
func (l *LayerTable) wholeDistances(p profile) (whole []*big.Int, unit *big.Rat) {
	if p.total == nil {
		return wholeNumbers(p.steps), l.q.Metric().Unit()
	}
	common := big.NewInt(1)
	for _, d := range p.total {
		g := new(big.Int).GCD(nil, nil, common, d.Denom())
		common.Mul(common, g.Quo(d.Denom(), g))
	}
	for _, d := range p.total {
		v := new(big.Int).Quo(common, d.Denom())
		whole = append(whole, v.Mul(v, d.Num()))
	}
	return whole, new(big.Rat).SetFrac(big.NewInt(1), common)
}

// wholeNumbers returns float64s that hold whole numbers as such.
func wholeNumbers(v []float64) []*big.Int {
	out := make([]*big.Int, len(v))
	for i, x := range v {
		out[i], _ = big.NewFloat(x).Int(nil)
	}
	return out
}

// row returns the levels of x.
func (l *LayerTable) row(x int) []int32 { return l.table.Row(x, nil) }

// Query returns the query.
func (l *LayerTable) Query() *query.Query { return l.q }

// Layer returns L^x(r), query.Unreached where r is never output at x.
func (l *LayerTable) Layer(x, r int) int { return int(l.table.Layer(x, r)) }

// Layer is a level that some values have, with these values.
type Layer struct {
	Index  int
	Values []int // as places in the range, ascending
}

// NonemptyLayers returns the levels of x that hold a value, ascending.
func (l *LayerTable) NonemptyLayers(x int) []Layer {
	row := l.row(x)
	var order []int
	for r, level := range row {
		if level != query.Unreached {
			order = append(order, r)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(row[a]) - int(row[b]) })
	var out []Layer
	for _, r := range order {
		if n := len(out); n == 0 || out[n-1].Index != int(row[r]) {
			out = append(out, Layer{Index: int(row[r])})
		}
		last := &out[len(out)-1]
		last.Values = append(last.Values, r)
	}
	return out
}

// LastLayer returns the last level of x.
func (l *LayerTable) LastLayer(x int) int { return int(slices.Max(l.row(x))) }

// Layers returns the layers of x: out[i] lists the values at level i. It takes
// memory for every level down to the deepest; Occupied does not.
func (l *LayerTable) Layers(x int) [][]int {
	out := make([][]int, l.LastLayer(x)+1)
	for _, layer := range l.NonemptyLayers(x) {
		out[layer.Index] = layer.Values
	}
	return out
}
