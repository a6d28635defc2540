package interval

import (
	"math"
	"math/big"
	"slices"
)

// ln2Digits is ln 2 truncated to a hundred decimal places (OEIS A002162).
const ln2Digits = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"

var ln2 = func() Interval {
	q, _ := new(big.Rat).SetString(ln2Digits)
	return Rat(q) // wider than the truncation error
}()

// Ln2 returns an enclosure of ln 2.
func Ln2() Interval { return ln2Log }

var ln2Log = Int(2).Log()

// Pi returns an enclosure of π, from its first hundred decimal places (OEIS A000796).
func Pi() Interval { return pi }

var pi = func() Interval {
	const digits = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
	q, _ := new(big.Rat).SetString(digits)
	unit, _ := new(big.Rat).SetString("1e-100")
	return Hull(Rat(q), Rat(new(big.Rat).Add(q, unit)))
}()

// inverseFactorial[i] encloses 1/i!, reciprocal[i] encloses 1/i (i ≥ 1).
var inverseFactorial, reciprocal = func() (f, r [18]Interval) {
	f[0] = Int(1)
	for i := 1; i < len(f); i++ {
		r[i] = Int(1).Quo(Int(int64(i)))
		f[i] = f[i-1].Quo(Int(int64(i)))
	}
	return f, r
}()

// rest encloses the remainder of a series with these coefficients, divided by the next power of an argument below 2⁻¹⁶.
var rest = Hull(Int(0), Int(1))

// maxExp is the largest argument of which an exponential is computed. Beyond it 2^{±maxExp} bounds e^{±x}, since e > 2.
const maxExp = 1 << 30

// Exp returns an enclosure of eᵃ: [0, 2^−2³⁰] if a is below −2³⁰, and [2^2³⁰, +∞) if it is above 2³⁰.
func (a Interval) Exp() Interval {
	lo := expPoint(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, expPoint(a.hi).hi} // exp increases
}

// expPoint encloses eˣ. With x = k ln 2 + 2ᵐ s and 0 ≤ s < 2⁻¹⁶, it evaluates a Taylor polynomial in s with an enclosed
// remainder and squares it m times.
func expPoint(x *big.Float) Interval {
	const halvings = 16
	if x.Sign() == 0 {
		return Int(1)
	}
	approx, _ := float(x)
	if approx < -maxExp {
		return Interval{zero, exact().SetMantExp(big.NewFloat(1), -maxExp)}
	}
	if approx > maxExp {
		return Interval{exact().SetMantExp(big.NewFloat(1), maxExp), new(big.Float).SetInf(false)}
	}
	k := int(math.Floor(approx / math.Ln2)) // s ≥ 0: products of positive intervals are cheapest
	s := Interval{x, x}.Sub(Int(int64(k)).Mul(ln2)).scale(-halvings)

	sum := rest
	for _, c := range slices.Backward(inverseFactorial[:]) {
		sum = sum.Mul(s).Add(c)
	}
	for range halvings {
		sum = sum.Mul(sum)
	}
	return sum.scale(k)
}

// scale returns a·2ᵏ, exactly unless it leaves the range of bounds.
func (a Interval) scale(k int) Interval {
	return Interval{lower(exact().SetMantExp(a.lo, k)), upper(exact().SetMantExp(a.hi, k))}
}

// Log returns an enclosure of the logarithms of the positive numbers in a. It is unbounded below if a contains 0 or
// negative numbers, and all numbers if a has no positive one.
func (a Interval) Log() Interval {
	hi := logPoint(a.hi)
	if a.lo.Cmp(a.hi) == 0 {
		return hi
	}
	return Interval{logPoint(a.lo).lo, hi.hi} // log increases
}

// logPoint encloses ln x. With x = 2ᵉ m and y = math.Log(m), ln m = y + ln(1 + t), where t = m e⁻ʸ − 1 has the size
// of a rounding error. It checks that |t| < 2⁻⁴⁰ and assumes nothing else about y. Unless x is positive and finite, y
// is not finite and the result is all numbers.
func logPoint(x *big.Float) Interval {
	const terms = 8
	mant := new(big.Float)
	e := x.MantExp(mant)
	m, _ := mant.Float64()
	if m < math.Sqrt2/2 { // m near 1, so that logarithms near 0 do not cancel
		mant.SetMantExp(mant, 1)
		m, e = 2*m, e-1
	}
	y := Float(math.Log(m))
	t := Interval{mant, mant}.Mul(y.Neg().Exp()).Sub(Int(1))
	if !t.Mul(t).Less(Int(1).scale(-80)) {
		return Whole()
	}
	sum := rest
	for i := terms; i >= 1; i-- { // t(1 − t(1/2 − t(1/3 − …)))
		sum = reciprocal[i].Sub(sum.Mul(t))
	}
	return Int(int64(e)).Mul(ln2).Add(y).Add(sum.Mul(t))
}
