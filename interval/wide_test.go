package interval

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// drawWide draws an interval of float64 ends, often narrow, now and then with an
// end at 0, and a point of it.
func drawWide(t *rapid.T, name string) (a Interval, lo, point, hi float64) {
	end := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64Range(-300, 300), rapid.SampledFrom([]float64{0, 1, -1, 0.5, 1e-5, -1e-5}))
	lo = end.Draw(t, name+" from")
	hi = lo + rapid.OneOf(rapid.Float64Range(0, 1e-6), rapid.Float64Range(0, 5), rapid.Float64Range(0, 400)).Draw(t, name+" width")
	point = min(max(lo, lo+rapid.Float64Range(0, 1).Draw(t, name+" share")*(hi-lo)), hi)
	return Between(lo, hi), lo, point, hi
}

// within reports whether a contains b.
func within(a, b Interval) bool { return a.lo.Cmp(b.lo) <= 0 && a.hi.Cmp(b.hi) >= 0 }

// same reports whether both have the same ends.
func same(a, b Interval) bool { return a.lo.Cmp(b.lo) == 0 && a.hi.Cmp(b.hi) == 0 }

// What increases takes an interval to that between the values at its ends, no
// wider, and holds the values between.
func TestIncreasingOnIntervals(t *testing.T) {
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

// Arithmetic takes intervals to that between the least and the largest of the
// results at their ends.
func TestArithmeticOnIntervals(t *testing.T) {
	for name, f := range map[string]func(a, b Interval) Interval{
		"+": Interval.Add, "-": Interval.Sub, "*": Interval.Mul, "/": Interval.Quo, "max": Max,
	} {
		rapid.Check(t, func(t *rapid.T) {
			a, alo, ap, ahi := drawWide(t, "a")
			b, blo, bp, bhi := drawWide(t, "b")
			if name == "/" && blo <= 0 && bhi >= 0 {
				t.Skip("unbounded")
			}
			got := f(a, b)
			want := f(Float(alo), Float(blo))
			for _, c := range [][2]float64{{alo, bhi}, {ahi, blo}, {ahi, bhi}} {
				want = Hull(want, f(Float(c[0]), Float(c[1])))
			}
			if !same(got, want) {
				t.Fatalf("[%v, %v] %s [%v, %v] is %v, want %v", alo, ahi, name, blo, bhi, got, want)
			}
			if !within(got, f(Float(ap), Float(bp))) {
				t.Fatalf("[%v, %v] %s [%v, %v] is %v, without that of %v and %v", alo, ahi, name, blo, bhi, got, ap, bp)
			}
		})
	}
}

// One end of a divisor at 0 leaves one side of the quotient.
func TestQuotientByAnEndAtZero(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ alo, ahi, blo, bhi, lo, hi float64 }{
		{1, 2, 0, 4, 0.25, inf}, {-2, -1, 0, 4, -inf, -0.25}, {-1, 2, 0, 4, -inf, inf}, {0, 0, 0, 4, 0, 0}, {0, 2, 0, 4, 0, inf},
		{1, 2, -4, 0, -inf, -0.25}, {-2, -1, -4, 0, 0.25, inf}, {-2, 0, 0, 4, -inf, 0}, {1, 2, 0, 0, -inf, inf}, {1, 2, -1, 1, -inf, inf},
		{-6, 3, 2, 4, -3, 1.5}, {-6, 3, -4, -2, -1.5, 3}, {2, 4, 2, 4, 0.5, 2}, {-4, -2, 2, 4, -2, -0.5},
	} {
		if lo, hi := Between(c.alo, c.ahi).Quo(Between(c.blo, c.bhi)).Bounds(); lo != c.lo || hi != c.hi {
			t.Errorf("[%v, %v]/[%v, %v] = [%v, %v], want [%v, %v]", c.alo, c.ahi, c.blo, c.bhi, lo, hi, c.lo, c.hi)
		}
	}
}

