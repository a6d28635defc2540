package gaussian

import (
	"math"

	"dpworkbench/interval"
)

var ln2 = interval.Int(2).Log()

// halvings are how often the argument of an exponential is cut in half.
const halvings = 8

// expEnclosure encloses eˣ for 0 ≤ x ≤ 1e6 to about 90 bits, a tenth of the
// cost of the full 256: x = k ln 2 + 2⁸s with |s| < 2⁻⁹.
func expEnclosure(x interval.Interval) interval.Interval {
	k := math.Round(x.Mid() / math.Ln2)
	s := x.Sub(interval.Int(int64(k)).Mul(ln2)).Mul(interval.Float(1.0 / (1 << halvings)))
	e := ballOf(s).power()
	return e.v.within(e.r).Mul(interval.TwoTo(int(k)))
}

// exp is eˣ for 0 ≤ x ≤ 800, likewise.
func (x ball) exp() ball {
	k := math.Round(x.v.hi / math.Ln2)
	return x.minus(exactly(k).times(ln2Ball)).scaled(-halvings).power().scaled(int(k))
}

// power is e^{2⁸s} for |s| < 2⁻⁹: a Taylor polynomial in s by Horner's rule, eight
// squarings.
func (s ball) power() ball {
	const terms = 13
	one := double{1, 0}
	sum := one
	for i := terms; i >= 1; i-- {
		sum = one.plus(s.v.over(double{float64(i), 0}).times(sum))
	}
	// Relative errors: three roundings a step, each reduced by s in the next, so
	// eight in all; the rest of the series, below |s|¹⁴/14! < 2⁻¹⁶² times e; the
	// offset of s. A squaring doubles them and adds one rounding.
	rel := (8*doubleError + 0x1p-140 + s.r) * slack
	for range halvings {
		sum = sum.times(sum)
		rel = (2*rel*(1+rel) + doubleError) * slack
	}
	return ball{sum, sum.hi * rel}
}
