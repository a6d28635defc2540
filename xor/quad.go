package xor

import (
	"math"

	"dpworkbench/internal/interval"
)

// quad is (hi + lo)·2ᵉ with ½ ≤ hi < 1 and |lo| ≤ ulp(hi), about 32 digits.
// Every operation below errs by a factor of at most 1 ± quadUnit (Joldes,
// Muller and Popescu, "Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic", ACM TOMS 44, 2017: 5 to 15 units squared;
// a generous multiple is assumed here).
type quad struct {
	hi, lo float64
	e      int64
}

const quadUnit = 0x1p-98

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

// quadExp returns eˣ.
func quadExp(x float64) quad {
	k := int64(math.Round(x / math.Ln2))
	v := interval.Float(x).Sub(interval.Int(k).Mul(ln2)).Exp()
	hi := v.Mid()
	lo := v.Sub(interval.Float(hi)).Mid()
	a := quad{hi, lo, 0}.normal()
	a.e += k
	return a
}
