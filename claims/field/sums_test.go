package field

import (
	"math"
	"testing"
)

// The divergence of a sum of two discrete Gaussians matches the convolution of their laws.
func TestDivergenceOfSum(t *testing.T) {
	for _, c := range []twoNoises{{25, 3}, {40, 2}, {50, 4}, {100, 5}} {
		s := float64(c.hundredths) / 100
		law := func(x int) (sum float64) {
			for y := -30; y <= 30; y++ {
				sum += math.Exp(-float64(y*y+(x-y)*(x-y)) / (2 * s * s))
			}
			return sum
		}
		total, moment := 0.0, 0.0
		for x := -30; x <= 30; x++ {
			total += law(x)
			if p, q := law(x), law(x-1); math.Pow(p, float64(c.order)) > 0 {
				moment += math.Pow(p, float64(c.order)) / math.Pow(q, float64(c.order-1))
			}
		}
		want := math.Log(moment/total) / float64(c.order-1)
		if got := c.divergence().Mid(); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}
