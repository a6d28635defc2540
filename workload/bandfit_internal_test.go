package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bandLoss returns a gradient that matches difference quotients.
func TestBandLossGradient(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	const n, bands = 9, 4
	w := make(series, n)
	m := bandMatrix{n, bands, make([]float64, n*bands)}
	for i := range w {
		w[i] = 1
	}
	for d := range bands {
		for j := range m.diagonal(d) {
			m.data[d*n+j] = src.NormFloat64() * .2
		}
	}
	for j := range m.diagonal(0) {
		m.data[j] = 1 + src.Float64()
	}
	for _, power := range []float64{1, 8} {
		f, g := bandLoss(t.Context(), w, m, power)
		for k := range m.data {
			x := append([]float64(nil), m.data...)
			x[k] += 1e-6
			h, _ := bandLoss(t.Context(), w, bandMatrix{n, bands, x}, power)
			if d := (h - f) / 1e-6; math.Abs(d-g[k]) > 1e-4 {
				t.Errorf("power %v: the derivative in entry %d is %v, want %v", power, k, g[k], d)
			}
		}
	}
}
