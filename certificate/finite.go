package certificate

import (
	"context"
	"maps"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// finite states a number of a finite mechanism, with what else the statement holds, and proves it.
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

// pairOf is the proof by two neighbors, where there are any.
func pairOf(w mechanism.Witness, ok bool, err error) (object, error) {
	if err != nil || !ok {
		return object{}, err
	}
	return object{"witness": object{"x": w.X, "y": w.Y}}, nil
}

// smallestEpsilon proves the smallest ε of a finite mechanism by a witness of its lower end.
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

// epsilonAt proves ε(δ) of a finite mechanism by a pair whose δ at the lower end is above it.
func epsilonAt(s *mechanism.EpsilonAtStatement) prover {
	return finite(s.Of, object{"kind": "epsilon", "delta": rational(s.Delta.Rat())}, func(ctx context.Context, n evidence.Number) (object, error) {
		lo, _ := n.Bounds()
		if lo <= 0 {
			return object{}, nil
		}
		return pairOf(s.Witness(ctx, lo))
	})
}

// distortion states the distortion of a finite mechanism, which needs no proof but its law.
func distortion(s *mechanism.DistortionStatement) prover {
	rest := object{"kind": "distortion", "dataset": s.Dataset}
	if s.Prior != nil {
		rest = object{"kind": "distortion", "prior": rationals(s.Prior)}
	}
	return finite(s.Of, rest, func(context.Context, evidence.Number) (object, error) { return object{}, nil })
}
