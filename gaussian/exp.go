package gaussian

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

var ln2 = interval.Int(2).Log()

// expEnclosure encloses eˣ for 0 ≤ x ≤ 1e6 to about 90 bits, a tenth of the
// cost of the full 256: x = k ln 2 + 2⁸s with |s| < 2⁻⁹, a Taylor polynomial
// in s by Horner's rule, eight squarings.
func expEnclosure(x interval.Interval) interval.Interval {
	const halvings, terms = 8, 13
	k := math.Round(x.Mid() / math.Ln2)
	s := x.Sub(interval.Int(int64(k)).Mul(ln2)).Mul(interval.Float(1.0 / (1 << halvings)))
	near, off := nearDouble(s)
	one := double{1, 0}
	sum := one
	for i := terms; i >= 1; i-- {
		sum = one.plus(near.over(double{float64(i), 0}).times(sum))
	}
	// Relative errors: three roundings a step, each reduced by s in the next, so
	// eight in all; the rest of the series, below |s|¹⁴/14! < 2⁻¹⁶² times e; the
	// offset of s. A squaring doubles them and adds one rounding.
	rel := (8*doubleError + 0x1p-140 + off) * (1 + 1e-9)
	for range halvings {
		sum = sum.times(sum)
		rel = 2*rel*(1+rel) + doubleError
	}
	out := sum.within(sum.hi * rel * (1 + 1e-9))
	return out.Mul(interval.Big(new(big.Float).SetMantExp(big.NewFloat(1), int(k))))
}
