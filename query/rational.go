package query

import (
	"math/big"
	"slices"
)

// CommonDenominator returns the least common multiple of d and the denominator of r.
func CommonDenominator(d *big.Int, r *big.Rat) *big.Int {
	g := new(big.Int).GCD(nil, nil, d, r.Denom())
	return g.Mul(new(big.Int).Quo(d, g), r.Denom())
}

// Scaled returns r·d, which must be an integer.
func Scaled(r *big.Rat, d *big.Int) *big.Int {
	n := new(big.Int).Quo(d, r.Denom())
	return n.Mul(n, r.Num())
}

// Distinct returns the different ones of some numbers, ascending.
func Distinct(of []*big.Rat) []*big.Rat {
	out := slices.Clone(of)
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}
