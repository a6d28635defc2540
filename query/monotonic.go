package query

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Monotonicity is the monotonicity of a query (Wu et al., Definition 10). Weak means that a dataset farther from x
// never has a value nearer to f(x); Strict means that it always has a value farther from f(x).
type Monotonicity struct {
	Weak, Strict bool
	// A counterexample: d̄(X, Y) > d̄(X, Z), and f(Y) is nearer to f(X) than f(Z) (not Weak) or as near (not Strict).
	// All are 0 without one.
	X, Y, Z int
}

// Monotonic decides Definition 10 by visiting all pairs of datasets. It returns the context's error.
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
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(far[a], far[b]), a-b) })
		top := -1 // the nearer dataset with the farthest value
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
		return cmp.Compare(da, db)
	}
	return q.metric.Rational(v, a).Cmp(q.metric.Rational(v, b))
}
