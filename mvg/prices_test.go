package mvg

import (
	"math"
	"testing"

	"dpworkbench/interval"
)

// Multipliers that are no positive numbers price nothing.
func TestPricesOfNumbers(t *testing.T) {
	row := func(v ...float64) (out []interval.Interval) {
		for _, x := range v {
			out = append(out, interval.Float(x))
		}
		return out
	}
	rows := [][]interval.Interval{row(1, 0, -2), row(3, 1, 1), row(1, 0, 5)}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		got := pricesOf(rows, []float64{2, bad, 0.5})
		for i, want := range []float64{2.5, 0, 2.5} {
			if lo, hi := got[i].Bounds(); lo != want || hi != want {
				t.Errorf("with %g: price %d in [%g, %g], want %g", bad, i, lo, hi, want)
			}
		}
	}
}
