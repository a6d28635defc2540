package interval

import (
	"fmt"
	"math/big"
)

// Decimal returns the rational that the shortest decimal of v stands for: 1/10
// for the float64 nearest to 0.1. It returns nil where v is not finite.
func Decimal(v float64) *big.Rat {
	q, ok := new(big.Rat).SetString(fmt.Sprint(v))
	if !ok {
		return nil
	}
	return q
}

// RationalPower returns qᵏ for any whole k; q must not be 0 where k < 0.
func RationalPower(q *big.Rat, k *big.Int) *big.Rat {
	n := new(big.Int).Abs(k)
	v := new(big.Rat).SetFrac(new(big.Int).Exp(q.Num(), n, nil), new(big.Int).Exp(q.Denom(), n, nil))
	if k.Sign() < 0 {
		v.Inv(v)
	}
	return v
}

// RationalFloor returns the largest whole number that is at most q.
func RationalFloor(q *big.Rat) *big.Int { return new(big.Int).Div(q.Num(), q.Denom()) }
