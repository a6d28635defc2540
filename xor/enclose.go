package xor

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// weigh returns Σ c(t)·w_t for integers 0 ≤ c(t) < 2⁵³. It scales by the largest term with c(t) > 0, so that larger
// terms with c(t) = 0 cost no precision. Its relative error is at most 3 units: a product and the last sum are rounded,
// terms below 2⁻⁹⁰⁰ of the largest are dropped, and intermediate sums are double-double.
func weigh(terms []scaledFloat, c func(t int) float64) scaledFloat {
	top := int64(none)
	for t, w := range terms {
		if w.m > 0 && c(t) > 0 {
			top = max(top, w.e)
		}
	}
	var s interval.DoubleDouble
	for t, w := range terms {
		if n := c(t); w.m > 0 && n > 0 && w.e-top > -900 {
			s.Accumulate(n * math.Ldexp(w.m, int(w.e-top)))
		}
	}
	out := newScaledFloat(s.Float())
	if out.m > 0 {
		out.e += top
	}
	return out
}

// ratio encloses E f = a/b for 0 ≤ f ≤ most. a ≥ 0 and b > 0 are known to the relative error rel. The exponents of the
// law have an uncertainty of off nats: the largest possible increase of an exponent plus the largest decrease.
//
// With q = E f/most, a change g of the exponents changes ln q by at most Cov(f, g)/E f. That is at most the range of g
// times (1 − q): the mean deviation of f from E f is at most 2q(1 − q)·most, and a covariance at most half of that
// times the range. ln(1 − q) changes by at most q times the range, so that along the way 1 − q grows by a factor of at
// most e^off.
//
// local is another bound on the change of ln E f, +Inf if there is none.
func ratio(a, b scaledFloat, most, rel, off, local float64, method, source string) evidence.Certified {
	v := a.quo(b)
	if q := v.quo(newScaledFloat(most)); off < 0x1p-10 && q.e >= 0 { // q ≥ ½
		f, _ := q.float()
		off *= math.Min(1, (math.Max(0, 1-f)+4*rel+8*unit)*(1+2*off))
	}
	out := evidence.Certified{Provenance: evidence.From(source).By(method)}
	out.Lo, out.Hi = v.bounds(spread(2*rel+3*unit, math.Min(off, local)))
	out.Lo, out.Hi = math.Min(out.Lo, most), math.Min(out.Hi, most)
	return out
}

// spread returns an upper bound on (1 + rel)·e^off − 1, for rel below ½.
func spread(rel, off float64) float64 {
	switch {
	case off == 0:
		return rel
	case off < 0x1p-10: // e^x ≤ 1 + x(1 + x)
		return (rel + off*(1+off)*(1+rel)) * (1 + 4*unit)
	case off > 700:
		return math.Inf(1)
	}
	_, grow := interval.Float(off).Exp().Bounds()
	return ((1+rel)*grow - 1) * (1 + 4*unit)
}

// logOnePlus encloses ln(1 + a), where a is the weight of all states but the empty one. a has the relative error
// rel. The reading of the parameters changes ln a by at most off, and the logarithm of the whole sum by at most
// whole.
func logOnePlus(a scaledFloat, rel, off, whole float64) (lo, hi float64) {
	lo, hi = a.bounds(spread(rel, off))
	switch {
	case a.m == 0:
		return 0, 0
	case a.e < -60: // a − a²/2 ≤ ln(1 + a) ≤ a
		return math.Max(0, math.Nextafter(lo*(1-0x1p-58), 0)), hi
	case a.e < 900 && !math.IsInf(hi, 1) && (off < 0x1p-10 || a.e < 0):
		lo, _ = interval.Float(lo).Add(interval.Int(1)).Log().Bounds()
		_, hi = interval.Float(hi).Add(interval.Int(1)).Log().Bounds()
		return lo, hi
	}
	// The whole sum is a up to a factor 1 + 1/a.
	lo, _ = a.log(rel)
	_, hi = a.times(1 + math.Ldexp(2, -int(min(a.e, 900)))).log(rel + 4*unit)
	return math.Max(0, interval.Down(lo-whole)), interval.Up(hi + whole)
}
