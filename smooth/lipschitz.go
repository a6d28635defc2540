package smooth

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// Side selects a Lipschitz extension.
type Side string

// The extensions: McShane's, the largest; Whitney's, the least; and their mean.
const (
	Upper  Side = "upper"
	Lower  Side = "lower"
	Middle Side = "middle"
)

// LipschitzConstant returns the least bound with |f(x) − f(y)| ≤ bound·⌈d̄(x, y)⌉ for all x, y of a set of datasets,
// and a pair that attains it. Distances are rounded up to integers. Errors are those of McShane.
func LipschitzConstant(ctx context.Context, q *query.Query, on []int) (bound evidence.Exact, x, y int, err error) {
	values, err := numbers(q, "lipschitz_extension")
	if err == nil {
		err = checkOn(q, on)
	}
	if err != nil {
		return evidence.Exact{}, 0, 0, err
	}
	best := new(big.Rat)
	x, y = on[0], on[0]
	done := parallel.Count(ctx, int64(len(on)), "datasets compared")
	for i, a := range on {
		if ctx.Err() != nil {
			return evidence.Exact{}, 0, 0, ctx.Err()
		}
		done(1)
		d := q.Space().CeilDistances(a)
		for _, b := range on[:i] {
			if d[b] < 1 {
				continue
			}
			if s := slope(values[a], values[b], d[b]); s.Cmp(best) > 0 {
				best, x, y = s, b, a
			}
		}
	}
	return evidence.Exact{Value: best, Side: evidence.Up, Cases: uint64(len(on)) * uint64(len(on)-1) / 2, Provenance: evidence.From("all pairs of the set")}, x, y, nil
}

func slope(a, b *big.Rat, d int) *big.Rat {
	s := new(big.Rat).Sub(a, b)
	return s.Quo(s.Abs(s), big.NewRat(int64(d), 1))
}

// checkOn returns an error unless on is a nonempty set of datasets.
func checkOn(q *query.Query, on []int) error {
	if len(on) == 0 {
		return parameter.Errorf("on is empty, want the datasets whose values the extension keeps")
	}
	seen := make(map[int]bool, len(on))
	for i, x := range on {
		if x < 0 || x >= q.Size() {
			return parameter.Errorf("on[%d] = %d, want a dataset in 0…%d", i, x, q.Size()-1)
		}
		if seen[x] {
			return parameter.Errorf("on has dataset %v twice", q.Space().Dataset(x))
		}
		seen[x] = true
	}
	return nil
}

// McShane returns the query that agrees with q on a set of datasets and is bound-Lipschitz everywhere (McShane 1934):
// g(x) = min over y in the set of f(y) + bound·⌈d̄(x, y)⌉, Whitney's max of f(y) − bound·⌈d̄(x, y)⌉, or their mean.
// Its global sensitivity is at most bound. Its errors are measured from q.
//
// It returns an error wrapping evidence.ErrParameter if q is not bound-Lipschitz on the set (the error names a pair),
// no path joins some dataset to the set, or the values are not numbers with the metric |a − b|.
func McShane(ctx context.Context, q *query.Query, bound *big.Rat, on []int, side Side) (*query.Query, error) {
	values, err := numbers(q, "lipschitz_extension")
	if err == nil {
		err = checkOn(q, on)
	}
	if err != nil {
		return nil, err
	}
	if bound.Sign() < 0 {
		return nil, parameter.Errorf("bound = %s, want a number of at least 0", short(bound))
	}
	least, most := make([]*big.Rat, q.Size()), make([]*big.Rat, q.Size())
	reach := new(big.Rat)
	done := parallel.Count(ctx, int64(len(on)), "datasets extended from")
	for _, a := range on {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		done(1)
		d := q.Space().CeilDistances(a)
		for _, b := range on {
			if d[b] > 0 && slope(values[a], values[b], d[b]).Cmp(bound) > 0 {
				gap := new(big.Rat).Sub(values[a], values[b])
				return nil, parameter.Errorf("on: datasets %v and %v are at distance %d and their values differ by %s, more than bound·distance = %s",
					q.Space().Dataset(a), q.Space().Dataset(b), d[b], short(gap.Abs(gap)), short(reach.Mul(bound, big.NewRat(int64(d[b]), 1))))
			}
		}
		for x, far := range d {
			if far < 0 {
				continue
			}
			reach := new(big.Rat).Mul(bound, big.NewRat(int64(far), 1))
			if up := new(big.Rat).Add(values[a], reach); least[x] == nil || up.Cmp(least[x]) < 0 {
				least[x] = up
			}
			if down := reach.Sub(values[a], reach); most[x] == nil || down.Cmp(most[x]) > 0 {
				most[x] = down
			}
		}
	}
	out := make([]query.Value, q.Size())
	for x := range out {
		if least[x] == nil {
			return nil, parameter.Errorf("on: no path of neighbors joins dataset %v to the set, want a dataset from every component", q.Space().Dataset(x))
		}
		v := least[x]
		switch side {
		case Lower:
			v = most[x]
		case Middle:
			v = v.Mul(v.Add(v, most[x]), big.NewRat(1, 2))
		}
		out[x] = query.RationalValue(v)
	}
	return q.Surrogate(fmt.Sprintf("%s, extended with bound %s", q.Name(), short(bound)), out)
}

// UpToDegree returns the datasets whose largest degree is at most d.
func UpToDegree(q *query.Query, d int) ([]int, error) {
	g, _ := q.Subgraphs()
	if g == nil {
		return nil, parameter.Errorf("on = %d, want a list of datasets: a largest degree is for queries on graphs", d)
	}
	var on []int
	for x := range q.Size() {
		if g.MaxDegree(x) <= d {
			on = append(on, x)
		}
	}
	if len(on) == 0 {
		return nil, parameter.Bad("on", d, "a degree of at least 0")
	}
	return on, nil
}
