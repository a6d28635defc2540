package audit

import (
	"math"
	"math/big"
	"testing"
)

// The ε of an event that a neighbor never shows is infinite at both ends.
func TestInfiniteEvidence(t *testing.T) {
	for _, u := range []*big.Rat{new(big.Rat), big.NewRat(1, 1e9)} {
		if lo, hi := epsilonEvidence(nil, nil, u, 7).Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
			t.Errorf("with a rounding of %v: [%v, %v]", u, lo, hi)
		}
	}
}
