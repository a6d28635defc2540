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

// LayerTable is a table of integer layers L^x(r), query.Unreached if p^x(r) = 0, with the data that do not depend
// on ε: the profile of each dataset, and the extremes of the layer difference of each neighboring pair. Mechanisms
// with different decays share it. It is immutable. An index out of range panics.
type LayerTable struct {
	q              *query.Query
	table          *query.LayerTable
	profile        []int32   // dataset → profile
	representative []int32   // the first dataset of each profile
	firstLayer     []int32   // the first nonempty layer of each profile
	cached         []profile // nil if there are many; computed again on demand
	span           int64     // the largest number of layers between the first and the last of a dataset

	maxEdges int64 // edges are cached if there are at most this many
	edgeLock sync.Mutex
	edges    []edge // nil until they are computed
}

// maxCachedProfiles bounds the number of cached profiles.
const maxCachedProfiles = 1 << 18

// profile is what a dataset's law and distortion depend on: n_i = |R_i^x| and D_i = Σ_{r ∈ R_i^x} d(f(x), r) for
// each nonempty layer i.
type profile struct {
	layer []int32 // ascending
	count []float64
	steps []float64  // D_i in steps of the metric, rounded unless these are integers
	total []*big.Rat // D_i if steps are rounded; nil otherwise
}

// NewLayerTable returns the table with the given layers of q, n × |R| numbers row by row. It returns an error
// wrapping evidence.ErrParameter if the size differs, a layer is neither query.Unreached nor 0…query.MaxLayer, or
// a dataset has only empty layers, and the context's error.
func NewLayerTable(ctx context.Context, q *query.Query, table []int32) (*LayerTable, error) {
	size := len(q.Range())
	if len(table) != q.Size()*size {
		return nil, parameter.Errorf("the table has %d layers, want %d, one per dataset and value", len(table), q.Size()*size)
	}
	for i, layer := range table {
		if layer < query.Unreached || layer > query.MaxLayer {
			return nil, parameter.Errorf("value %d of dataset %d in layer %d, want 0…%d, or %d for none", i%size, i/size, layer, query.MaxLayer, query.Unreached)
		}
	}
	return LayerTableOf(ctx, q, query.NewLayerTable(size, table))
}

