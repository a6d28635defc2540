package smooth

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// OnRange returns the finite mechanism that rounds the output of m to the nearest value of the query's range. Ties have
// probability 0. As post-processing it is as private as m.
func (m *Mechanism) OnRange(ctx context.Context) (*mechanism.Table, error) {
	values, err := centered(m.q)
	if err != nil {
		return nil, err
	}
	order := lists.Order(len(values), func(a, b int) int { return values[a].Cmp(values[b]) })
	cuts := make([]*big.Rat, len(order)-1)
	for k := range cuts {
		mid := new(big.Rat).Add(values[order[k]], values[order[k+1]])
		cuts[k] = mid.Mul(mid, big.NewRat(1, 2))
	}
	rowOf := make(map[string]int32)
	class := make([]int32, len(m.bound))
	var rows [][]interval.Interval
	done := parallel.Count(ctx, int64(len(class)), "datasets")
	for x := range class {
		key := m.bound[x].key() + "#" + m.center[x].RatString()
		id, ok := rowOf[key]
		if !ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			id = int32(len(rows))
			rowOf[key] = id
			rows = append(rows, m.row(x, order, cuts))
		}
		class[x] = id
		done(1)
	}
	claim := m.ClaimedEpsilon()
	if !m.Delta.IsZero() {
		claim = infiniteClaim(m.source)
	}
	return mechanism.NewEnclosedTable(mechanism.Info{Name: m.name + ", on the range", Query: m.q, Claimed: claim}, rows, nil, class)
}

// row is the law of a dataset on the range.
func (m *Mechanism) row(x int, order []int, cuts []*big.Rat) []interval.Interval {
	out := make([]interval.Interval, len(order))
	center := m.center[x]
	if m.bound[x].IsZero() {
		at, _ := slices.BinarySearchFunc(cuts, center, (*big.Rat).Cmp)
		out = slices.Repeat([]interval.Interval{interval.Int(0)}, len(order))
		out[order[at]] = interval.Int(1)
		return out
	}
	sigma := m.sigma(x)
	// Masses above the center are differences of upper tails, and masses below it are differences of lower tails. So
	// small masses keep their digits.
	tail := make([]interval.Interval, len(cuts))
	above := make([]bool, len(cuts))
	for k, c := range cuts {
		d := new(big.Rat).Sub(c, center)
		above[k] = d.Sign() >= 0
		tail[k] = m.Noise.Tail(interval.Rat(d.Abs(d)).Quo(sigma))
	}
	zero := interval.Int(0)
	for k, r := range order {
		low, high := zero, zero // the masses outside of the cell
		lowAbove, highAbove := false, true
		if k > 0 {
			low, lowAbove = tail[k-1], above[k-1]
		}
		if k < len(cuts) {
			high, highAbove = tail[k], above[k]
		}
		switch {
		case !lowAbove && highAbove:
			out[r] = one().Sub(low).Sub(high)
		case lowAbove:
			out[r] = low.Sub(high)
		default:
			out[r] = high.Sub(low)
		}
	}
	return out
}
