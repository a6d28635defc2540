package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"

	"pgregory.net/rapid"
)

// Exponentials and logarithms contain their rational series to 590 bits and are narrow, for ordinary arguments and on
// both sides of the switch to the series near 0.
func TestElementaryFunctionsEncloseTheirSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	check := func(what string, x *big.Rat, got Interval, want *big.Rat, bits int) {
		t.Helper()
		off := Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590)))
		around := Rat(want).Add(Hull(off.Neg(), off))
		if got.Less(around) || around.Less(got) || !got.Narrow(bits) {
			t.Errorf("%s(%v) = %v misses %v, or is wide", what, x.FloatString(10), got, around)
		}
		l, _ := got.lo.Rat(nil)
		h, _ := got.hi.Rat(nil)
		slack := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590))
		if new(big.Rat).Sub(l, slack).Cmp(want) > 0 || new(big.Rat).Add(h, slack).Cmp(want) < 0 {
			t.Errorf("%s(%v) = %v misses the sum", what, x.FloatString(10), got)
		}
	}
	for k := range cases.Of(64, 160) {
		exp := []int{-30, -60, -17, -16, -15, 5, -8, -1}[k%8]
		x := big.NewRat(rng.Int64N(1<<20)+1<<20, 1<<21)
		if rng.IntN(2) == 0 {
			x.Neg(x)
		}
		x.Mul(x, new(big.Rat).SetFrac64(1<<max(exp, 0), 1<<max(-exp, 0)))
		expm1 := series(x, func(term *big.Rat, k int64) *big.Rat {
			term = new(big.Rat).Mul(term, x)
			return term.Quo(term, big.NewRat(k+1, 1))
		})
		check("expm1", x, Rat(x).Expm1(), expm1, 215)
		check("exp", x, Rat(x).Exp(), new(big.Rat).Add(expm1, big.NewRat(1, 1)), 225)
		if exp > 0 {
			continue
		}
		// ln(1 + x) = 2 artanh(x/(2 + x))
		y := new(big.Rat).Quo(x, new(big.Rat).Add(x, big.NewRat(2, 1)))
		square := new(big.Rat).Mul(y, y)
		power := new(big.Rat).Set(y)
		log := series(y, func(_ *big.Rat, k int64) *big.Rat {
			power.Mul(power, square)
			return new(big.Rat).Quo(power, big.NewRat(2*k+1, 1))
		})
		log.Mul(log, big.NewRat(2, 1))
		check("log1p", x, Rat(x).Log1p(), log, 215)
		if exp == -1 || exp == -60 { // 1 + x, also where it is 1 in float64
			check("log", x, Rat(new(big.Rat).Add(x, big.NewRat(1, 1))).Log(), log, 215)
		}
	}
}

// Argument reduction by multiples of ln 2 does not widen the exponential: e^2²⁸/2^387270501 by mpmath, 95 digits.
func TestExpOfLargeArguments(t *testing.T) {
	want, _ := new(big.Rat).SetString("1.1250331698011147097922156700814943150378835205658959858064260416542053579356712941158109867621")
	got := Int(1 << 28).Exp().scale(-387270501)
	if around := Rat(want); got.Less(around) || around.Less(got) || !got.Narrow(253) {
		t.Errorf("%v misses %v, or is too wide", got, around)
	}
	if product := got.Mul(Int(-1 << 28).Exp().scale(387270501)); !within(product, Int(1)) {
		t.Errorf("exp(x)·exp(−x) = %v, want 1", product)
	}
	if tiny := TwoTo(-300).Exp(); tiny.Less(Int(1)) || tiny.CmpLo(Int(1)) < 0 || !tiny.Narrow(253) {
		t.Errorf("e^2⁻³⁰⁰ is %v, want at least 1", tiny)
	}
}

// The logarithm stays accurate near 1: ln(1 + t) lies between t − t²/2 and t.
func TestLogNextToOne(t *testing.T) {
	for _, k := range []int{-60, -200} {
		for _, sign := range []int64{1, -1} {
			at := Int(sign).scale(k)
			got, below := Int(1).Add(at).Log(), at.Sub(at.Mul(at))
			if !got.Narrow(253) || got.Less(below) || at.Less(got) {
				t.Errorf("ln(1 + %v) is %v", at, got)
			}
		}
	}
}

