package certificate

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// corner proves the trade-off function of a mechanism at a corner by a line below it and by an event on it.
func corner(s *privacy.CornerStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, ok := s.Of.(mechanism.Mechanism)
		if !ok {
			return nil, nil, refusal(n, "it is of no mechanism on a finite query")
		}
		written, err := mechanismOf(ctx, m)
		if err != nil {
			return nil, nil, err
		}
		exact, ok := n.(evidence.Exact)
		rows := mechanism.RationalLaws(m)
		if !ok || rows == nil {
			return nil, nil, refusal(n, "the law is not rational")
		}
		statement = object{"kind": "trade-off", "mechanism": written, "alpha": rational(s.Alpha), "is": is(n)}
		proof = object{"slope": rational(s.Slope)}
		space := m.Query().Space()
		for x := range space.Size() {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			for _, y := range space.Neighbors(x) {
				if event, ok := eventAt(rows[x], rows[y], s.Alpha, exact.Value); ok {
					proof["event"] = object{"x": x, "y": int(y), "values": places(event)}
					return statement, proof, nil
				}
			}
		}
		return statement, proof, nil // of no neighbors: the line from (0, 1) to (1, 0)
	}
}

// eventAt returns the values of the largest ratios p/q which have alpha under q and all but beta under p, false where none do.
func eventAt(p, q []*big.Rat, alpha, beta *big.Rat) ([]int, bool) {
	order := make([]int, len(p))
	for r := range order {
		order[r] = r
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if p[a].Sign() == 0 || p[b].Sign() == 0 {
			return cmp.Compare(p[b].Sign(), p[a].Sign())
		}
		return new(big.Rat).Mul(p[b], q[a]).Cmp(new(big.Rat).Mul(p[a], q[b]))
	})
	under, left := new(big.Rat), big.NewRat(1, 1)
	for i := 0; ; i++ {
		if under.Cmp(alpha) == 0 && left.Cmp(beta) == 0 {
			return order[:i], true
		}
		if i == len(order) || under.Cmp(alpha) > 0 {
			return nil, false
		}
		under.Add(under, q[order[i]])
		left.Sub(left, p[order[i]])
	}
}
