package xor

import (
	"math"

	"dpworkbench/interval"
)

// quad is (hi + lo)·2ᵉ with ½ ≤ hi < 1 and |lo| ≤ u = 2⁻⁵³, about 32 digits. Every
// operation below errs by a factor of at most 1 ± quadUnit, quadUnit being 64u².
// A product errs absolutely by lo·lo', at most u², by the roundings of hi·lo' and
// lo·hi', u² each, of their sum, 2u², and of that sum and what the product of the
// high parts leaves over, 3u²: 8u² against a product of at least ¼. A quotient
// errs by the roundings of a.lo·x, of its sum with the rest and of the last
// quotient, 10u² relative. The exponential errs by the rounding of its second
// word.
type quad struct {
	hi, lo float64
	e      int64
}

const quadUnit = 0x1p-100

// normal brings hi back to [½, 1).
func (a quad) normal() quad {
	s := a.hi + a.lo
	a.hi, a.lo = s, a.lo-(s-a.hi)
	m, shift := math.Frexp(a.hi)
	return quad{m, math.Ldexp(a.lo, -shift), a.e + int64(shift)}
}

func (a quad) mul(b quad) quad {
	p := a.hi * b.hi
	err := math.FMA(a.hi, b.hi, -p)
	return quad{p, err + (a.hi*b.lo + a.lo*b.hi), a.e + b.e}.normal()
}

// ratio returns a·n/d for positive whole n and d below 2⁵³.
func (a quad) ratio(n, d int) quad {
	x, y := float64(n), float64(d)
	p := a.hi * x
	err := math.FMA(a.hi, x, -p) + a.lo*x
	q := p / y
	rest := math.FMA(-q, y, p) + err
	return quad{q, rest / y, a.e}.normal()
}

// quadExp returns eˣ for |x| ≤ 2⁶¹, x known to 2⁻¹¹⁰ relative to 1 or better.
func quadExp(x interval.Interval) quad {
	k := int64(math.Round(x.Mid() / math.Ln2))
	v := x.Sub(interval.Int(k).Mul(ln2)).Exp()
	hi := v.Mid()
	lo := v.Sub(interval.Float(hi)).Mid()
	a := quad{hi, lo, 0}.normal()
	a.e += k
	return a
}
