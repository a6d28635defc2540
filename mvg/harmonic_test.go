package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/mvg"
)

// Many terms, against all of them added, by roots and quotients.
func TestHarmonicOfManyTerms(t *testing.T) {
	for s, term := range map[float64]func(i float64) float64{
		0:   func(float64) float64 { return 1 },
		0.5: func(i float64) float64 { return 1 / math.Sqrt(i) },
		1:   func(i float64) float64 { return 1 / i },
		1.5: func(i float64) float64 { return 1 / (i * math.Sqrt(i)) },
		2:   func(i float64) float64 { return 1 / (i * i) },
	} {
		for _, r := range []int{1<<20 + 1, 3 << 20, 1<<24 + 7} {
			want := 0.0
			for i := r; i >= 1; i-- {
				want += term(float64(i))
			}
			if got := mvg.Harmonic(r, s); math.Abs(got/want-1) > 1e-13 {
				t.Errorf("H(%d, %g) = %.17g, want %.17g", r, s, got, want)
			}
		}
	}
	if got, want := mvg.Harmonic(math.MaxInt, 1), math.Log(math.MaxInt)+0.57721566490153286; math.Abs(got/want-1) > 1e-13 {
		t.Errorf("H(2^63 - 1, 1) = %.17g, want %.17g", got, want)
	}
}
