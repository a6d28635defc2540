package audit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
)

// Student t quantiles at .975, by SciPy 1.17, scipy.stats.t.ppf: 4.302652729911275 (2 degrees of freedom) and
// 12.706204736432095 (1).
func TestMean(t *testing.T) {
	for _, c := range []struct {
		draws        []float64
		value, width float64
	}{
		{[]float64{1, 2, 3}, 2, 4.302652729911275 / math.Sqrt(3)},
		{[]float64{-1, 1}, 0, 12.706204736432095},
		{[]float64{5, 5, 5}, 5, 0},
	} {
		e, err := audit.Mean(c.draws, 0.95)
		if err != nil || e.Value != c.value || math.Abs(e.Hi-c.value-c.width) > 1e-9 || math.Abs(c.value-e.Lo-c.width) > 1e-9 || e.Draws != len(c.draws) || e.Confidence != 0.95 {
			t.Errorf("%v: %v, %v, want %v ± %v", c.draws, e, err, c.value, c.width)
		}
	}
}

// At a confidence just below 1, the interval of two draws has half-width cot(π(1 − c)/2)/√2·|a − b|, and that of
// equal draws has width 0.
func TestMeanNearCertainty(t *testing.T) {
	confidence := math.Nextafter(1, 0)
	e, err := audit.Mean([]float64{-1, 1}, confidence)
	if want := 1 / math.Tan(math.Pi*(1-confidence)/2); err != nil || !(math.Abs(e.Hi-want) < 1e-6*want) {
		t.Errorf("%v, %v, want ± %v", e, err, want)
	}
	third := 1.0 / 3
	if e, err := audit.Mean([]float64{third, third, third}, confidence); err != nil || !(math.Abs(e.Hi-third) <= 1e-15) {
		t.Errorf("equal draws: %v, %v", e, err)
	}
}

// MeanWithin is Maurer and Pontil's interval with the variance Σ_{i<j} (z_i − z_j)²/(n(n − 1)), on any range, clipped
// only by the range.
func TestMeanWithinByPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 6))
	inside := 0
	for range 60 {
		n, lo, width, confidence := 2+rng.IntN(2000), 10*rng.NormFloat64(), math.Exp(4*rng.NormFloat64()), .5+rng.Float64()/2
		draws, squares, sum := make([]float64, n), 0.0, 0.0
		for i := range draws {
			draws[i] = lo + width*rng.Float64()*rng.Float64()
			sum += draws[i] - lo
			for _, v := range draws[:i] {
				squares += (draws[i] - v) * (draws[i] - v)
			}
		}
		log := math.Log(2 / ((1 - confidence) / 2)) // per side
		size := float64(n)
		mean, radius := lo+sum/size, math.Sqrt(2*squares/(size*(size-1))*log/size)+7*width*log/(3*(size-1))
		e, err := audit.MeanWithin(draws, audit.Range{Lo: lo, Hi: lo + width}, confidence)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-10*(width+math.Abs(lo)) }
		if err != nil || !near(e.Value, mean) || !near(e.Lo, max(lo, mean-radius)) || !near(e.Hi, min(lo+width, mean+radius)) || e.Draws != n || e.Confidence != confidence {
			t.Errorf("%d draws from %v on, %v wide: %v, %v, want %v ± %v", n, lo, width, e, err, mean, radius)
		}
		if mean-radius > lo && mean+radius < lo+width {
			inside++
		}
	}
	if inside < 20 {
		t.Errorf("only %d intervals are not clipped", inside)
	}
}

func TestMeanErrors(t *testing.T) {
	for _, draws := range [][]float64{nil, {1}, {1, math.NaN()}, {math.Inf(1), 1}, {math.MaxFloat64, -math.MaxFloat64}} {
		if _, err := audit.Mean(draws, 0.95); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v", draws, err)
		}
		if _, err := audit.MeanWithin(draws, audit.Range{Lo: -math.MaxFloat64 / 4, Hi: math.MaxFloat64 / 4}, 0.95); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v", draws, err)
		}
	}
	for _, confidence := range []float64{0, 1, -1, math.NaN()} {
		if _, err := audit.Mean([]float64{1, 2}, confidence); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("confidence %v: %v", confidence, err)
		}
		if _, err := audit.MeanWithin([]float64{1, 2}, audit.Range{Lo: 0, Hi: 3}, confidence); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("confidence %v: %v", confidence, err)
		}
	}
	for _, ends := range [][2]float64{{1, 1}, {0, 1.5}, {1.5, 3}, {0, math.Inf(1)}, {math.NaN(), 1}} {
		if _, err := audit.MeanWithin([]float64{1, 2}, audit.Range{Lo: ends[0], Hi: ends[1]}, 0.95); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("within %v: %v", ends, err)
		}
	}
}
