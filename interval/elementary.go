package interval

import (
	"math"
	"math/big"
	"slices"
)

// ln2Digits is ln 2 truncated to a hundred decimal places (OEIS A002162).
const ln2Digits = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"

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

// rest encloses the remainder of a series with coefficients 1/i! or 1/i for an argument below 2⁻¹⁶, divided by the
// first power of the argument that is left out.
var rest = Hull(Int(0), Int(1))

// maxExp is the largest |x| for which eˣ is computed. Beyond it 2^{±maxExp} bounds e^{±x}, since e > 2.
const maxExp = 1 << 30

// Exp returns an enclosure of eᵃ: [0, 2^−2³⁰] if a is below −2³⁰, and [2^2³⁰, +∞) if it is above 2³⁰.
func (a Interval) Exp() Interval {
	lo := expPoint(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, expPoint(a.hi).hi} // exp increases
}

// expPoint encloses eˣ.
func expPoint(x *big.Float) Interval {
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
	v, k := wideExp(x, approx)
	out := outward(v).scale(k)
	if x.Sign() > 0 {
		return Max(out, Int(1))
	}
	return out
}

// widePrec is the precision in which wideExp and logPoint round to nearest, before an error bound is added.
const widePrec = 320

func wide() *big.Float { return new(big.Float).SetPrec(widePrec) }

// wideError is 2⁻²⁷⁸, the error bound of wideExp and logPoint.
var wideError = new(big.Float).SetMantExp(big.NewFloat(1), -278)

// outward returns an enclosure of the numbers within wideError of v.
func outward(v *big.Float) Interval {
	return Interval{down().Sub(v, wideError), up().Add(v, wideError)}
}

// wideLn2 is ln2Digits, which is less than 1e-100 < 2⁻³³² below ln 2. wideFactorial[i] is 1/i!, and
// wideReciprocal[i] is 1/i (i ≥ 1).
var (
	wideLn2, _, _ = big.ParseFloat(ln2Digits, 10, widePrec+32, big.ToNearestEven)
	wideFactorial = func() (f [18]*big.Float) {
		f[0] = wide().SetInt64(1)
		for i := 1; i < len(f); i++ {
			f[i] = wide().Quo(f[i-1], new(big.Float).SetInt64(int64(i)))
		}
		return f
	}()
	wideReciprocal = func() (r [18]*big.Float) {
		for i := 1; i < len(r); i++ {
			r[i] = wide().Quo(wideFactorial[0], new(big.Float).SetInt64(int64(i)))
		}
		return r
	}()
)

// wideExp returns k and v with |v − eˣ/2ᵏ| < 2⁻²⁷⁸ and v < 2.01. It requires |x| ≤ maxExp; approx is x as a float64.
//
// With x = k ln 2 + 2ᵐ s and |s| < 2⁻¹⁵, it evaluates a Taylor polynomial in s and squares it m = 16 times. Let u =
// 2⁻³²⁰, the relative error of an operation. x − k ln 2 has an error below 2⁻²⁹⁹: |k| < 2³¹, and k ln 2 has 352 bits.
// The polynomial leaves out less than 2s¹⁸/18! < 2⁻³⁰⁰, and its operations have a relative error below 4u. Each
// squaring doubles the relative error and adds u. After m squarings the error is below 2¹⁶(2⁻³⁰⁰ + 5u) + 2⁻²⁹⁹ < 2⁻²⁸³.
func wideExp(x *big.Float, approx float64) (v *big.Float, k int) {
	const halvings = 16
	if x.MantExp(nil) < -widePrec { // big.Float.Add would shift by the difference of exponents
		return wide().SetInt64(1), 0
	}
	k = int(math.Floor(approx / math.Ln2))
	s := new(big.Float).SetPrec(widePrec + 32).SetInt64(int64(k))
	s.Sub(x, s.Mul(s, wideLn2)).SetPrec(widePrec)
	s.SetMantExp(s, -halvings)
	v, next := wide(), wide() // a product written to one of its operands would allocate
	for _, c := range slices.Backward(wideFactorial[:]) {
		v.Add(next.Mul(v, s), c)
	}
	for range halvings {
		v, next = next.Mul(v, v), v
	}
	return v, k
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

// logPoint encloses ln x. With x = 2ᵉ m and y = math.Log(m), ln m = y + ln(1 + t), where t = m e⁻ʸ − 1 has the size of
// a rounding error. logPoint checks that |t| < 2⁻⁴⁰ and assumes nothing else about y. Unless x is positive and finite,
// the result is all numbers.
//
// The error of t is the error of e⁻ʸ, below 2⁻²⁸², plus one rounding. The series leaves out less than 2⁻³⁶⁰. The other
// operations have 352 bits, and errors below 2⁻³⁰⁰ because |e| < 2³¹.
func logPoint(x *big.Float) Interval {
	const terms = 8
	if x.Sign() <= 0 || x.IsInf() {
		return Whole()
	}
	mant := new(big.Float)
	e := x.MantExp(mant)
	m, _ := mant.Float64()
	if m < math.Sqrt2/2 { // m near 1, so that logarithms near 0 do not cancel
		mant.SetMantExp(mant, 1)
		m, e = 2*m, e-1
	}
	y := math.Log(m)
	if math.IsNaN(y) || math.Abs(y) > 1 {
		return Whole()
	}
	inverse, k := wideExp(big.NewFloat(-y), -y)
	t := wide().Mul(mant, inverse)
	t.Sub(t.SetMantExp(t, k), wideFactorial[0])
	switch {
	case t.Sign() == 0 && y == 0 && e == 0: // x = 1
		return Int(0)
	case t.Sign() != 0 && t.MantExp(nil) > -40:
		return Whole()
	}
	sum, next := wide(), wide()
	for i := terms; i >= 1; i-- { // t(1 − t(1/2 − t(1/3 − …)))
		sum.Sub(wideReciprocal[i], next.Mul(sum, t))
	}
	if y == 0 && e == 0 { // t is exact, and all other errors are relative
		v := wide().Mul(sum, t)
		off := new(big.Float).SetMantExp(wideError, v.MantExp(nil))
		return Interval{down().Sub(v, off), up().Add(v, off)}
	}
	log := new(big.Float).SetPrec(widePrec + 32).SetInt64(int64(e))
	log.Mul(log, wideLn2)
	log.Add(log, big.NewFloat(y))
	return outward(log.Add(log, next.Mul(sum, t)))
}
