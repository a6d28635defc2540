package interval

import (
	"fmt"
	"math"
	"math/big"
)

// ln2Digits are the first hundred decimal places of ln 2 (OEIS A002162), cut
// off, so that ln 2 lies between this number and the next.
const ln2Digits = "0.6931471805599453094172321214581765680755001343602552541206800094933936219696947156058633269964186875"

var ln2 = func() Interval {
	q, _ := new(big.Rat).SetString(ln2Digits)
	unit, _ := new(big.Rat).SetString("1e-100")
	return Interval{Rat(new(big.Rat).Sub(q, unit)).lo, Rat(new(big.Rat).Add(q, unit)).hi}
}()

// inverseFactorial[i] encloses 1/i!, reciprocal[i] encloses 1/i (i ≥ 1).
var inverseFactorial, reciprocal = func() (f, r [17]Interval) {
	f[0] = Int(1)
	for i := 1; i < len(f); i++ {
		r[i] = Int(1).Quo(Int(int64(i)))
		f[i] = f[i-1].Quo(Int(int64(i)))
	}
	return f, r
}()

// MaxExp bounds the arguments that Exp accepts.
const MaxExp = 1 << 28

// Exp returns an enclosure of eᵃ, down to [0, 2^−MaxExp] where a is below
// −MaxExp. It panics where a exceeds MaxExp.
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
	const halvings, terms = 16, 16
	if x.Sign() == 0 {
		return Int(1)
	}
	approx, _ := x.Float64()
	if approx < -MaxExp {
		return Interval{new(big.Float).SetPrec(Prec), new(big.Float).SetPrec(Prec).SetMantExp(big.NewFloat(1), -MaxExp)}
	}
	if !(approx <= MaxExp) {
		panic(fmt.Sprintf("interval: exponent %g is beyond %d", approx, MaxExp))
	}
	k := int(math.Floor(approx / math.Ln2)) // s ≥ 0: products of positives are cheapest
	s := Interval{x, x}.Sub(Int(int64(k)).Mul(ln2)).scale(-halvings)

	sum := inverseFactorial[terms]
	for i := terms - 1; i >= 0; i-- {
		sum = sum.Mul(s).Add(inverseFactorial[i])
	}
	// The rest of the series is below 2|s|¹⁷/17! < 2·2⁻²⁷²·2⁻⁴⁸.
	rest := new(big.Float).SetPrec(Prec).SetMantExp(big.NewFloat(1), -318)
	sum = sum.Add(Interval{new(big.Float).Neg(rest), rest})
	for range halvings {
		sum = sum.Mul(sum)
	}
	return sum.scale(k)
}

// scale returns a·2ᵏ, exactly.
func (a Interval) scale(k int) Interval {
	return Interval{down().SetMantExp(a.lo, k), up().SetMantExp(a.hi, k)}
}

// Log returns an enclosure of ln a. It panics unless a is positive throughout.
func (a Interval) Log() Interval {
	if a.lo.Sign() <= 0 {
		panic("interval: logarithm of an interval that is not positive")
	}
	lo := logPoint(a.lo)
	if a.lo.Cmp(a.hi) == 0 {
		return lo
	}
	return Interval{lo.lo, logPoint(a.hi).hi} // log increases
}

// logPoint encloses ln x at one number: x = 2ᵉ m, y the float64 logarithm of m,
// and ln m = y + ln(1 + t) with t = m e⁻ʸ − 1 of the size of a rounding error.
// It assumes nothing of y but that |t| < 2⁻⁴⁰, and checks that.
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
	bound := new(big.Float).SetMantExp(big.NewFloat(1), -40)
	if new(big.Float).Abs(t.lo).Cmp(bound) > 0 || new(big.Float).Abs(t.hi).Cmp(bound) > 0 {
		panic("interval: float64 logarithm is off by more than 2^-40")
	}
	sum := Int(0)
	for i := terms; i >= 1; i-- { // t(1 − t(1/2 − t(1/3 − …)))
		sum = reciprocal[i].Sub(sum.Mul(t))
	}
	sum = sum.Mul(t)
	// The rest is below 2|t|⁹/9 < 2⁻³⁶².
	rest := new(big.Float).SetPrec(Prec).SetMantExp(big.NewFloat(1), -362)
	sum = sum.Add(Interval{new(big.Float).Neg(rest), rest})
	return Int(int64(e)).Mul(ln2).Add(y).Add(sum)
}
