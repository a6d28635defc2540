package certificate

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// finite returns the prover of a number about a finite mechanism. The statement has the fields of rest besides the
// mechanism and the number, and prove returns the proof.
func finite(of mechanism.Mechanism, rest object, prove func(ctx context.Context, n evidence.Number) (object, error)) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, err := mechanismOf(ctx, of)
		if err != nil {
			return nil, nil, err
		}
		if proof, err = prove(ctx, n); err != nil {
			return nil, nil, err
		}
		statement = object{"mechanism": m, "is": is(n)}
		maps.Copy(statement, rest)
		return statement, proof, nil
	}
}

// pairOf returns the proof that consists of two neighbors, or an empty proof if there are no neighbors.
func pairOf(w mechanism.Witness, ok bool, err error) (object, error) {
	if err != nil || !ok {
		return object{}, err
	}
	return object{"witness": object{"x": w.X, "y": w.Y}}, nil
}

// smallestEpsilon proves the smallest ε of a finite mechanism by a witness: two neighbors and a value whose loss
// attains the lower end.
func smallestEpsilon(s *mechanism.EpsilonStatement) prover {
	return finite(s.Of, object{"kind": "smallest epsilon"}, func(ctx context.Context, _ evidence.Number) (object, error) {
		w, ok, err := s.Witness(ctx)
		if err != nil || !ok {
			return object{}, err
		}
		return object{"witness": object{"x": w.X, "y": w.Y, "r": w.R}}, nil
	})
}

// delta proves δ(ε) of a finite mechanism by the pair that attains it.
func delta(s *mechanism.DeltaStatement) prover {
	return finite(s.Of, object{"kind": "delta", "eps": epsilon(s.At)}, func(ctx context.Context, _ evidence.Number) (object, error) {
		return pairOf(s.Witness(ctx))
	})
}

// epsilonAt proves ε(δ) of a finite mechanism by a pair of neighbors whose δ exceeds the given δ just below the lower
// end of ε.
func epsilonAt(s *mechanism.EpsilonAtStatement) prover {
	return finite(s.Of, object{"kind": "epsilon", "delta": rational(s.Delta.Rat())}, func(ctx context.Context, n evidence.Number) (object, error) {
		lo, _ := n.Bounds()
		if lo <= 0 {
			return object{}, nil
		}
		return pairOf(s.Witness(ctx, lo))
	})
}

// distortion states the distortion of a finite mechanism. The law in the statement is enough to check it.
func distortion(s *mechanism.DistortionStatement) prover {
	rest := object{"kind": "distortion", "dataset": s.Dataset}
	if s.Prior != nil {
		rest = object{"kind": "distortion", "prior": rationals(s.Prior)}
	}
	return finite(s.Of, rest, func(context.Context, evidence.Number) (object, error) { return object{}, nil })
}

// corner proves the value of a mechanism's trade-off function at a corner. A line through the corner bounds the
// function from below, and an event attains the corner.
func corner(s *privacy.CornerStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, ok := s.Of.(mechanism.Mechanism)
		if !ok {
			return nil, nil, refusal(n, "it does not describe a mechanism on a finite query")
		}
		written, err := mechanismOf(ctx, m)
		if err != nil {
			return nil, nil, err
		}
		exact, ok := n.(evidence.Exact)
		rows := mechanism.RationalLaws(m)
		if !ok || rows == nil {
			return nil, nil, refusal(n, "its probabilities are not rational")
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
		return statement, proof, nil // without neighbors, the function is the line from (0, 1) to (1, 0)
	}
}

// eventAt returns the values with the largest ratios p/q such that their probability is alpha under q and 1 − beta
// under p; ok is false if there is no such set.
func eventAt(p, q []*big.Rat, alpha, beta *big.Rat) ([]int, bool) {
	order := lists.Of(len(p), func(r int) int { return r })
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
