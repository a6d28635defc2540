package interval

import (
	"math"
	"math/big"
	"slices"
)

// ln2Digits are the first hundred decimal places of ln 2 (OEIS A002162), cut
// off.
const ln2Digits = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"

var ln2 = func() Interval {
	q, _ := new(big.Rat).SetString(ln2Digits)
	return Rat(q) // its ends are further apart than the cut moves them
}()

// Ln2 returns an enclosure of ln 2.
func Ln2() Interval { return ln2Log }

var ln2Log = Int(2).Log()

// Pi returns an enclosure of π, by its first hundred decimal places (OEIS A000796).
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

// rest encloses the rest of a series of these coefficients, divided by the next power of an argument below 2⁻¹⁶ in size. It
// is far beyond the last bit.
var rest = Hull(Int(0), Int(1))

// maxExp bounds the arguments whose exponential is computed. Beyond it e^{±x} is bounded by 2^{±maxExp}, since e > 2.
const maxExp = 1 << 30

// Exp returns an enclosure of eᵃ, down to [0, 2^−2³⁰] where a is below −2³⁰ and up to
// [2^2³⁰, +∞) where it is above 2³⁰.
func (a Interval) Exp() Interval {
	lo := expPoint(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, expPoint(a.hi).hi} // exp increases
}

// expPoint encloses eˣ at one number: x = k ln 2 + 2ᵐ s with 0 ≤ s < 2⁻¹⁶, a
// Taylor polynomial in s with its remainder enclosed, then m squarings.
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
	k := int(math.Floor(approx / math.Ln2)) // s ≥ 0: products of positives are cheapest
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

// scale returns a·2ᵏ, exactly unless that leaves the range of ends.
func (a Interval) scale(k int) Interval {
	return Interval{lower(exact().SetMantExp(a.lo, k)), upper(exact().SetMantExp(a.hi, k))}
}

// Log returns an enclosure of the logarithms of the positive numbers of a. It is not bounded below where a reaches down to
// 0, and it is all numbers where a has no positive one.
func (a Interval) Log() Interval {
	hi := logPoint(a.hi)
	if a.lo.Cmp(a.hi) == 0 {
		return hi
	}
	return Interval{logPoint(a.lo).lo, hi.hi} // log increases
}

// logPoint encloses ln x at one number. With x = 2ᵉ m, and y the float64 logarithm of m, ln m = y + ln(1 + t), where
// t = m e⁻ʸ − 1 has the size of a rounding error. It assumes nothing of y but that |t| < 2⁻⁴⁰, and checks that. Where x is
// not positive and finite y is not finite, and the answer is all numbers.
func logPoint(x *big.Float) Interval {
	const terms = 8
	mant := new(big.Float)
	e := x.MantExp(mant)
	m, _ := mant.Float64()
	if m < math.Sqrt2/2 { // around 1, so that logarithms near 0 do not cancel
		mant.SetMantExp(mant, 1)
		m, e = 2*m, e-1
	}
	y := Float(math.Log(m))
	t := Interval{mant, mant}.Mul(y.Neg().Exp()).Sub(Int(1))
	if !t.Mul(t).Less(Int(1).scale(-80)) {
		return Whole() // math.Log is none
	}
	sum := rest
	for i := terms; i >= 1; i-- { // t(1 − t(1/2 − t(1/3 − …)))
		sum = reciprocal[i].Sub(sum.Mul(t))
	}
	return Int(int64(e)).Mul(ln2).Add(y).Add(sum.Mul(t))
}
