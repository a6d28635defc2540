package certificate

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
	"dpworkbench/xor"
)

// proverOf returns the prover of a statement, or nil if there is none.
func proverOf(s evidence.Statement) prover {
	switch s := s.(type) {
	case *mechanism.EpsilonStatement:
		return smallestEpsilon(s)
	case *mechanism.DeltaStatement:
		return delta(s)
	case *mechanism.EpsilonAtStatement:
		return epsilonAt(s)
	case *mechanism.DistortionStatement:
		return distortion(s)
	case *privacy.CornerStatement:
		return corner(s)
	case *privacy.CompositionStatement:
		return composition(s)
	case *xor.LossStatement:
		return bitsEpsilon(s)
	case *xor.NormalizerStatement:
		return bitsNormalizer(s)
	case *xor.FlipsStatement:
		return bitsFlips(s)
	case *optimize.Optimal:
		return optimum(s)
	case *gaussian.DeltaStatement:
		return bare(object{"kind": "gaussian delta", "eps": epsilon(s.Eps), "sigma": float(s.Sigma), "sensitivity": float(s.Sensitivity)})
	case *gaussian.EpsilonStatement:
		return bare(object{"kind": "gaussian epsilon", "delta": rational(s.Delta.Rat()), "sigma": float(s.Sigma), "sensitivity": float(s.Sensitivity)})
	case *gaussian.SigmaStatement:
		return bare(object{"kind": "gaussian sigma", "eps": epsilon(s.Eps), "delta": rational(s.Delta.Rat()), "sensitivity": float(s.Sensitivity)})
	case *gaussian.MuStatement:
		return bare(object{"kind": "gaussian mu", "eps": epsilon(s.Eps), "delta": rational(s.Delta.Rat())})
	case *mvg.WhitenedStatement:
		return whitened(s.Of, "mvg sensitivity", nil)
	case *mvg.DeltaStatement:
		return whitened(s.Of, "mvg delta", object{"eps": epsilon(s.At)})
	case *mvg.EpsilonStatement:
		return whitened(s.Of, "mvg epsilon", object{"delta": rational(s.At.Rat())})
	case *mvg.FillingStatement:
		return filling(s)
	case *signrp.PPlusStatement:
		return bare(object{"kind": "rademacher", "u": decimals(s.U), "beta": rational(interval.Decimal(s.Beta))})
	case *signrp.EpsilonStatement:
		return signsEpsilon(s)
	}
	return nil
}

// bare encodes a statement that a checker proves without further data.
func bare(statement object) prover {
	return func(_ context.Context, n evidence.Number) (object, object, error) {
		statement["is"] = is(n)
		return statement, object{}, nil
	}
}
