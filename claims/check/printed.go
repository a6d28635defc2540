package check

import (
	"math/big"
	"slices"
	"strings"
)

// Printed is a decimal number as a paper prints it, such as "1.624". It stands for all numbers that round to it.
type Printed string

// Rat returns p as a rational number. It panics if p is not a decimal number.
func (p Printed) Rat() *big.Rat {
	v, ok := new(big.Rat).SetString(string(p))
	if !ok || strings.ContainsAny(string(p), "/eE") {
		panic("check: " + string(p) + " is not a decimal number")
	}
	return v
}

// Rounds reports whether v rounds to p: it differs from p by at most half a unit of p's last decimal place.
// Ties round to both sides.
func (p Printed) Rounds(v *big.Rat) bool {
	_, decimals, _ := strings.Cut(string(p), ".")
	half := new(big.Rat).Mul(Ratio(1, 2), Power(big.NewRat(10, 1), -len(decimals)))
	off := new(big.Rat).Sub(v, p.Rat())
	return off.Abs(off).Cmp(half) <= 0
}

// Listed returns a statement about a few given instances. Its check visits all of them.
func Listed[I any](family string, holds func(I) bool, witness func(I) *Witness, list ...I) Statement[I] {
	return Statement[I]{Family: family, Whole: true, Size: len(list), Each: slices.Values(list), Holds: holds,
		Witness: witness}
}
