package elementary

import (
	"math"
	"math/big"
	"sync"

	"dpworkbench/interval"
)

// expTable holds 2^{j/32} = hi + lo, and ln2/32 cut in two.
type expTable struct {
	hi, lo         [32]float64
	stepHi, stepLo float64
}

var expOf = sync.OnceValue(func() *expTable {
	t := &expTable{}
	for j := range t.hi {
		v := interval.Ln2().Mul(interval.Rat(big.NewRat(int64(j), 32))).Exp()
		t.hi[j] = v.Mid()
		t.lo[j] = v.Sub(interval.Float(t.hi[j])).Mid()
	}
	t.stepHi, t.stepLo = parts(interval.Ln2().Quo(interval.Int(32)), 40) // k·stepHi is exact for |k| < 2¹⁶
	return t
})

// Exp returns eˣ to 2u, and to 2⁻¹⁰⁷⁰ where that is more; +Inf above 709.
//
// x = k·ln2/32 + r, |r| ≤ 0.0109: k·stepHi is exact; k·stepLo is below 2⁻²⁴ and its
// rounding below 2⁻⁷⁶; the two differences round by u·0.0109 each. The polynomial
// leaves out r⁷/5040 and more, below 4e-18·r, and its roundings are at most 4u of
// 0.0109; times the table entry all that stays below 0.1u, and only the last sum
// rounds by u of the result.
func Exp(x float64) float64 {
	switch {
	case x > 709:
		return math.Inf(1)
	case x < -746:
		return 0
	case x != x:
		return x
	}
	t := expOf()
	n := int(x*(32/math.Ln2)+(1<<20)+0.5) - 1<<20
	k := float64(n)
	r := (x - float64(k*t.stepHi)) - float64(k*t.stepLo)
	p := r + float64(r*r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	j := n & 31
	v := t.hi[j] + (t.lo[j] + float64(t.hi[j]*p))
	if x < -700 {
		return math.Ldexp(v, (n-j)/32)
	}
	return v * math.Float64frombits(uint64(1023+(n-j)/32)<<52)
}
