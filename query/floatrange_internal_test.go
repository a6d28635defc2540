package query

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// The unit is the largest power of two up to the largest number. Numbers closer than 2^−1020 of it are rejected.
func TestRoundedUnit(t *testing.T) {
	near := func(exponent int) []*big.Rat { return []*big.Rat{new(big.Rat), powerOfTwo(exponent), big.NewRat(1, 1)} }
	one := big.NewRat(1, 1)
	for _, c := range []struct {
		numbers []*big.Rat
		largest *big.Rat
		unit    *big.Rat // nil where they are refused
	}{
		{near(-10), one, one}, {near(-1000), one, one}, {near(-1020), one, one}, {near(-1021), one, nil}, {near(-1100), one, nil},
		{near(-1021), big.NewRat(3, 2), nil}, {near(-1019), big.NewRat(3, 1), big.NewRat(2, 1)}, {near(-1020), big.NewRat(2, 1), nil},
		{nil, big.NewRat(7, 3), big.NewRat(2, 1)}, {nil, big.NewRat(8, 3), big.NewRat(2, 1)}, {nil, big.NewRat(1, 3), big.NewRat(1, 4)}, {nil, big.NewRat(1, 4), big.NewRat(1, 4)}, {nil, big.NewRat(3, 16), big.NewRat(1, 8)}, {nil, big.NewRat(5, 16), big.NewRat(1, 4)},
		// Equal ones are no gap, and a gap between two that are large is one.
		{[]*big.Rat{one, one}, one, one}, {[]*big.Rat{one, new(big.Rat).Sub(one, powerOfTwo(-1021))}, one, nil}, {[]*big.Rat{one, new(big.Rat).Sub(one, powerOfTwo(-1020))}, one, one},
	} {
		unit, err := roundedUnit(c.numbers, c.largest, "it")
		if c.unit == nil && !errors.Is(err, evidence.ErrParameter) || c.unit != nil && (err != nil || unit.Cmp(c.unit) != 0) {
			t.Errorf("largest %v: unit %v, %v, want %v", c.largest, unit, err, c.unit)
		}
	}
}
