package field

import (
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// The checks refute trees of sums and restarted sparse vectors with too little noise, and formulas that are too small.
func TestCountersWithLessNoiseAreRefuted(t *testing.T) {
	for name, of := range map[string]check.Checker{
		"tree with two layers' noise":  treeCounter(4, 2).private(true),
		"sparse vector with noise 1/ε": restarted(3, 2, rate(1, 1), rate(1, 1)).private(true),
		"one layer less":               layers(0).Check,
		"a quarter of the change":      replaced("α/2z²", 1).Check,
	} {
		if out, err := of(t.Context(), check.Run{}); err != nil || out.Verdict != evidence.Refuted {
			t.Errorf("%s: %v, %v, want refuted", name, out.Verdict, err)
		}
	}
}
