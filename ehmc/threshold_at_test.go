package ehmc

import (
	"math"
	"testing"
)

// The last outcome is sure wherever a number is surely beyond the last threshold but one, up to the largest of all numbers.
func TestLastOutcomeIsSure(t *testing.T) {
	whole := Threshold{math.MaxUint64, math.MaxUint64}
	for _, u := range []Threshold{whole, {math.MaxUint64, 0}, {1<<63 + 2, 0}} {
		i, sure := Thresholds{{1 << 62, 0}, {1 << 63, 0}, whole}.At(u, Threshold{0, 1 << 20})
		if i != 2 || !sure {
			t.Errorf("%x is outcome %d, sure %t", u, i, sure)
		}
	}
	if i, sure := (Thresholds{{1 << 62, 0}, {1 << 63, 0}, whole}).At(Threshold{1 << 63, 1}, Threshold{0, 1 << 20}); i != 2 || sure {
		t.Errorf("beside a threshold: outcome %d, sure %t", i, sure)
	}
}
