package xor

import (
	"math"

	"dpworkbench/interval"
)

// unit is the rounding unit of float64: one operation errs by at most a factor
// 1 ± unit.
const unit = interval.Unit

// scaledFloat is m·2ᵉ with ½ ≤ m < 1, a positive number whose exponent never overflows.
type scaledFloat struct {
	m float64
	e int64
}

var scaledOne = scaledFloat{.5, 1}

// newScaledFloat returns v ≥ 0 split; zero stays zero.
func newScaledFloat(v float64) scaledFloat {
	m, e := math.Frexp(v)
	return scaledFloat{m, int64(e)}
}

// mul returns a·b, rounded once.
func (a scaledFloat) mul(b scaledFloat) scaledFloat {
	m, e := a.m*b.m, a.e+b.e
	if m < .5 {
		m, e = 2*m, e-1
	}
	return scaledFloat{m, e}
}

// quo returns a/b for b > 0, rounded once.
func (a scaledFloat) quo(b scaledFloat) scaledFloat {
	w := newScaledFloat(a.m / b.m)
	w.e += a.e - b.e
	return w
}

// times returns a·n, rounded once.
func (a scaledFloat) times(n float64) scaledFloat { return a.mul(newScaledFloat(n)) }

// float returns the value, ok where it is a normal float64 with room to spare.
func (a scaledFloat) float() (v float64, ok bool) {
	if a.e < -1000 || a.e > 1000 {
		return 0, false
	}
	return math.Ldexp(a.m, int(a.e)), true
}

// bounds encloses a·(1 ± rel) in float64, rounding outward: below the normal
// numbers too, so that what is positive never has the upper end zero.
func (a scaledFloat) bounds(rel float64) (lo, hi float64) {
	if a.m == 0 {
		return 0, 0
	}
	e := int(min(max(a.e, -3000), 3000))
	// The factor and the product round by half a unit each.
	lo, hi = math.Ldexp(a.m*((1-rel)*(1-2*unit)), e), math.Ldexp(a.m*((1+rel)*(1+2*unit)), e)
	if e < -1000 { // Ldexp may have rounded
		lo, hi = math.Nextafter(lo, 0), interval.Up(hi)
	}
	return math.Max(0, lo), hi
}

// log encloses ln(a·(1 ± rel)).
func (a scaledFloat) log(rel float64) (lo, hi float64) {
	slack := interval.Between(1-rel, 1+rel)
	return interval.Float(a.m).Mul(slack).Log().Add(interval.Int(a.e).Mul(interval.Ln2())).Bounds()
}

// expCache turns exponents into factors with a relative error of at most unit,
// remembering those it has seen: laws repeat theirs.
type expCache map[float64]scaledFloat

func (s expCache) of(x float64) scaledFloat {
	if w, ok := s[x]; ok {
		return w
	}
	k := int64(math.Round(x / math.Ln2))
	// |x − k ln 2| ≤ 0.35 or so, whatever the rounding of k.
	v := interval.Float(x).Sub(interval.Int(k).Mul(interval.Ln2())).Exp().Mid()
	w := newScaledFloat(v)
	w.e += k
	s[x] = w
	return w
}
