package display_test

import (
	"math/big"
	"testing"

	"dpworkbench/display"
)

// Limits of an axis are too close if half of their difference is at most 1e-10 of the larger one, for either sign. The
// reference is rational, as close to the limit as float64 allows.
func TestNarrow(t *testing.T) {
	const apart = 1_000_000 // units of 2⁻⁵², about 2·10⁻¹⁰ of the values
	at := apart * 0x1p-53 * 1e10
	seen := map[bool]int{}
	for step := -40.0; step <= 40; step++ {
		lo := at * (1 + step*1e-11)
		hi := lo + apart*0x1p-52
		half := new(big.Rat).Sub(new(big.Rat).SetFloat64(hi), new(big.Rat).SetFloat64(lo))
		half.Mul(half, big.NewRat(1, 2))
		want := half.Cmp(new(big.Rat).Mul(big.NewRat(1, 1e10), new(big.Rat).SetFloat64(hi))) <= 0
		seen[want]++
		for _, limits := range [][2]float64{{lo, hi}, {-hi, -lo}} {
			_, err := display.NewLinePlot(display.LineSpec{Series: []display.Series{{Y: []float64{1, 2}}}, YLimits: &limits})
			if (err != nil) != want {
				t.Errorf("limits %v: %v, want an error: %t", limits, err, want)
			}
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("too few cases of a kind: %v", seen)
	}
}
