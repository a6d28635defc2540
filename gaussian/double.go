package gaussian

import (
	"math"

	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
)

// double is an unevaluated sum hi + lo of two float64, |lo| ≤ ulp(hi)/2.
//
// Its operations serve positive operands only. Joldes, Muller and Popescu
// (ACM Trans. Math. Softw. 44(2), 2017) bound their relative errors by at most
// 15u² + 56u³, u = 2⁻⁵³ (division, Theorem 6.1; sums 3u², products 5u²), as long
// as nothing underflows; doubleError = 2⁻¹⁰² covers each of them.
type double struct{ hi, lo float64 }

const doubleError = 0x1p-102

func fastTwoSum(a, b float64) double {
	s := a + b
	return double{s, b - (s - a)}
}

func (x double) plus(y double) double {
	high, highRest := elementary.TwoSum(x.hi, y.hi)
	low, lowRest := elementary.TwoSum(x.lo, y.lo)
	v := fastTwoSum(high, highRest+low)
	return fastTwoSum(v.hi, lowRest+v.lo)
}

func (x double) times(y double) double {
	p := x.hi * y.hi
	e := math.FMA(x.hi, y.hi, -p)
	e = math.FMA(x.hi, y.lo, e)
	e = math.FMA(x.lo, y.hi, e)
	return fastTwoSum(p, e)
}

func (x double) over(y double) double {
	q := x.hi / y.hi
	r := y.times(double{q, 0})
	rest := (x.hi - r.hi) + (x.lo - r.lo)
	return fastTwoSum(q, rest/y.hi)
}

// nearDouble returns a double near x and a bound on the distance.
func nearDouble(x interval.Interval) (double, float64) {
	hi := x.Mid()
	rest := x.Sub(interval.Float(hi))
	lo := rest.Mid()
	l, h := rest.Sub(interval.Float(lo)).Bounds()
	return double{hi, lo}, math.Max(-l, h)
}

// within returns the enclosure x ± err.
func (x double) within(err float64) interval.Interval {
	return interval.Float(x.hi).Add(interval.Float(x.lo)).Add(interval.Between(-err, err))
}
