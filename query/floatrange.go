package query

import (
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// roundedUnit returns the power of two in whose multiples float64s hold numbers
// from 0 to largest, and the differences between them, to full precision. It
// returns an error wrapping evidence.ErrParameter where they lie too near to each other
// for that.
func roundedUnit(numbers []*big.Rat, largest *big.Rat, name string) (*big.Rat, error) {
	exponent := largest.Num().BitLen() - largest.Denom().BitLen() // largest is in (2^(exponent−1), 2^(exponent+1))
	unit := powerOfTwo(exponent)
	if largest.Cmp(unit) < 0 {
		exponent--
		unit = powerOfTwo(exponent)
	}
	longest := 0
	for _, q := range numbers {
		longest = max(longest, q.Denom().BitLen())
	}
	if -2*longest >= exponent-1020 { // a/b and c/d differ by at least 1/(bd)
		return unit, nil
	}
	least := powerOfTwo(exponent - 1020)
	sorted := slices.Clone(numbers)
	slices.SortFunc(sorted, func(a, b *big.Rat) int { return a.Cmp(b) })
	gap := new(big.Rat)
	for i := 1; i < len(sorted); i++ {
		gap.Sub(sorted[i], sorted[i-1])
		if gap.Sign() > 0 && gap.Cmp(least) < 0 {
			return nil, parameter.Errorf("%s has distances of %s and of %s, want them within a factor of 2^1020 of each other", name, formatRational(gap), formatRational(largest))
		}
	}
	return unit, nil
}

// checkDifferences returns an error wrapping evidence.ErrParameter unless float64s reach
// the differences of numbers from 0 to largest.
func checkDifferences(numbers []*big.Rat, largest *big.Rat) error {
	if err := checkFloatRange(largest, "largest distance in the range"); err != nil {
		return err
	}
	near := make([]float64, len(numbers))
	for i, q := range numbers {
		near[i], _ = q.Float64()
	}
	slices.Sort(near)
	suspect := false
	for i := 1; i < len(near); i++ {
		suspect = suspect || near[i]-near[i-1] < 1e-290
	}
	if !suspect {
		return nil
	}
	sorted := slices.Clone(numbers)
	slices.SortFunc(sorted, func(a, b *big.Rat) int { return a.Cmp(b) })
	gap := new(big.Rat)
	for i := 1; i < len(sorted); i++ {
		if err := checkFloatRange(gap.Sub(sorted[i], sorted[i-1]), "least distance in the range"); err != nil {
			return err
		}
	}
	return nil
}

// power returns 2ⁿ.
func powerOfTwo(n int) *big.Rat {
	one := big.NewInt(1)
	if n < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-n)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(n)))
}

// checkSize returns an error wrapping evidence.ErrParameter unless float64s reach a
// distance: it is 0 only where the distance is, and never infinite; nor where there
// is none.
func checkFloatRange(q *big.Rat, what string) error {
	if q == nil {
		return parameter.Errorf("%s is missing, want a number", what)
	}
	v, _ := q.Float64()
	if math.IsInf(v, 0) || v == 0 && q.Sign() != 0 {
		return parameter.Errorf("%s = %s, want 0 or a number of a size from 5e-324 to 1.7e308", what, formatRational(q))
	}
	return nil
}

// written returns a number as a script writes it, shortened where it is long.
func formatRational(q *big.Rat) string {
	if text := RationalValue(q).String(); len(text) <= 40 {
		return text
	}
	return new(big.Float).SetPrec(64).SetRat(q).Text('g', 6)
}
