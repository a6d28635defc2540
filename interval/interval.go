package interval

import (
	"fmt"
	"math"
	"math/big"
)

// Prec is the precision of the bounds in bits.
const Prec = 256

// Interval is a closed set of reals between two bounds. The lower one may be −∞, the upper one +∞. It is immutable;
// the zero value is not usable.
type Interval struct {
	lo, hi *big.Float
}

func down() *big.Float { return new(big.Float).SetPrec(Prec).SetMode(big.ToNegativeInf) }

func up() *big.Float { return new(big.Float).SetPrec(Prec).SetMode(big.ToPositiveInf) }

// exact returns a new number of Prec bits for results that need no rounding.
func exact() *big.Float { return new(big.Float).SetPrec(Prec) }

// Int returns the integer n.
func Int(n int64) Interval {
	v := exact().SetInt64(n)
	return Interval{v, v}
}

// Whole returns all reals.
func Whole() Interval { return Interval{new(big.Float).SetInf(true), new(big.Float).SetInf(false)} }

// Float returns v exactly. It returns the numbers beyond the largest float64 if v is infinite, and all numbers if v
// is NaN.
func Float(v float64) Interval {
	switch {
	case math.IsNaN(v):
		return Whole()
	case math.IsInf(v, 0):
		return beyond(exact().SetFloat64(math.MaxFloat64), v < 0)
	}
	point := exact().SetFloat64(v)
	return Interval{point, point}
}

// Big returns v exactly if it has at most Prec bits, and an enclosure of it otherwise. It returns the numbers beyond
// the largest bound if v is infinite.
func Big(v *big.Float) Interval {
	if v.IsInf() {
		return beyond(highest, v.Signbit())
	}
	return Interval{down().Set(v), up().Set(v)}
}

// TwoTo returns 2^k.
func TwoTo(k int) Interval { return Big(new(big.Float).SetMantExp(big.NewFloat(1), k)) }

// beyond returns [v, ∞) for v > 0, or (−∞, −v] if negative is true.
func beyond(v *big.Float, negative bool) Interval {
	out := Interval{v, new(big.Float).SetInf(false)}
	if negative {
		out = out.Neg()
	}
	return out
}

// Rat returns an enclosure of q.
func Rat(q *big.Rat) Interval {
	lo, d := down(), q.Denom()
	if k := d.TrailingZeroBits(); d.BitLen() == int(k)+1 && q.Num().BitLen() <= Prec { // exact
		lo.SetInt(q.Num())
		lo.SetMantExp(lo, -int(k))
		return Interval{lo, up().Set(lo)}
	}
	lo.SetRat(q)
	if lo.Sign() <= 0 || lo.Acc() == big.Exact {
		return Interval{lo, up().SetRat(q)}
	}
	return Interval{lo, up().Add(lo, new(big.Float).SetMantExp(big.NewFloat(1), lo.MantExp(nil)-Prec))} // one ulp above
}

// Between returns [lo, hi], and all numbers unless lo ≤ hi. lo may be −∞ and hi +∞.
func Between(lo, hi float64) Interval {
	if !(lo <= hi) {
		return Whole()
	}
	return Hull(Float(lo), Float(hi))
}

// Hull returns the smallest interval that contains a and b.
func Hull(a, b Interval) Interval {
	lo, hi := a.lo, a.hi
	if b.lo.Cmp(lo) < 0 {
		lo = b.lo
	}
	if b.hi.Cmp(hi) > 0 {
		hi = b.hi
	}
	return Interval{lo, hi}
}

// Bounds returns the bounds rounded outward to float64. A bound beyond the range of float64 is infinite. The upper
// bound of a positive number is never 0, and the lower bound of a finite number is never +∞.
func (a Interval) Bounds() (lo, hi float64) {
	lo, acc := float(a.lo)
	if acc == big.Above {
		lo = math.Nextafter(lo, math.Inf(-1))
	}
	hi, acc = float(a.hi)
	if acc == big.Below {
		hi = math.Nextafter(hi, math.Inf(1))
	}
	return lo, hi
}

// Mid returns the float64 nearest to the middle of a.
func (a Interval) Mid() float64 {
	v, _ := float(a.MidFloat(Prec + 2))
	return v
}

// MidFloat returns the middle of a rounded to prec bits. It returns ±∞ if only the upper or only the lower bound is
// infinite, and 0 if both are.
func (a Interval) MidFloat(prec uint) *big.Float {
	m := new(big.Float).SetPrec(prec)
	if a.lo.IsInf() && a.hi.IsInf() {
		return m
	}
	lo, hi := aligned(a.lo, a.hi, int(prec)+sumGap)
	return m.Mul(m.Add(lo, hi), big.NewFloat(0.5))
}

// Sign returns +1 if every element is positive, −1 if every element is negative, and 0 otherwise. exact is true for ±1;
// for 0, it reports whether a is exactly the number zero.
func (a Interval) Sign() (sign int, exact bool) {
	switch {
	case a.lo.Sign() > 0:
		return 1, true
	case a.hi.Sign() < 0:
		return -1, true
	}
	return 0, a.lo.Sign() == 0 && a.hi.Sign() == 0
}

// Less reports whether every element of a is below every element of b.
func (a Interval) Less(b Interval) bool { return a.hi.Cmp(b.lo) < 0 }

// CmpHi compares upper bounds.
func (a Interval) CmpHi(b Interval) int { return a.hi.Cmp(b.hi) }

// CmpLo compares lower bounds.
func (a Interval) CmpLo(b Interval) int { return a.lo.Cmp(b.lo) }

// Neg returns −a.
func (a Interval) Neg() Interval {
	return Interval{exact().Neg(a.hi), exact().Neg(a.lo)}
}

