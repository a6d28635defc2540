package signrp

import (
	"math"
	"testing"
)

// logPhis differs from a continued fraction in the tail, and from erfc near 0, by at most its error bound. The bound is
// a few roundings.
func TestLogPhis(t *testing.T) {
	for _, z := range []float64{0, 1e-9, 0.3, 1, 5, 12, 29.9, 30, 30.1, 31, 40, 100, 1e4, 1e8, 1e100} {
		near, far, bound := logPhis(z)
		fraction := z // z + 1/(z + 2/(z + …))
		for k := 400.; k > 0; k-- {
			fraction = z + k/fraction
		}
		want, wantNear := -z*z/2-math.Log(math.Sqrt(2*math.Pi))-math.Log(fraction), 0.
		if z <= 12 {
			want, wantNear = math.Log(math.Erfc(z/math.Sqrt2)/2), math.Log1p(-math.Erfc(z/math.Sqrt2)/2)
		}
		if !(math.Abs(far-want) <= bound+4*ulp*(1+z*z)) || !(math.Abs(near-wantNear) <= bound) || bound > 40*ulp*(1+z*z) {
			t.Errorf("ln Φ(±%v) = %v, %v ± %v, want %v, %v", z, near, far, bound, wantNear, want)
		}
	}
	if near, far, bound := logPhis(1e160); near != 0 || !(far < -1e300) || !math.IsInf(bound, 1) {
		t.Errorf("ln Φ(±1e160) = %v, %v ± %v", near, far, bound)
	}
}
