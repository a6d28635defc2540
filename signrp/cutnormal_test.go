package signrp

import (
	"math"
	"testing"
)

// The characteristic function agrees with ∫_{−m}^{m} φ(w) cos(aw) dw by Simpson's rule in 200 bits. The points are near
// the boundaries between the function's three methods.
func TestCutNormal(t *testing.T) {
	for _, m := range []float64{0.01, 0.5, 2, 4, mostM} {
		c := newCutNormal(m)
		for _, a := range []float64{0, 0.24, 0.26, 3, 7.75, 15.9, 16, 16.1, 40} {
			const n = 40_000
			sum, carry := 0.0, 0.0
			for i := range n + 1 {
				w := m * float64(i) / n
				v := 2 * phi0 * math.Exp(-w*w/2) * math.Cos(a*w) * m / n / 3
				switch {
				case i%2 == 1:
					v *= 4
				case i > 0 && i < n:
					v *= 2
				}
				s := sum + (v + carry)
				carry += v - (s - sum)
				sum = s
			}
			// The error of Simpson's rule is m h⁴/180 max|f⁗| ≤ 10.5 (10.5/40000)⁴ (a² + 3)²/180·0.4.
			simpson := m * math.Pow(m/n, 4) / 180 * 0.8 * (a*a + 3) * (a*a + 3)
			got, bound := c.at(a)
			if math.Abs(got-sum) > bound+simpson+2e-14 || bound > 1e-13 {
				t.Errorf("m = %g, a = %g: %v ± %g, want %v", m, a, got, bound, sum)
			}
			flat, falling, _ := c.bounds(a)
			if math.Abs(got) > flat+bound || a > 0 && math.Abs(got) > falling+bound {
				t.Errorf("m = %g, a = %g: |%v| above its bounds %v, %v", m, a, got, flat, falling)
			}
		}
	}
}
