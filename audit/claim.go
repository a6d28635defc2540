package audit

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Claim is the claimed (ε, δ)-differential privacy, ε in nats.
type Claim struct {
	Epsilon evidence.Epsilon // positive
	Delta   evidence.Delta
}

// Evidence returns the claimed ε as evidence of a claim.
func (c Claim) Evidence() evidence.Claimed {
	return evidence.Claimed{Value: c.Epsilon.Value(), Epsilon: c.Epsilon, Provenance: evidence.From("as claimed")}
}

var one = big.NewRat(1, 1)

// compare returns the sign of ln t − ε, for t ≥ 1; ok is false if 256 bits do not decide it.
func (c Claim) compare(t *big.Rat) (int, bool) {
	if e, ok := c.Epsilon.Exp(); ok {
		return t.Cmp(e), true
	}
	if t.Cmp(one) == 0 {
		return -1, true // ε > 0
	}
	a, b := interval.Rat(t).Log(), c.Epsilon.Enclosure()
	switch {
	case a.Less(b):
		return -1, true
	case b.Less(a):
		return 1, true
	}
	return 0, false
}

// exceeded reports whether (p − δ)/q is above e^ε. It takes the float64s p and q as exact.
func (c Claim) exceeded(p, q float64, delta *big.Rat) bool {
	excess := new(big.Rat).SetFloat64(p)
	if excess.Sub(excess, delta).Sign() <= 0 || q == 0 {
		return excess.Sign() > 0
	}
	ratio := excess.Quo(excess, new(big.Rat).SetFloat64(q))
	above, ok := c.compare(ratio)
	return ratio.Cmp(one) > 0 && ok && above > 0
}
