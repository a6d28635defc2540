package query

import (
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Rational returns the shortest decimal of v as a rational number: 1/10 for the float64 nearest to 0.1. It returns
// an error wrapping evidence.ErrParameter unless v is finite; name is the parameter's name in that error.
func Rational(name string, v float64) (*big.Rat, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, parameter.Errorf("%s = %g, want a finite number", name, v)
	}
	return interval.Decimal(v), nil
}

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
