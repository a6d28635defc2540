package smooth_test

import (
	"math"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/smooth"
)

// Area returns the integral of the tail, whether moments are finite or not. It agrees with Simpson's rule, whose error
// is about 1e-5. For γ = 2 and for one degree of freedom the integral is z/2 − (z·atan z − ln(1 + z²)/2)/π. Area and
// Above sum to half the absolute moment.
func TestArea(t *testing.T) {
	point := func(z float64) interval.Interval { return interval.Float(z) }
	for _, n := range []smooth.Noise{smooth.Laplace(), cauchyOf(t, 11, 10), cauchyOf(t, 2, 1), cauchyOf(t, 21, 10), cauchyOf(t, 4, 1), cauchyOf(t, 10, 1),
		studentOf(t, 1, 3), studentOf(t, 1, 1), studentOf(t, 101, 100), studentOf(t, 3, 1), studentOf(t, 30, 1)} {
		if lo, hi := n.Area(point(0)).Bounds(); lo != 0 || hi != 0 {
			t.Errorf("%s: area up to 0 is [%g, %g]", n.Name(), lo, hi)
		}
		for _, z := range []float64{0.5, 1.0000001, 30} {
			lo, hi := n.Area(point(z)).Bounds()
			const steps = 80
			want := 0.0
			for k := range steps + 1 {
				w := 2.0
				if k%2 == 1 {
					w = 4
				} else if k == 0 || k == steps {
					w = 1
				}
				// The integral is over s with t = z s⁴, because the tail of large γ or z bends most near 0.
				s := float64(k) / steps
				want += w * n.Tail(point(z*math.Pow(s, 4))).Mid() * 4 * z * math.Pow(s, 3) / steps / 3
			}
			if hi-lo > 1e-12*hi || math.Abs(want-hi) > 2e-4*hi {
				t.Errorf("%s: area in [%g, %g] up to %g, Simpson's rule gives %g", n.Name(), lo, hi, z, want)
			}
			if n.Name() == "cauchy(gamma=2)" || n.Name() == "student(d=1)" {
				if want := z/2 - (z*math.Atan(z)-math.Log1p(z*z)/2)/math.Pi; math.Abs(want-hi) > 1e-13*hi {
					t.Errorf("%s: area in [%g, %g] up to %g, want %g", n.Name(), lo, hi, z, want)
				}
			}
			if _, ok := n.AbsMoment(); ok {
				sum := n.Area(point(z)).Add(n.Above(point(z))).Sub(n.Half())
				if lo, hi := sum.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-12 {
					t.Errorf("%s: Area and Above at %g miss the half moment by [%g, %g]", n.Name(), z, lo, hi)
				}
			}
		}
		// For an interval argument the result is the hull of the values at its bounds.
		lo, hi := n.Area(interval.Between(0.5, 3)).Bounds()
		if a, _ := n.Area(point(0.5)).Bounds(); lo > a {
			t.Errorf("%s: area %g is not in the hull, which begins at %g", n.Name(), a, lo)
		}
		if _, b := n.Area(point(3)).Bounds(); hi < b {
			t.Errorf("%s: area %g is not in the hull, which ends at %g", n.Name(), b, hi)
		}
	}
}
