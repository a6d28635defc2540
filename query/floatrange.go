package query

import (
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// roundedUnit returns a power of two. In multiples of it, float64s hold the numbers from 0 to largest, and their
// differences, at full precision. It returns an error wrapping evidence.ErrParameter if two numbers are too close for
// that.
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
	if -2*longest >= exponent-1020 { // a/b ≠ c/d differ by at least 1/(bd)
		return unit, nil
	}
	least := powerOfTwo(exponent - 1020)
	sorted := slices.Clone(numbers)
	slices.SortFunc(sorted, func(a, b *big.Rat) int { return a.Cmp(b) })
	gap := new(big.Rat)
	for i := 1; i < len(sorted); i++ {
		gap.Sub(sorted[i], sorted[i-1])
		if gap.Sign() > 0 && gap.Cmp(least) < 0 {
			return nil, parameter.Errorf("%s has the distances %s and %s, want a ratio of at most 2^1020", name, formatRational(gap), formatRational(largest))
		}
	}
	return unit, nil
}

// checkDifferences returns an error wrapping evidence.ErrParameter unless the differences of numbers from 0 to
// largest are in the range of float64.
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

// powerOfTwo returns 2ⁿ.
func powerOfTwo(n int) *big.Rat {
	one := big.NewInt(1)
	if n < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-n)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(n)))
}

// checkFloatRange returns an error wrapping evidence.ErrParameter unless q, rounded to float64, is finite, and 0
// only if q is 0.
func checkFloatRange(q *big.Rat, what string) error {
	if q == nil {
		return parameter.Errorf("%s is missing, want a number", what)
	}
	v, _ := q.Float64()
	if math.IsInf(v, 0) || v == 0 && q.Sign() != 0 {
		return parameter.Errorf("%s = %s, want 0 or a magnitude from 5e-324 to 1.7e308", what, formatRational(q))
	}
	return nil
}

// formatRational formats a number as in a script, or with six digits if it is long.
func formatRational(q *big.Rat) string {
	if text := RationalValue(q).String(); len(text) <= 40 {
		return text
	}
	return new(big.Float).SetPrec(64).SetRat(q).Text('g', 6)
}