// Sign, the orders, hulls, the middle and powers on intervals whose answers are plain.
func TestPlainAnswers(t *testing.T) {
	third := Int(1).Quo(Int(3))
	for _, c := range []struct {
		a     Interval
		sign  int
		exact bool
	}{
		{Int(2), 1, true}, {Int(-2), -1, true}, {Int(0), 0, true}, {Between(-1, 1), 0, false}, {Between(0, 1), 0, false}, {Between(-1, 0), 0, false},
		{third, 1, true}, {third.Neg(), -1, true}, {Whole(), 0, false},
	} {
		if sign, exact := c.a.Sign(); sign != c.sign || exact != c.exact {
			t.Errorf("sign of %v is %d, %v, want %d, %v", c.a, sign, exact, c.sign, c.exact)
		}
	}
	if a, b := Between(1, 2), Between(2, 3); a.Less(b) || b.Less(a) || !Int(1).Less(b) || a.Less(a) {
		t.Error("[1, 2] and [2, 3] share 2")
	}
	a, b := Between(1, 4), Between(2, 3)
	if a.CmpLo(b) != -1 || b.CmpLo(a) != 1 || a.CmpHi(b) != 1 || b.CmpHi(a) != -1 || a.CmpLo(a) != 0 || a.CmpHi(a) != 0 {
		t.Error("the order of ends")
	}
	if !same(Hull(a, b), a) || !same(Hull(b, a), a) || !same(Hull(Between(0, 1), Between(5, 6)), Between(0, 6)) || !same(Hull(Between(5, 6), Between(0, 1)), Between(0, 6)) {
		t.Error("hulls")
	}
	if !same(Max(a, b), Between(2, 4)) || !same(Max(b, a), Between(2, 4)) {
		t.Errorf("the larger of %v and %v is %v", a, b, Max(a, b))
	}
	if !same(a.Lower(), Int(1)) || !same(a.Upper(), Int(4)) {
		t.Error("the ends of [1, 4]")
	}
	if l := Whole().Lower(); !l.lo.IsInf() || l.hi.Cmp(lowest) != 0 {
		t.Errorf("the lower end of the line is %v", l)
	}
	if u := Whole().Upper(); !u.hi.IsInf() || u.lo.Cmp(highest) != 0 {
		t.Errorf("the upper end of the line is %v", u)
	}
	if got := Mids([]Interval{a, b, Whole(), Between(-3, math.Inf(1))}); got[0] != 2.5 || got[1] != 2.5 || got[2] != 0 || got[3] != math.Inf(1) {
		t.Errorf("middles %v", got)
	}
	for n, want := range map[int]float64{0: 1, 1: 3, 2: 9, 3: 27, 5: 243, -1: 1. / 3} {
		if p := Int(3).Pow(n); n >= 0 && !same(p, Float(want)) || p.Mid() != want {
			t.Errorf("3^%d = %v", n, p)
		}
	}
	for a, want := range map[*Interval]string{
		{big.NewFloat(1), big.NewFloat(2.5)}:      "[1, 2.5]",
		{Int(1).scale(1 << 16).lo, Whole().hi}:    "[0x.8p+65537, +Inf]",
		{Whole().lo, Int(1).scale(-1<<16 - 2).lo}: "[-Inf, 0x.8p-65537]",
		{Int(1).scale(1<<16 - 1).lo, Whole().hi}:  "[1.0017649652034232325e+19728, +Inf]",
	} {
		if got := a.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The widths of enclosures at points: 2^-Prec for one operation, little
// more for functions, of the result itself.
func TestWidthsAtPoints(t *testing.T) {
	for name, c := range map[string]struct {
		of   func(Interval) Interval
		bits int
	}{
		"exp": {Interval.Exp, 234}, "expm1": {Interval.Expm1, 219}, "log": {Interval.Log, 228}, "log1p": {Interval.Log1p, 219}, "sqrt": {Interval.Sqrt, 253},
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
