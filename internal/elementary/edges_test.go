package elementary

import (
	"math"
	"sync"
	"testing"

	"dpworkbench/interval"
)

// At the last argument that has a float64 for its exponential, and next to it, Exp is finite and as exact as elsewhere; above it is +Inf.
func TestExpAtTheEnds(t *testing.T) {
	for _, x := range []float64{709, math.Nextafter(709, 0), 708.99, -700, math.Nextafter(-700, 0), math.Nextafter(-700, -800)} {
		if units := off(Exp(x), interval.Float(x).Exp()); !(units <= 2) {
			t.Errorf("Exp(%v) = %v is off by %g units", x, Exp(x), units)
		}
	}
	if v := Exp(math.Nextafter(709, 710)); !math.IsInf(v, 1) {
		t.Errorf("Exp above 709: %v", v)
	}
	if a, b := Exp(-746), Exp(math.Nextafter(-746, -800)); a > 0x1p-1070 || b != 0 {
		t.Errorf("Exp(-746) = %v and below %v", a, b)
	}
}

// A polynomial is made once, whoever asks for it, and is the same for all who ask at one time.
func TestCellsAreKept(t *testing.T) {
	for _, n := range []int{0, 7, len(cells) - 1} {
		first := cell(n)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				if got := cell(n); got != first || *got != *first {
					t.Errorf("cell %d is made again", n)
				}
			})
		}
		wait.Wait()
	}
}
