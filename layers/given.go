package layers

import (
	"context"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// NewGiven returns the layered mechanism with the given layers: table[x·|R| + r] is L^x(r), or query.Unreached if r is
// in no layer of x. The initial values are those whose closure gives these layers, if there are any. A value r in layer
// i of x is an initial value unless another dataset y implies its layer: ⌈d̄(x, y)⌉ + L^y(r) ≤ i. Name and claimed
// guarantee come from h.
//
// It returns an error wrapping evidence.ErrParameter if the table does not fit the query or leaves a dataset without
// any value.
func NewGiven(ctx context.Context, h mechanism.Info, decay evidence.Epsilon, table []int32) (*Mechanism, error) {
	q := h.Query
	if err := decay.Positive("decay"); err != nil {
		return nil, err
	}
	levels, err := mechanism.NewLayerTable(ctx, q, table)
	if err != nil {
		return nil, err
	}
	sets, err := sources(ctx, q, table)
	if err != nil {
		return nil, err
	}
	return &Mechanism{
		Layered: mechanism.NewLayered(h.Name, levels, decay, h.Claimed),
		name:    h.Name, sets: sets, rule: Closure,
	}, nil
}

// sources returns the initial values of a table under the closure. On a path space whose layers differ by at most 1
// between neighbors, it suffices to check the neighbors.
func sources(ctx context.Context, q *query.Query, table []int32) (Sets, error) {
	size := len(q.Range())
	sets := Sets{At: make([]map[int][]int, q.Size())}
	space := q.Space()
	for x := range sets.At {
		if err := ctx.Err(); err != nil {
			return Sets{}, err
		}
		sets.At[x] = make(map[int][]int)
		type other struct{ y, d int } // a dataset and ⌈d̄⌉
		var others []other
		if space.IsPath() {
			for _, y := range space.Neighbors(x) {
				others = append(others, other{int(y), 1})
			}
		} else {
			for y, d := range space.Distances(x) {
				if y != x && d <= math.MaxInt32 { // no layer is deeper
					others = append(others, other{y, int(math.Ceil(d))})
				}
			}
		}
		for r := range size {
			level := int(table[x*size+r])
			if level == query.Unreached {
				continue
			}
			if !slices.ContainsFunc(others, func(o other) bool {
				l := int(table[o.y*size+r])
				return l != query.Unreached && l+o.d <= level
			}) {
				sets.At[x][level] = append(sets.At[x][level], r)
			}
		}
	}
	return sets, nil
}
