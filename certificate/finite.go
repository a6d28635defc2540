package certificate

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// smallestEpsilon proves the smallest ε of a finite mechanism by a witness of its lower end.
func smallestEpsilon(s *mechanism.EpsilonStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, err := mechanismOf(ctx, s.Of)
		if err != nil {
			return nil, nil, err
		}
		w, ok, err := s.Witness(ctx)
		if err != nil {
			return nil, nil, err
		}
		if proof = (object{}); ok {
			proof["witness"] = object{"x": w.X, "y": w.Y, "r": w.R}
		}
		return object{"kind": "smallest epsilon", "mechanism": m, "is": is(n)}, proof, nil
	}
}

// delta proves δ(ε) of a finite mechanism by the pair that attains it.
func delta(s *mechanism.DeltaStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, err := mechanismOf(ctx, s.Of)
		if err != nil {
			return nil, nil, err
		}
		w, ok, err := s.Witness(ctx)
		if err != nil {
			return nil, nil, err
		}
		if proof = (object{}); ok {
			proof["witness"] = object{"x": w.X, "y": w.Y}
		}
		return object{"kind": "delta", "mechanism": m, "eps": epsilon(s.At), "is": is(n)}, proof, nil
	}
}

// epsilonAt proves ε(δ) of a finite mechanism by a pair whose δ at the lower end is above it.
func epsilonAt(s *mechanism.EpsilonAtStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, err := mechanismOf(ctx, s.Of)
		if err != nil {
			return nil, nil, err
		}
		proof = object{}
		if lo, _ := n.Bounds(); lo > 0 {
			w, ok, err := s.Witness(ctx, lo)
			if err != nil {
				return nil, nil, err
			}
			if ok {
				proof["witness"] = object{"x": w.X, "y": w.Y}
			}
		}
		return object{"kind": "epsilon", "mechanism": m, "delta": float(s.Delta), "is": is(n)}, proof, nil
	}
}

// distortion states the distortion of a finite mechanism, which needs no proof but its law.
func distortion(s *mechanism.DistortionStatement) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		m, err := mechanismOf(ctx, s.Of)
		if err != nil {
			return nil, nil, err
		}
		statement = object{"kind": "distortion", "mechanism": m, "is": is(n)}
		if s.Prior != nil {
			statement["prior"] = rationals(s.Prior)
		} else {
			statement["dataset"] = s.Dataset
		}
		return statement, object{}, nil
	}
}
