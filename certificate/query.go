package certificate

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/interval"
	"dpworkbench/query"
)

// queryOf encodes a query.
func queryOf(ctx context.Context, q *query.Query) (object, error) {
	values := make(list, len(q.Range()))
	numbers := true
	for r, v := range q.Range() {
		if n, ok := query.RationalOf(v); ok {
			values[r] = rational(n)
		} else {
			values[r], numbers = v.String(), false
		}
	}
	at := make(list, q.Size())
	for x := range at {
		at[x] = values[q.ValueIndex(x)]
	}
	metric, err := metricOf(ctx, q, numbers)
	if err != nil {
		return nil, err
	}
	out := object{"values": at, "range": values, "metric": metric}
	if space := q.Space(); space.IsPath() {
		pairs, err := neighborPairs(ctx, space)
		if err != nil {
			return nil, err
		}
		out["neighbors"] = pairs
	} else {
		rows := make(list, q.Size())
		for x := range rows {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			row := make(list, q.Size())
			for y, d := range space.Distances(x) {
				if row[y] = "inf"; !math.IsInf(d, 1) {
					row[y] = rational(interval.Decimal(d))
				}
			}
			rows[x] = row
		}
		out["distances"] = rows
	}
	if g, pattern := q.Subgraphs(); g != nil && g.Nodes() <= mostNodes {
		classes := make(list, g.Size())
		for x := range classes {
			classes[x] = g.Graph6(x)
		}
		out["graphs"] = object{"nodes": g.Nodes(), "classes": classes, "count": pattern}
	}
	return out, nil
}

// neighborPairs encodes the pairs of neighbors.
func neighborPairs(ctx context.Context, space *query.Space) (list, error) {
	pairs := list{}
	for x := range space.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, y := range space.Neighbors(x) {
			if int(y) > x {
				pairs = append(pairs, list{x, int(y)})
			}
		}
	}
	return pairs, nil
}

// mostNodes bounds the nodes of graphs whose universe a checker recomputes. Beyond it, checking takes too long.
const mostNodes = 7

// metricOf encodes the value metric, by its name if it has one.
func metricOf(ctx context.Context, q *query.Query, numbers bool) (any, error) {
	n := len(q.Range())
	abs, discrete, one := numbers, true, big.NewRat(1, 1)
	rows := make(list, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := make(list, n)
		for j := range n {
			d := q.Metric().Rational(i, j)
			row[j] = rational(d)
			if i != j {
				discrete = discrete && d.Cmp(one) == 0
			}
			if abs {
				a, _ := query.RationalOf(q.Range()[i])
				b, _ := query.RationalOf(q.Range()[j])
				abs = a.Sub(a, b).Abs(a).Cmp(d) == 0
			}
		}
		rows[i] = row
	}
	switch {
	case abs:
		return "abs", nil
	case discrete:
		return "discrete", nil
	}
	return rows, nil
}
