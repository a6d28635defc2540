package signrp

import (
	"math"
	"testing"

	"dpworkbench/evidence/evidencetest"
)

// At ε = ln 3 the variance factor of the angle estimator is exactly 3/4. The float64 nearest to ln 3 would give another
// value.
func TestAngleOfLogarithm(t *testing.T) {
	if c, err := spreadOf(evidencetest.LogEpsilon(3, 1)); err != nil || c != 0.75 {
		t.Errorf("e^ε/(e^ε − 1)² = %v, %v, want 3/4", c, err)
	}
	for _, v := range []float64{1e-60, 0.01, 1, 30, 1e4} {
		if c, err := spreadOf(evidencetest.Epsilon(v)); err != nil || math.Abs(c*4*math.Sinh(v/2)*math.Sinh(v/2)-1) > 1e-12 && c > 0 {
			t.Errorf("ε = %v: %v, %v", v, c, err)
		}
	}
}
