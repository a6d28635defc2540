package interval_test

import (
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// Beyond ±2³⁰ exponentials are bounded by the powers of two that the documentation says.
func TestExpFarOut(t *testing.T) {
	huge := interval.Float(0x1p31).Exp().Lower().MidFloat(64)
	if want := new(big.Float).SetMantExp(big.NewFloat(1), 1<<30); huge.Cmp(want) != 0 {
		t.Errorf("e^(2³¹) is at least 2^%d", huge.MantExp(nil)-1)
	}
	tiny := interval.Float(-0x1p31).Exp()
	if lo, hi := tiny.Lower().MidFloat(64), tiny.Upper().MidFloat(64); lo.Sign() != 0 || hi.Cmp(new(big.Float).SetMantExp(big.NewFloat(1), -(1<<30))) != 0 {
		t.Errorf("e^(−2³¹) is from %g to 2^%d", lo, hi.MantExp(nil)-1)
	}
}
