package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// Exponentials and logarithms contain their rational series to 590 bits and are narrow, for ordinary arguments and on
// both sides of the switch to the series near 0.
func TestElementaryFunctionsEncloseTheirSeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 2))
	check := func(what string, x *big.Rat, got interval.Interval, want *big.Rat, bits int) {
		t.Helper()
		off := interval.Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590)))
		around := interval.Rat(want).Add(interval.Hull(off.Neg(), off))
		if got.Less(around) || around.Less(got) || !got.Narrow(bits) {
			t.Errorf("%s(%v) = %v misses %v, or is wide", what, x.FloatString(10), got, around)
		}
		slack := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 590))
		if got.CmpLo(interval.Rat(new(big.Rat).Add(want, slack))) > 0 || got.CmpHi(interval.Rat(slack.Sub(want, slack))) < 0 {
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
		check("expm1", x, interval.Rat(x).Expm1(), expm1, 215)
		check("exp", x, interval.Rat(x).Exp(), new(big.Rat).Add(expm1, big.NewRat(1, 1)), 225)
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
		check("log1p", x, interval.Rat(x).Log1p(), log, 215)
		if exp == -1 || exp == -60 { // log(1 + x), also for 1 + x that rounds to 1 in float64
			check("log", x, interval.Rat(new(big.Rat).Add(x, big.NewRat(1, 1))).Log(), log, 215)
		}
	}
}

// Argument reduction by multiples of ln 2 does not widen the exponential. The expected e^2²⁸/2^387270501 has 95 digits
// from mpmath.
func TestExpOfLargeArguments(t *testing.T) {
	want, _ := new(big.Rat).SetString("1.1250331698011147097922156700814943150378835205658959858064260416542053579356712941158109867621")
	got := integer(1 << 28).Exp().Mul(interval.TwoTo(-387270501))
	if around := interval.Rat(want); got.Less(around) || around.Less(got) || !got.Narrow(253) {
		t.Errorf("%v misses %v, or is too wide", got, around)
	}
	if product := got.Mul(integer(-1 << 28).Exp().Mul(interval.TwoTo(387270501))); !within(product, integer(1)) {
		t.Errorf("exp(x)·exp(−x) = %v, want 1", product)
	}
	if tiny := interval.TwoTo(-300).Exp(); tiny.Less(integer(1)) || tiny.CmpLo(integer(1)) < 0 || !tiny.Narrow(253) {
		t.Errorf("e^2⁻³⁰⁰ is %v, want at least 1", tiny)
	}
}

// The logarithm stays accurate near 1: ln(1 + t) lies between t − t²/2 and t.
func TestLogNextToOne(t *testing.T) {
	for _, k := range []int{-60, -200} {
		for _, sign := range []int64{1, -1} {
			at := integer(sign).Mul(interval.TwoTo(k))
			got, below := integer(1).Add(at).Log(), at.Sub(at.Mul(at))
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

// ln 2 = Σ 1/k2ᵏ lies between the ends of Ln2, which are adjacent numbers of Prec bits.
func TestLn2EnclosesItsSeries(t *testing.T) {
	sum := new(big.Rat)
	for k := int64(1); k <= 400; k++ {
		sum.Add(sum, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(k), uint(k))))
	}
	rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	interval.Nearest(t, "ln 2", interval.Ln2(), sum, sum)
	interval.Nearest(t, "ln 2", interval.Ln2(), new(big.Rat).Add(sum, rest), new(big.Rat).Add(sum, rest))
}

// The image of an interval under an increasing function is as tight as the values at its ends, and contains the
// values between.
func TestIncreasingFunctionsAreTightOnIntervals(t *testing.T) {
	for name, f := range map[string]struct {
		of   func(interval.Interval) interval.Interval
		from float64
	}{
		"exp": {interval.Interval.Exp, math.Inf(-1)}, "expm1": {interval.Interval.Expm1, math.Inf(-1)}, "log": {interval.Interval.Log, math.SmallestNonzeroFloat64},
		"log1p": {interval.Interval.Log1p, -0.999}, "sqrt": {interval.Interval.Sqrt, 0},
		"cube": {func(a interval.Interval) interval.Interval { return a.Pow(3) }, 0},
	} {
		rapid.Check(t, func(t *rapid.T) {
			a, lo, point, hi := drawWide(t, "a")
			if lo < f.from {
				t.Skip("outside the domain")
			}
			got := f.of(a)
			if first, last := f.of(interval.Float(lo)), f.of(interval.Float(hi)); got.CmpLo(first) != 0 || got.CmpHi(last) != 0 {
				t.Fatalf("%s of [%v, %v] is %v, want from %v to %v", name, lo, hi, got, first, last)
			}
			if p := f.of(interval.Float(point)); p.Less(got) || got.Less(p) {
				t.Fatalf("%s of [%v, %v] is %v, without %v at %v", name, lo, hi, got, p, point)
			}
		})
	}
}

// Enclosures at points have a relative width of about 2^-Prec for one operation, and little more for functions.
func TestElementaryFunctionsAreNarrowAtPoints(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(interval.Interval) interval.Interval
		bits int
	}{
		"exp": {interval.Interval.Exp, 253}, "expm1": {interval.Interval.Expm1, 236}, "log": {interval.Interval.Log, 253}, "log1p": {interval.Interval.Log1p, 219}, "sqrt": {interval.Interval.Sqrt, 253},
		"third": {func(a interval.Interval) interval.Interval { return a.Quo(integer(3)) }, 254},
	} {
		rapid.Check(t, func(t *rapid.T) {
			v := math.Ldexp(rapid.Float64Range(1, 2).Draw(t, "mantissa"), rapid.IntRange(-200, 9).Draw(t, "exponent"))
			if name == "log" && math.Abs(v-1) < 0.01 {
				t.Skip("the logarithm vanishes")
			}
			if a := c.of(interval.Float(v)); !a.Narrow(c.bits) {
				t.Fatalf("%s(%v) is wider than 2^-%d of itself: %v", name, v, c.bits, a)
			}
		})
	}
}
