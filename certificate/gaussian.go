package certificate

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
)

// bare writes a statement that a checker proves by itself.
func bare(statement func(n evidence.Number) object) prover {
	return func(_ context.Context, n evidence.Number) (object, object, error) {
		return statement(n), object{}, nil
	}
}

func gaussianDelta(s *gaussian.DeltaStatement) prover {
	return bare(func(n evidence.Number) object {
		return object{"kind": "gaussian delta", "eps": epsilon(s.Eps), "sigma": float(s.Sigma), "sensitivity": float(s.Sensitivity), "is": is(n)}
	})
}

func gaussianEpsilon(s *gaussian.EpsilonStatement) prover {
	return bare(func(n evidence.Number) object {
		return object{"kind": "gaussian epsilon", "delta": float(s.Delta), "sigma": float(s.Sigma), "sensitivity": float(s.Sensitivity), "is": is(n)}
	})
}

func gaussianSigma(s *gaussian.SigmaStatement) prover {
	return bare(func(n evidence.Number) object {
		return object{"kind": "gaussian sigma", "eps": epsilon(s.Eps), "delta": float(s.Delta), "sensitivity": float(s.Sensitivity), "is": is(n)}
	})
}

func gaussianMu(s *gaussian.MuStatement) prover {
	return bare(func(n evidence.Number) object {
		return object{"kind": "gaussian mu", "eps": epsilon(s.Eps), "delta": float(s.Delta), "is": is(n)}
	})
}
