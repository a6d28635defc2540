package zoo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// boundedScale is the smallest scale, in steps, whose largest log-ratio over all sums on the grid is at most 3/2.
func TestBoundedScale(t *testing.T) {
	loss := func(scale float64) float64 {
		var weights [2][unit + 1]float64
		var totals [2]float64
		for i, at := range []float64{0, unit / 4} {
			for y := range weights[i] {
				weights[i][y] = math.Exp(-math.Abs(float64(y)-at) / scale)
				totals[i] += weights[i][y]
			}
		}
		most := 0.0
		for y, w := range weights[0] {
			most = max(most, math.Abs(math.Log(w/totals[0]*totals[1]/weights[1][y])))
		}
		return most
	}
	if at, below := loss(boundedScale), loss(boundedScale-1); at > 1.5-1e-9 || below < 1.5+1e-9 {
		t.Errorf("ε = %v at the scale, %v below", at, below)
	}
}

// At ε = 1, the discrete Gaussian has δ ≤ 1/1000 with gradientSigma, and a larger δ with 0.95 or 1/8 of it. Here δ is
// the sum over k of (P(k) − e·P(k − 64))₊.
func TestGradientSigma(t *testing.T) {
	for sigma, want := range map[float64]bool{gradientSigma: true, .95 * gradientSigma: false, gradientSigma / 8: false} {
		weight := func(k float64) float64 { return math.Exp(-k * k / (2 * sigma * sigma)) }
		total, delta := 0.0, 0.0
		for k := -20 * sigma; k <= 20*sigma; k++ {
			k := math.Round(k)
			total += weight(k)
			delta += max(weight(k)-math.E*weight(k-gradientSteps), 0)
		}
		if delta /= total; (delta <= 1e-3) != want {
			t.Errorf("σ = %v: δ = %v", sigma, delta)
		}
	}
}

// A key of one user is published with probability a^(K−1)/(1 + a), a = 1/e. This is at most 1/200 at the threshold K
// = 6, and more at 5.
func TestThreshold(t *testing.T) {
	at := func(k float64) float64 { return math.Exp(1-k) / (1 + math.Exp(-1)) }
	if at(6) > .005 || at(5) < .005 || math.Abs(at(5.985)-.005) > 1e-5 {
		t.Errorf("%v at 6, %v at 5, %v at 5.985", at(6), at(5), at(5.985))
	}
	found := 0
	for src := rand.NewPCG(3, 57); found < 20; {
		switch text := published(6)(true, src); text {
		case "nothing":
		case "0", "1", "2", "3", "4", "5":
			t.Fatalf("%s is published", text)
		default:
			found++
		}
	}
}