// series sums terms in rational arithmetic until they are below 2⁻⁶⁰⁰.
func series(first *big.Rat, next func(term *big.Rat, k int64) *big.Rat) *big.Rat {
	least := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 600))
	sum, term := new(big.Rat), new(big.Rat).Set(first)
	for k := int64(1); new(big.Rat).Abs(term).Cmp(least) > 0; k++ {
		sum.Add(sum, term)
		term = next(term, k)
	}
	return sum
}

// ln 2 = Σ 1/k2ᵏ lies between the stored ends, which are adjacent.
func TestLn2EnclosesItsSeries(t *testing.T) {
	sum := new(big.Rat)
	for k := int64(1); k <= 400; k++ {
		sum.Add(sum, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(k), uint(k))))
	}
	rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	nearest(t, "ln 2", Ln2(), sum, sum)
	nearest(t, "ln 2", Ln2(), new(big.Rat).Add(sum, rest), new(big.Rat).Add(sum, rest))
}

// The image of an interval under an increasing function is as tight as the values at its ends, and contains the
// values between.
func TestIncreasingFunctionsAreTightOnIntervals(t *testing.T) {
	for name, f := range map[string]struct {
		of   func(Interval) Interval
		from float64
	}{
		"exp": {Interval.Exp, math.Inf(-1)}, "expm1": {Interval.Expm1, math.Inf(-1)}, "log": {Interval.Log, math.SmallestNonzeroFloat64},
		"log1p": {Interval.Log1p, -0.999}, "sqrt": {Interval.Sqrt, 0},
		"cube":  {func(a Interval) Interval { return a.Pow(3) }, 0},
		"scale": {func(a Interval) Interval { return a.scale(-7) }, math.Inf(-1)},
	} {
		rapid.Check(t, func(t *rapid.T) {
			a, lo, point, hi := drawWide(t, "a")
			if lo < f.from {
				t.Skip("outside the domain")
			}
			got := f.of(a)
			if want := (Interval{f.of(Float(lo)).lo, f.of(Float(hi)).hi}); !same(got, want) {
				t.Fatalf("%s of [%v, %v] is %v, want %v", name, lo, hi, got, want)
			}
			if p := f.of(Float(point)); p.hi.Cmp(got.lo) < 0 || p.lo.Cmp(got.hi) > 0 {
				t.Fatalf("%s of [%v, %v] is %v, without %v at %v", name, lo, hi, got, p, point)
			}
		})
	}
}

// Enclosures at points have a relative width of 2^-Prec for one operation, and little more for functions.
func TestElementaryFunctionsAreNarrowAtPoints(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(Interval) Interval
		bits int
	}{
		"exp": {Interval.Exp, 253}, "expm1": {Interval.Expm1, 236}, "log": {Interval.Log, 253}, "log1p": {Interval.Log1p, 219}, "sqrt": {Interval.Sqrt, 253},
		"third": {func(a Interval) Interval { return a.Quo(Int(3)) }, 254},
	} {
		rapid.Check(t, func(t *rapid.T) {
			v := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "mantissa"), rapid.IntRange(-200, 9).Draw(t, "exponent"))
			if name == "log" && math.Abs(v-1) < 0.01 {
				t.Skip("the logarithm vanishes")
			}
			if a := c.of(Float(v)); !a.Narrow(c.bits) {
				t.Fatalf("%s(%v) is wider than 2^-%d of itself: %v", name, v, c.bits, new(big.Float).Sub(a.hi, a.lo))
			}
		})
	}
}

// Scaling by powers of two encloses the number even outside the range of ends.
func TestScaleOutsideExponentRange(t *testing.T) {
	zero, inf := exact(), exact().SetInf(false)
	for _, c := range []struct {
		at     *big.Float
		k      int
		lo, hi *big.Float
	}{
		{least, -1, zero, least}, {highest, 1, highest, inf},
		{exact().SetInt64(3), 2, exact().SetInt64(12), exact().SetInt64(12)},
	} {
		got, want := Interval{c.at, c.at}.scale(c.k), Interval{c.lo, c.hi}
		if !same(got, want) || !same(Interval{c.at, c.at}.Neg().scale(c.k), want.Neg()) {
			t.Errorf("2^%d times 2^%d has ends of 2^%d and 2^%d", c.k, c.at.MantExp(nil), got.lo.MantExp(nil), got.hi.MantExp(nil)) // the digits would be billions
		}
	}
}
