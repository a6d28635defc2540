package query

import (
	"context"
	"math"
	"slices"
)

// Monotonicity is what Definition 10 (Wu et al.) says of a query: monotonic if a dataset
// farther from x never has a value nearer to f(x), strictly if it always has one farther away.
type Monotonicity struct {
	Weak, Strict bool
	// Datasets with d̄(X, Y) > d̄(X, Z), and of which the value of Y is nearer than that of Z
	// (not Weak) or as near (not Strict). All 0 where there are none.
	X, Y, Z int
}

// Monotonic decides Definition 10 by visiting all pairs of datasets. It stops with ctx's
// error.
func (q *Query) Monotonic(ctx context.Context) (Monotonicity, error) {
	out := Monotonicity{Weak: true, Strict: true}
	order := make([]int, q.Size())
	for x := range order {
		if err := ctx.Err(); err != nil {
			return Monotonicity{}, err
		}
		far := q.space.Distances(x)
		for y := range order {
			order[y] = y
		}
		slices.SortFunc(order, func(a, b int) int {
			switch {
			case far[a] < far[b]:
				return -1
			case far[a] > far[b]:
				return 1
			}
			return a - b
		})
		top := -1 // the farthest value of the datasets nearer than those at hand
		for from := 0; from < len(order); {
			to := from
			for to < len(order) && far[order[to]] == far[order[from]] {
				to++
			}
			for _, y := range order[from:to] {
				if top < 0 {
					break
				}
				switch sign := q.compareFrom(x, y, top); {
				case sign < 0:
					return Monotonicity{X: x, Y: y, Z: top}, nil
				case sign == 0 && out.Strict:
					out = Monotonicity{Weak: true, X: x, Y: y, Z: top}
				}
			}
			for _, y := range order[from:to] {
				if top < 0 || q.compareFrom(x, y, top) > 0 {
					top = y
				}
			}
			from = to
		}
	}
	return out, nil
}

// compareFrom compares d(f(x), f(y)) with d(f(x), f(z)).
func (q *Query) compareFrom(x, y, z int) int {
	v, a, b := q.ValueIndex(x), q.ValueIndex(y), q.ValueIndex(z)
	da, db := q.metric.Steps(v, a), q.metric.Steps(v, b)
	if q.metric.exact || math.Abs(da-db) > 0x1p-50*da {
		switch {
		case da < db:
			return -1
		case da > db:
			return 1
		}
		return 0
	}
	return q.metric.Rational(v, a).Cmp(q.metric.Rational(v, b))
}
