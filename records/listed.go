package records

import (
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// listed is a range given as a list, with a layer for each value.
type listed struct {
	values []*big.Rat // ascending
	names  []string   // names of categories, whose values are their indices; nil for numbers
	level  []int32
	counts []int // counts of categories
}

func (l *listed) layer(r *big.Rat) int {
	i, ok := slices.BinarySearchFunc(l.values, r, (*big.Rat).Cmp)
	if !ok {
		return -1
	}
	return int(l.level[i])
}

// mostListed bounds the length of a listed range.
const mostListed = 1 << 20

// listOrderLayers lists the layers of an order statistic on a grid under addition and removal. A value that is a record
// may also be reached by removals alone.
func (r *Records) listOrderLayers(q *Query, m int, p *big.Rat) (*Query, error) {
	if r.size >= mostListed {
		return nil, parameter.Errorf("grid has %d steps between the ends, want at most %d for this quantile under addition and removal", r.size, mostListed-1)
	}
	n := r.Len()
	l := &listed{values: make([]*big.Rat, r.size+1), level: make([]int32, r.size+1)}
	for k := range l.values {
		v := new(big.Rat).SetInt64(int64(k))
		l.values[k] = v.Add(v.Mul(v, r.opts.Grid), r.opts.Lo)
	}
	at := int(r.place(m))
	moves := q.moves
	up := func(t int) int { u, _ := moves(t); return at + steps(u, r.opts.Grid) }
	down := func(t int) int { _, d := moves(t); return at - steps(d, r.opts.Grid) }
	for t, k := 1, at+1; k <= int(r.size); k++ {
		for up(t) < k {
			t++
		}
		l.level[k] = int32(t)
	}
	for t, k := 1, at-1; k >= 0; k-- {
		for down(t) > k {
			t++
		}
		l.level[k] = int32(t)
	}
	// Removing the lowest d records makes record d + ⌈p(n − d)⌉ the statistic; removing the highest d makes it
	// record ⌈p(n − d)⌉.
	for d := 1; d < n; d++ {
		k := placeOf(p, n-d)
		for _, place := range []int64{r.place(d + k), r.place(k)} {
			l.level[place] = min(l.level[place], int32(d))
		}
	}
	q.listed, q.moves = l, nil
	return q, nil
}

func steps(d, grid *big.Rat) int { return int(new(big.Rat).Quo(d, grid).Num().Int64()) }
