package xor

import (
	"math"

	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
)

// unit is the rounding unit of float64: one operation errs by at most a factor
// 1 ± unit.
const unit = 0x1p-53

// wide is m·2ᵉ with ½ ≤ m < 1, a positive number whose exponent never overflows.
type wide struct {
	m float64
	e int64
}

var wideOne = wide{.5, 1}

// newWide returns v ≥ 0 split; zero stays zero.
func newWide(v float64) wide {
	m, e := math.Frexp(v)
	return wide{m, int64(e)}
}

// mul returns a·b, rounded once.
func (a wide) mul(b wide) wide {
	m, e := a.m*b.m, a.e+b.e
	if m < .5 {
		m, e = 2*m, e-1
	}
	return wide{m, e}
}

// float returns the value, ok where it is a normal float64 with room to spare.
func (a wide) float() (v float64, ok bool) {
	if a.e < -1000 || a.e > 1000 {
		return 0, false
	}
	return math.Ldexp(a.m, int(a.e)), true
}

// log encloses ln(a·(1 ± rel)).
func (a wide) log(rel float64) (lo, hi float64) {
	slack := interval.Between(1-rel, 1+rel)
	return interval.Float(a.m).Mul(slack).Log().Add(interval.Int(a.e).Mul(ln2)).Bounds()
}

var ln2 = interval.Int(2).Log()

// exps turns exponents into factors with a relative error of at most unit,
// remembering those it has seen: laws repeat theirs.
type exps map[float64]wide

func (s exps) of(x float64) wide {
	if w, ok := s[x]; ok {
		return w
	}
	k := int64(math.Round(x / math.Ln2))
	// |x − k ln 2| ≤ 0.35 or so, whatever the rounding of k.
	v := interval.Float(x).Sub(interval.Int(k).Mul(ln2)).Exp().Mid()
	w := newWide(v)
	w.e += k
	s[x] = w
	return w
}

// pair is an unevaluated sum hi + lo, for sums of many positive terms: its
// error after n additions is below 2n·unit².
type pair struct{ hi, lo float64 }

func (p *pair) add(v float64) {
	s, rest := elementary.TwoSum(p.hi, v)
	p.hi, p.lo = s, p.lo+rest
}

func (p *pair) addPair(q pair) {
	p.add(q.hi)
	p.lo += q.lo
}

func (p pair) value() float64 { return p.hi + p.lo }
