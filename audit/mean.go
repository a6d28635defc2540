package audit

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean estimates the mean of a law from independent draws by Student's t interval. The confidence is exact for a normal
// law, and approximate for many draws of another law with finite variance; [MeanWithin] needs no such assumption. It
// returns an error wrapping evidence.ErrParameter if there are fewer than two draws, a draw is not finite, or the
// confidence is outside (0, 1).
func Mean(draws []float64, confidence float64) (evidence.Estimated, error) {
	mean, variance, err := moments(draws, confidence)
	if err != nil {
		return evidence.Estimated{}, err
	}
	n := float64(len(draws))
	radius := 0.0
	if variance > 0 { // by the lower tail, because 1 + confidence may round to 2
		radius = -distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1-confidence)/2) * math.Sqrt(variance/n)
	}
	return evidence.Estimated{Value: mean, Lo: mean - radius, Hi: mean + radius, Confidence: confidence, Draws: len(draws),
		Provenance: evidence.From("Student's t interval, exact for normal draws")}, nil
}

// Range is the interval [Lo, Hi] that holds all values of a law.
type Range struct{ Lo, Hi float64 }

// MeanWithin estimates the mean of a law on a range from independent draws. The interval has its confidence for every
// law (Maurer and Pontil, COLT 2009, Theorem 4, applied to both sides). It returns errors as Mean does, and for draws
// outside the range.
func MeanWithin(draws []float64, within Range, confidence float64) (evidence.Estimated, error) {
	lo, hi := within.Lo, within.Hi
	if !(lo < hi) || math.IsInf(hi-lo, 0) {
		return evidence.Estimated{}, parameter.Errorf("within = (%v, %v), want two finite numbers, the lower first", lo, hi)
	}
	mean, variance, err := moments(draws, confidence)
	if err != nil {
		return evidence.Estimated{}, err
	}
	if least, most := floats.Min(draws), floats.Max(draws); least < lo || most > hi {
		return evidence.Estimated{}, parameter.Errorf("values range from %v to %v, want all from %v to %v", least, most, lo, hi)
	}
	n, log := float64(len(draws)), math.Log(4/(1-confidence))
	radius := math.Sqrt(2*variance*log/n) + 7*(hi-lo)*log/(3*(n-1))
	return evidence.Estimated{Value: mean, Lo: math.Max(lo, mean-radius), Hi: math.Min(hi, mean+radius), Confidence: confidence, Draws: len(draws),
		Provenance: evidence.From("empirical Bernstein interval (Maurer and Pontil 2009, Theorem 4)")}, nil
}

// moments returns the mean and the unbiased variance.
func moments(draws []float64, confidence float64) (mean, variance float64, err error) {
	if err := parameter.OpenUnit("confidence", confidence); err != nil {
		return 0, 0, err
	}
	if len(draws) < 2 {
		return 0, 0, parameter.Errorf("values has %d draws, want at least two", len(draws))
	}
	for i, v := range draws {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, 0, parameter.Errorf("values[%d] = %v, want a finite number", i, v)
		}
	}
	mean, variance = stat.MeanVariance(draws, nil)
	if math.IsInf(variance, 0) || math.IsNaN(variance) {
		return 0, 0, parameter.Errorf("the variance of the values overflows float64")
	}
	return mean, variance, nil
}
