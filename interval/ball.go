package interval

import (
	"math"
	"math/big"
)

// Ball is the set of numbers within Radius of Mid: an enclosure in double-double at a hundredth of the cost of an
// Interval. Each operation adds its rounding error, at most DoubleError times the result unless the operation
// underflows. Nearest rejects numbers so small. The factor slack covers the rounding of radii.
type Ball struct {
	Mid    DoubleDouble
	Radius float64
}

// slack exceeds the rounding errors of a few thousand float64 operations.
const slack = 1 + 1e-9

// BallAt returns v exactly.
func BallAt(v float64) Ball { return Ball{Mid: DoubleDouble{v, 0}} }

// Ball returns a ball that contains a.
func (a Interval) Ball() Ball {
	if lo, hi := a.Bounds(); lo == hi {
		return BallAt(lo)
	}
	hi := a.Mid()
	rest := a.Sub(Float(hi))
	lo := rest.Mid()
	l, h := rest.Sub(Float(lo)).Bounds()
	return Ball{DoubleDouble{hi, lo}, math.Max(-l, h)}
}

// RatBall returns a ball that contains q.
func RatBall(q *big.Rat) Ball {
	const most = 1 << 53
	n, d := q.Num(), q.Denom()
	if !n.IsInt64() || !d.IsInt64() || n.Int64() < -most || n.Int64() > most || d.Int64() > most {
		return Rat(q).Ball()
	}
	num, den := float64(n.Int64()), float64(d.Int64()) // exact
	hi := num / den
	lo := math.FMA(-hi, den, num) / den // the remainder is exact, because nothing underflows
	return Ball{DoubleDouble{hi, lo}, math.Abs(lo) * 0x1p-52}
}

// Interval returns an interval that contains x.
func (x Ball) Interval() Interval {
	return Float(x.Mid.Hi).Add(Float(x.Mid.Lo)).Add(Between(-x.Radius, x.Radius))
}

// Size returns an upper bound of |Mid|.
func (x Ball) Size() float64 { return math.Abs(x.Mid.Hi) * slack }

// Add returns x + y.
func (x Ball) Add(y Ball) Ball {
	v := x.Mid.Add(y.Mid)
	return Ball{v, (x.Radius + y.Radius + math.Abs(v.Hi)*DoubleError) * slack}
}

// Sub returns x − y.
func (x Ball) Sub(y Ball) Ball {
	y.Mid.Hi, y.Mid.Lo = -y.Mid.Hi, -y.Mid.Lo
	return x.Add(y)
}

// Mul returns x·y.
func (x Ball) Mul(y Ball) Ball {
	v := x.Mid.Mul(y.Mid)
	return Ball{v, (x.Size()*y.Radius + y.Size()*x.Radius + x.Radius*y.Radius + math.Abs(v.Hi)*DoubleError) * slack}
}

// Quo returns x/y, and all numbers if the radius of y exceeds half of its |Mid|.
func (x Ball) Quo(y Ball) Ball {
	v := x.Mid.Quo(y.Mid)
	if !(y.Radius <= math.Abs(y.Mid.Hi)/2) {
		return Ball{v, math.Inf(1)}
	}
	return Ball{v, ((x.Radius+math.Abs(v.Hi)*y.Radius)/(math.Abs(y.Mid.Hi)/slack-y.Radius) + math.Abs(v.Hi)*DoubleError) * slack}
}

// Scale returns 2ᵏx.
func (x Ball) Scale(k int) Ball { return Ball{x.Mid.Scale(k), math.Ldexp(x.Radius, k)} }

// Sign returns +1 or −1 if |Mid| exceeds twice the radius, and 0 otherwise. exact is true for ±1; for 0, it reports
// whether x is exactly the number zero.
func (x Ball) Sign() (sign int, exact bool) {
	if math.Abs(x.Mid.Hi) > 2*x.Radius {
		return int(math.Copysign(1, x.Mid.Hi)), true
	}
	return 0, x.Mid.Hi == 0 && x.Radius == 0
}

// Nearest returns the bounds of x rounded outward to float64. ok is false unless they are equal or adjacent; then more
// precision hardly ever gives closer bounds. It is also false for a radius of 2⁻⁶⁰|Mid| or more, and for |Mid| outside
// (1e-280, 1e280).
func (x Ball) Nearest() (lo, hi float64, ok bool) {
	if size := math.Abs(x.Mid.Hi); !(size > 1e-280 && size < 1e280) || !(x.Radius < size*0x1p-60) {
		return 0, 0, false
	}
	lo, hi = x.Mid.Hi, x.Mid.Hi
	if x.Mid.Lo-x.Radius < 0 { // rounding keeps the sign of a difference
		lo = Down(x.Mid.Hi)
	}
	if x.Mid.Lo+x.Radius > 0 {
		hi = Up(x.Mid.Hi)
	}
	return lo, hi, lo == x.Mid.Hi || hi == x.Mid.Hi
}

var ln2Ball = Ln2().Ball()

// halvings is how often Exp halves its argument.
const halvings = 8

// Exp returns eˣ for 0 ≤ x ≤ 800.
func (x Ball) Exp() Ball {
	k := math.Round(x.Mid.Hi / math.Ln2)
	return x.Sub(BallAt(k).Mul(ln2Ball)).Scale(-halvings).power().Scale(int(k))
}

// RoughExp encloses eᵃ for 0 ≤ a ≤ 1e6 to about 90 bits, at a tenth of the cost of Exp. It writes a as k ln 2 + 2⁸s
// with |s| < 2⁻⁹.
func (a Interval) RoughExp() Interval {
	k := math.Round(a.Mid() / math.Ln2)
	s := a.Sub(Int(int64(k)).Mul(Ln2())).Mul(Float(1.0 / (1 << halvings)))
	return s.Ball().power().Interval().Mul(TwoTo(int(k)))
}

// power returns e^{2⁸x} for |x| < 2⁻⁹: it evaluates a Taylor polynomial in x by Horner's rule and squares it eight
// times.
func (x Ball) power() Ball {
	const terms = 13
	one := DoubleDouble{1, 0}
	sum := one
	for i := terms; i >= 1; i-- {
		sum = one.Add(x.Mid.Quo(DoubleDouble{float64(i), 0}).Mul(sum))
	}
	// Relative errors: a step rounds three times, and the next step multiplies its error by x, so all steps together
	// contribute at most eight roundings. The remainder of the series is below e|x|¹⁴/14! < 2⁻¹⁶⁰. The radius of x adds
	// to these. A squaring doubles the error and rounds once.
	rel := (8*DoubleError + 0x1p-140 + x.Radius) * slack
	for range halvings {
		sum = sum.Mul(sum)
		rel = (2*rel*(1+rel) + DoubleError) * slack
	}
	return Ball{sum, sum.Hi * rel}
}