// LayerTableOf returns the table with the given layers of q. It returns an error wrapping evidence.ErrParameter if
// the table has another shape or a dataset has only empty layers, and the context's error.
func LayerTableOf(ctx context.Context, q *query.Query, table *query.LayerTable) (*LayerTable, error) {
	size := len(q.Range())
	if datasets, values := table.Shape(); datasets != q.Size() || values != size {
		return nil, parameter.Errorf("table of %d datasets and %d values, want %d and %d", datasets, values, q.Size(), size)
	}
	l := &LayerTable{q: q, table: table, profile: make([]int32, q.Size()), maxEdges: maxCachedEdges}
	var err error
	if table.SharesRows() {
		err = numberProfiles(ctx, l, func(_ *profileBuilder, x int) uint64 { return uint64(table.RowID(x))<<32 | uint64(q.ValueIndex(x)) })
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
	if err != nil {
		return nil, err
	}
	l.span = slices.Max(spans)
	return l, nil
}

// numberProfiles numbers the different profiles by their first dataset, and sets the profile of every dataset.
// Datasets with the same key have the same profile.
func numberProfiles[K comparable](ctx context.Context, l *LayerTable, key func(b *profileBuilder, x int) K) error {
	size := l.q.Size()
	each := (size-1)/(2*runtime.GOMAXPROCS(0)) + 1 // datasets per part
	type part struct {
		keys  []K // of the part's profiles
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

// profileAt returns the i-th profile.
func (l *LayerTable) profileAt(i int32) profile {
	if l.cached != nil {
		return l.cached[i]
	}
	var b profileBuilder
	return b.profile(l.q, int(l.representative[i]), b.row(l.table, int(l.representative[i])))
}

// eachProfile calls f for every profile, on all processors.
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

// profileBuilder computes profiles and reuses its memory.
type profileBuilder struct {
	count, steps []float64 // by layer; all 0 between calls
	p            profile
	layers       []int32
	key          []byte
}

// row returns the layers of x. They are valid until the next call.
func (b *profileBuilder) row(t *query.LayerTable, x int) []int32 {
	row := t.Row(x, b.layers)
	if t.SharesRows() {
		b.layers = row
	}
	return row
}

// profile returns the profile of a row of layers. It is valid until the next call.
func (b *profileBuilder) profile(q *query.Query, x int, row []int32) profile {
	b.p = profile{layer: b.p.layer[:0], count: b.p.count[:0], steps: b.p.steps[:0]}
	metric, value := q.Metric(), q.ValueIndex(x)
	const near = 1 << 12 // layers with a bucket; later ones are rare
	var far []int
	for r, layer := range row {
		switch {
		case layer == query.Unreached:
			continue
		case layer >= near:
			far = append(far, r)
			continue
		}
		for int(layer) >= len(b.count) {
			b.count, b.steps = append(b.count, 0), append(b.steps, 0)
		}
		if b.count[layer] == 0 {
			b.p.layer = append(b.p.layer, layer)
		}
		b.count[layer]++
		b.steps[layer] += metric.Steps(value, r)
	}
	slices.Sort(b.p.layer)
	for _, layer := range b.p.layer {
		b.p.count, b.p.steps = append(b.p.count, b.count[layer]), append(b.p.steps, b.steps[layer])
		b.count[layer], b.steps[layer] = 0, 0
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
		for r, layer := range row {
			if k, ok := slices.BinarySearch(b.p.layer, layer); ok && layer != query.Unreached {
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
	short := func(v float64) { key = binary.AppendUvarint(key, bits.ReverseBytes64(math.Float64bits(v))) } // integers take few bytes
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

// ProfileKey returns a key of the number of values and the sum of their distances in each layer of x. Datasets
// with the same key have the same distortion at every ε.
func (l *LayerTable) ProfileKey(x int) string {
	return string(l.profileAt(l.profile[x]).appendKey(nil))
}

// span returns the last layer minus the first.
func (p profile) span() int64 { return int64(p.layer[len(p.layer)-1]) - int64(p.layer[0]) }

// size returns the number of values that have a layer.
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

// distances returns enclosures of D_i/unit, and of the unit.
func (l *LayerTable) distances(p profile) (over func(k int) interval.Interval, unit interval.Interval) {
	if p.total != nil {
		return func(k int) interval.Interval { return interval.Rat(p.total[k]) }, interval.Int(1)
	}
	return func(k int) interval.Interval { return interval.Float(p.steps[k]) }, interval.Rat(l.q.Metric().Unit())
}

// wholeDistances returns the D_i as integer multiples of a unit.
func (l *LayerTable) wholeDistances(p profile) (whole []*big.Int, unit *big.Rat) {
	if p.total == nil {
		return wholeNumbers(p.steps), l.q.Metric().Unit()
	}
	common := big.NewInt(1)
	for _, d := range p.total {
		common = query.CommonDenominator(common, d)
	}
	for _, d := range p.total {
		whole = append(whole, query.Scaled(d, common))
	}
	return whole, new(big.Rat).SetFrac(big.NewInt(1), common)
}

// wholeNumbers converts float64s that hold integers.
func wholeNumbers(v []float64) []*big.Int {
	out := make([]*big.Int, len(v))
	for i, x := range v {
		out[i], _ = big.NewFloat(x).Int(nil)
	}
	return out
}

func (l *LayerTable) row(x int) []int32 { return l.table.Row(x, nil) }

func (l *LayerTable) Query() *query.Query { return l.q }

// Layer returns L^x(r), or query.Unreached if x never outputs r.
func (l *LayerTable) Layer(x, r int) int { return int(l.table.Layer(x, r)) }

// Layer is a nonempty layer.
type Layer struct {
	Index  int
	Values []int // indices in the range, ascending
}

// NonemptyLayers returns the nonempty layers of x, ascending.
func (l *LayerTable) NonemptyLayers(x int) []Layer {
	row := l.row(x)
	var order []int
	for r, layer := range row {
		if layer != query.Unreached {
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

// LastLayer returns the last nonempty layer of x.
func (l *LayerTable) LastLayer(x int) int { return int(slices.Max(l.row(x))) }

// Layers returns the values of each layer of x, from 0 to LastLayer. NonemptyLayers takes less memory.
func (l *LayerTable) Layers(x int) [][]int {
	out := make([][]int, l.LastLayer(x)+1)
	for _, layer := range l.NonemptyLayers(x) {
		out[layer.Index] = layer.Values
	}
	return out
}
