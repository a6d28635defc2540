package certificate

import (
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/mechanism"
	"dpworkbench/mvg"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
	"dpworkbench/xor"
)

// proverOf returns what writes a statement, nil where nothing does.
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
	case *privacy.Composed:
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
		return gaussianDelta(s)
	case *gaussian.EpsilonStatement:
		return gaussianEpsilon(s)
	case *gaussian.SigmaStatement:
		return gaussianSigma(s)
	case *gaussian.MuStatement:
		return gaussianMu(s)
	case *mvg.WhitenedStatement:
		return mvgSensitivity(s)
	case *mvg.DeltaStatement:
		return mvgDelta(s)
	case *mvg.EpsilonStatement:
		return mvgEpsilon(s)
	case *mvg.FillingStatement:
		return filling(s)
	case *signrp.PPlusStatement:
		return pplus(s)
	case *signrp.EpsilonStatement:
		return signsEpsilon(s)
	}
	return nil
}