// Add returns a + b.
func (a Interval) Add(b Interval) Interval {
	return Interval{addDown(a.lo, b.lo), addUp(a.hi, b.hi)}
}

// Sub returns a − b.
func (a Interval) Sub(b Interval) Interval {
	return Interval{subDown(a.lo, b.hi), subUp(a.hi, b.lo)}
}

// Mul returns a·b.
func (a Interval) Mul(b Interval) Interval {
	switch negative, otherNegative := a.hi.Sign() <= 0, b.hi.Sign() <= 0; {
	case a.lo.Sign() >= 0 && b.lo.Sign() >= 0:
		return Interval{mulDown(a.lo, b.lo), mulUp(a.hi, b.hi)}
	case a.lo.Sign() >= 0 && otherNegative:
		return Interval{mulDown(a.hi, b.lo), mulUp(a.lo, b.hi)}
	case negative && b.lo.Sign() >= 0:
		return Interval{mulDown(a.lo, b.hi), mulUp(a.hi, b.lo)}
	case negative && otherNegative:
		return Interval{mulDown(a.hi, b.hi), mulUp(a.lo, b.lo)}
	}
	lo, hi := mulDown(a.lo, b.lo), mulUp(a.lo, b.lo)
	for _, p := range [3][2]*big.Float{{a.lo, b.hi}, {a.hi, b.lo}, {a.hi, b.hi}} {
		if v := mulDown(p[0], p[1]); v.Cmp(lo) < 0 {
			lo = v
		}
		if v := mulUp(p[0], p[1]); v.Cmp(hi) > 0 {
			hi = v
		}
	}
	return Interval{lo, hi}
}

// Quo returns a/b for the numbers of b other than 0. The result has an infinite bound if 0 is a bound of b and a ≠ 0,
// and is all numbers if 0 lies inside b or b is 0.
func (a Interval) Quo(b Interval) Interval {
	if b.lo.Sign() < 0 && b.hi.Sign() > 0 || b.lo.Sign() == 0 && b.hi.Sign() == 0 {
		return Whole()
	}
	if b.lo.Sign() < 0 {
		a, b = a.Neg(), b.Neg()
	}
	under, over := b.hi, b.lo // the divisors of the least and the largest quotient
	if a.lo.Sign() < 0 {
		under = b.lo
	}
	if a.hi.Sign() < 0 {
		over = b.hi
	}
	return Interval{quoDown(a.lo, under), quoUp(a.hi, over)}
}

// Pow returns aⁿ.
func (a Interval) Pow(n int) Interval {
	if n == 1 {
		return a
	}
	out, k := Int(1), uint(max(n, -n))
	for base := a; ; base = base.Mul(base) {
		if k&1 == 1 {
			out = out.Mul(base)
		}
		if k >>= 1; k == 0 {
			break
		}
	}
	if n < 0 {
		return Int(1).Quo(out)
	}
	return out
}

// String formats the bounds with 20 digits.
func (a Interval) String() string {
	return fmt.Sprintf("[%s, %s]", text(a.lo), text(a.hi))
}

// text formats a bound. It writes very large and very small bounds with an exponent of 2, since their decimals take
// long to compute.
func text(v *big.Float) string {
	if e := v.MantExp(nil); e > 1<<16 || e < -1<<16 {
		return new(big.Float).SetPrec(64).Set(v).Text('p', 0)
	}
	return v.Text('g', 20)
}

// Max returns an enclosure of the larger of two numbers.
func Max(a, b Interval) Interval {
	if a.lo.Cmp(b.lo) < 0 {
		a.lo = b.lo
	}
	if a.hi.Cmp(b.hi) < 0 {
		a.hi = b.hi
	}
	return a
}

// Min encloses the smaller of two numbers.
func Min(a, b Interval) Interval { return Max(a.Neg(), b.Neg()).Neg() }

// Mids returns the midpoints of xs.
func Mids(xs []Interval) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x.Mid()
	}
	return out
}

// Floor returns the largest integer that is at most a. It returns false if the bounds of a have different floors or
// more than 2¹⁵ bits.
func (a Interval) Floor() (*big.Int, bool) {
	if a.lo.IsInf() || a.hi.IsInf() || a.hi.MantExp(nil) > math.MaxInt16 || a.lo.MantExp(nil) > math.MaxInt16 {
		return nil, false
	}
	n := floorOf(a.lo)
	return n, n.Cmp(floorOf(a.hi)) == 0
}

// Narrow reports whether the width of a is below 2^−bits times the absolute value of each of its elements, or 0. It is
// false for infinite intervals, and for 0 together with other numbers.
func (a Interval) Narrow(bits int) bool {
	width := subUp(a.hi, a.lo)
	least := min(a.lo.MantExp(nil), a.hi.MantExp(nil))
	return width.Sign() == 0 || width.MantExp(nil) < least-bits
}

func floorOf(v *big.Float) *big.Int {
	n, acc := v.Int(nil)
	if acc == big.Above { // Int truncates towards 0
		n.Sub(n, big.NewInt(1))
	}
	return n
}

// Lower returns the lower bound of a as a point. If it is −∞, Lower returns the numbers below the least finite bound.
func (a Interval) Lower() Interval {
	if a.lo.IsInf() {
		return Interval{a.lo, lowest}
	}
	return Interval{a.lo, a.lo}
}

// Upper returns the upper bound of a as a point. If it is +∞, Upper returns the numbers above the largest finite bound.
func (a Interval) Upper() Interval {
	if a.hi.IsInf() {
		return Interval{highest, a.hi}
	}
	return Interval{a.hi, a.hi}
}
