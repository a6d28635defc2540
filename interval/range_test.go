package interval

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// scaledNumber is m·2ᵉ, however large or small: the oracle of this file, which
// compares numbers far beyond what a big.Rat can hold.
type scaledNumber struct {
	m *big.Rat
	e int64
}

func (a scaledNumber) mul(b scaledNumber) scaledNumber {
	return scaledNumber{new(big.Rat).Mul(a.m, b.m), a.e + b.e}
}

func (a scaledNumber) inverse() scaledNumber { return scaledNumber{new(big.Rat).Inv(a.m), -a.e} }

// cmp orders a and b; where their exponents differ by more than the mantissas
// (below 2⁴⁰⁰⁰ either way) can make up for, the exponents decide.
func (a scaledNumber) cmp(b scaledNumber) int {
	if s := a.m.Sign(); s != b.m.Sign() || s == 0 {
		return s - b.m.Sign()
	}
	const reach = 10000
	switch d := a.e - b.e; {
	case d > reach:
		return a.m.Sign()
	case d < -reach:
		return -a.m.Sign()
	case d >= 0:
		v := new(big.Int).Lsh(big.NewInt(1), uint(d))
		return new(big.Rat).Mul(a.m, new(big.Rat).SetInt(v)).Cmp(b.m)
	default:
		v := new(big.Int).Lsh(big.NewInt(1), uint(-d))
		return a.m.Cmp(new(big.Rat).Mul(b.m, new(big.Rat).SetInt(v)))
	}
}

// scaledEnd reads an end.
func scaledEnd(v *big.Float) scaledNumber {
	mant := new(big.Float)
	e := v.MantExp(mant)
	m, _ := mant.Rat(nil)
	return scaledNumber{m, int64(e)}
}

// holds fails unless a encloses v, has no end 0 on v's side of 0 that v is
// not, and tells so in float64 too.
func holds(t interface{ Fatalf(string, ...any) }, what string, a Interval, v scaledNumber) {
	if !a.lo.IsInf() && scaledEnd(a.lo).cmp(v) > 0 || !a.hi.IsInf() && scaledEnd(a.hi).cmp(v) < 0 {
		t.Fatalf("%s: %v misses %v·2^%d", what, a, v.m, v.e)
	}
	if a.lo.IsInf() && !a.lo.Signbit() || a.hi.IsInf() && a.hi.Signbit() {
		t.Fatalf("%s: %v has an infinite end on the wrong side", what, a)
	}
	if v.m.Sign() > 0 && (a.hi.Sign() <= 0 || a.lo.Sign() < 0) || v.m.Sign() < 0 && (a.lo.Sign() >= 0 || a.hi.Sign() > 0) {
		t.Fatalf("%s: %v for a number of sign %d", what, a, v.m.Sign())
	}
	lo, hi := a.Bounds()
	if math.IsInf(lo, 1) || math.IsInf(hi, -1) || math.IsNaN(lo) || math.IsNaN(hi) ||
		!math.IsInf(lo, -1) && scaledEnd(big.NewFloat(lo)).cmp(v) > 0 || !math.IsInf(hi, 1) && scaledEnd(big.NewFloat(hi)).cmp(v) < 0 {
		t.Fatalf("%s: float64 bounds %g, %g miss %v·2^%d", what, lo, hi, v.m, v.e)
	}
}

// drawScaled draws a number with an exponent in or near the range of ends, and the
// point that stands for it.
func drawScaled(t *rapid.T, name string) (scaledNumber, Interval) {
	m := rapid.Int64Range(1, 1<<60).Draw(t, name)
	if rapid.Bool().Draw(t, name+" negative") {
		m = -m
	}
	near := rapid.SampledFrom([]int64{0, 0, -1022 - 61, -1074 - 61, 1024 - 61, -1 << 20, 1 << 20, -1 << 30, 1 << 30, big.MinExp / 2, big.MaxExp / 2, big.MinExp + 100, big.MaxExp - 100}).Draw(t, name+" exponent")
	e := near + rapid.Int64Range(-80, 20).Draw(t, name+" shift")
	p := new(big.Float).SetMantExp(down().SetInt64(m), int(e))
	if p.IsInf() || p.Sign() == 0 {
		t.Fatalf("%d·2^%d is no end", m, e)
	}
	return scaledNumber{big.NewRat(m, 1), e}, Interval{p, p}
}

func TestProductsBeyondTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, a := drawScaled(t, "x")
		y, b := drawScaled(t, "y")
		holds(t, "x·y", a.Mul(b), x.mul(y))
		holds(t, "x/y", a.Quo(b), x.mul(y.inverse()))
		holds(t, "1/(x·y)", Int(1).Quo(a.Mul(b)), x.mul(y).inverse())
		holds(t, "x·y/y", a.Mul(b).Quo(b), x)
		n := rapid.IntRange(1, 40).Draw(t, "n")
		power := scaledNumber{big.NewRat(1, 1), 0}
		for range n {
			power = power.mul(x)
		}
		holds(t, "xⁿ", a.Pow(n), power)
		k := rapid.IntRange(big.MinExp, big.MaxExp).Draw(t, "k")
		holds(t, "x·2ᵏ", a.scale(k), x.mul(scaledNumber{big.NewRat(1, 1), int64(k)}))
	})
}

// Sums of numbers whose exponents lie far apart are rounded as if the smaller one
// were as small as need be, and take no memory for the distance.
func TestSumsBeyondTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, a := drawScaled(t, "x")
		y, b := drawScaled(t, "y")
		if x.e < y.e {
			x, y, a, b = y, x, b, a
		}
		for name, s := range map[string]Interval{"x+y": a.Add(b), "y+x": b.Add(a)} {
			holds(t, name, s, scaledSum(x, y))
		}
		x.m.Neg(x.m)
		holds(t, "y-x", b.Sub(a), scaledSum(x, y))
	})
	one, tiny := Int(1), Int(1).scale(-1<<31)
	if got := testing.AllocsPerRun(1, func() { one.Add(tiny) }); got > 100 {
		t.Errorf("1 + 2^-2^31 takes %v allocations", got)
	}
	sum := one.Add(tiny)
	if sum.lo.Cmp(one.lo) != 0 || sum.hi.Cmp(one.hi) <= 0 || sum.hi.Cmp(one.Add(Int(1).scale(-254)).hi) > 0 {
		t.Errorf("1 + 2^-2^31 = %v", sum)
	}
	if d := one.Sub(tiny); d.hi.Cmp(one.hi) != 0 || d.lo.Cmp(one.lo) >= 0 {
		t.Errorf("1 - 2^-2^31 = %v", d)
	}
}

// scaledSum returns x + y, x having the larger exponent; where y lies beyond reach
// a number stands in for it that rounds to float64 and to Prec bits alike.
func scaledSum(x, y scaledNumber) scaledNumber {
	d := min(x.e-y.e, 2000)
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(d)))
	sum := new(big.Rat).Quo(y.m, unit)
	return scaledNumber{sum.Add(sum, x.m), x.e}
}

func TestExpBeyondTheRange(t *testing.T) {
	for _, v := range []float64{-1e6, -1e8, -1 << 28, -1e9, -1.4e9, -1 << 30, -1.2e10, -1e10, -1e100, -math.MaxFloat64} {
		a := Float(v).Exp()
		if a.lo.Sign() < 0 || a.hi.Sign() <= 0 {
			t.Errorf("exp(%g) = %v", v, a)
		}
		// e > 2, and e < 2^(3/2).
		bits := int64(math.Max(v*1.5, -1<<31)) - 2
		if !(a.hi.MantExp(nil) <= max(int(v/1.0001), -1<<30)+2) || a.lo.Sign() > 0 && int64(a.lo.MantExp(nil)) < bits {
			t.Errorf("exp(%g) has exponents %d … %d", v, a.lo.MantExp(nil), a.hi.MantExp(nil))
		}
		if lo, hi := a.Bounds(); lo != 0 || hi != math.SmallestNonzeroFloat64 {
			t.Errorf("exp(%g) in [%g, %g], want [0, the least positive float64]", v, lo, hi)
		}
		if sum := Int(1).Sub(a); sum.hi.Cmp(Int(1).hi) > 0 || sum.lo.Cmp(Int(1).lo) >= 0 {
			t.Errorf("1 - exp(%g) = %v", v, sum)
		}
		if b := Float(-v).Exp(); b.lo.IsInf() || b.hi.Cmp(Int(1).Quo(a).lo) < 0 {
			t.Errorf("exp(%g) = %v", -v, b)
		} else if lo, hi := b.Bounds(); lo != math.MaxFloat64 || !math.IsInf(hi, 1) {
			t.Errorf("exp(%g) in [%g, %g], want [the largest float64, ∞]", -v, lo, hi)
		}
	}
	for _, e := range []int{-1 << 31, -1 << 30, -1 << 20, -2000} { // eˣ = 1 + x + …
		x := Int(1).scale(e)
		slack := Int(1).scale(-220)
		if a := x.Exp(); a.lo.Cmp(Int(1).Sub(slack).lo) < 0 || a.hi.Cmp(Int(1).hi) <= 0 || a.hi.Cmp(Int(1).Add(slack).hi) > 0 {
			t.Errorf("exp(2^%d) = %v", e, a)
		}
		if a := x.Log(); a.hi.Sign() >= 0 || math.Abs(a.Mid()/(float64(e)*math.Ln2)-1) > 1e-15 {
			t.Errorf("ln(2^%d) = %v", e, a)
		}
	}
}

// eˣ·e⁻ˣ encloses 1 wherever both are in the range, and e^{ln v} encloses v.
func TestExpInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-2e9, 2e9).Draw(t, "x")
		holds(t, "exp(x)exp(-x)", Float(x).Exp().Mul(Float(-x).Exp()), scaledNumber{big.NewRat(1, 1), 0})
		v, a := drawScaled(t, "v")
		if v.m.Sign() > 0 {
			holds(t, "exp(ln v)", a.Log().Exp(), v)
			holds(t, "√v²", a.Sqrt().Mul(a.Sqrt()), v)
		}
	})
}

func TestBoundsOfSubnormals(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	inf := math.Inf(1)
	for _, c := range []struct {
		m      int64
		e      int
		lo, hi float64
	}{
		{1, -1074, least, least},
		{1, -1075, 0, least},
		{3, -1076, 0, least},
		{3, -1075, least, 2 * least},
		{5, -1075, 2 * least, 3 * least},
		{1, -1076, 0, least},
		{1, -1080, 0, least},
		{1, -5000, 0, least},
		{1, big.MinExp - 1, 0, least},
		{1, big.MinExp, 0, least},
		{1<<53 - 1, -1075, 0x1p-1022 - least, 0x1p-1022},
		{1<<54 - 1, -1076, 0x1p-1022 - least, 0x1p-1022},
		{1<<54 + 1, -1076, 0x1p-1022, 0x1p-1022 + least},
		{1<<53 - 1, 1024 - 53, math.MaxFloat64, math.MaxFloat64},
		{1<<54 - 1, 1024 - 54, math.MaxFloat64, inf},
		{1, 1024, math.MaxFloat64, inf},
		{1, big.MaxExp - 1, math.MaxFloat64, inf},
	} {
		p := new(big.Float).SetMantExp(down().SetInt64(c.m), c.e)
		for _, a := range []Interval{{p, p}, {new(big.Float), p}, {p, new(big.Float).SetInf(false)}} {
			lo, hi := a.Bounds()
			if a.lo == p && lo != c.lo || a.hi == p && hi != c.hi {
				t.Errorf("%d·2^%d in [%g, %g], want [%g, %g]", c.m, c.e, lo, hi, c.lo, c.hi)
			}
			if lo, hi := a.Neg().Bounds(); a.lo == p && hi != -c.lo || a.hi == p && lo != -c.hi {
				t.Errorf("-%d·2^%d in [%g, %g], want [%g, %g]", c.m, c.e, lo, hi, -c.hi, -c.lo)
			}
		}
		if got, want := (Interval{p, p}).Mid(), c.lo; got != want && got != c.hi {
			t.Errorf("middle of %d·2^%d is %g, want %g or %g", c.m, c.e, got, want, c.hi)
		}
	}
}

// Arithmetic between numbers out of range neither panics nor turns to NaN, and
// what was lost is contained.
func TestBeyondTheRangeAndBack(t *testing.T) {
	tiny, huge := Float(-2e10).Exp(), Float(2e10).Exp() // [0, …], […, ∞]
	for name, a := range map[string]Interval{
		"t+h": tiny.Add(huge), "t-h": tiny.Sub(huge), "h-h": huge.Sub(huge), "th": tiny.Mul(huge), "hh": huge.Mul(huge),
		"tt": tiny.Mul(tiny), "t/h": tiny.Quo(huge), "h/t": huge.Quo(tiny), "t/t": tiny.Quo(tiny), "h/h": huge.Quo(huge),
		"ln t": tiny.Log(), "ln h": huge.Log(), "√t": tiny.Sqrt(), "√h": huge.Sqrt(), "-h t": huge.Neg().Mul(tiny),
		"t^9": tiny.Pow(9), "h^9": huge.Pow(9), "0h": Int(0).Mul(huge), "(h-h)(h-h)": huge.Sub(huge).Mul(huge.Sub(huge)),
		"lower": huge.Neg().Lower().Sub(huge.Upper()), "upper": huge.Upper().Sub(huge.Lower()), "e^h": huge.Exp(), "e^-h": huge.Neg().Exp(),
	} {
		lo, hi := a.Bounds()
		if !(lo <= hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
			t.Errorf("%s = [%g, %g]", name, lo, hi)
		}
		_, _ = a.Mid(), fmt.Sprint(a)
	}
	if lo, hi := tiny.Mul(huge).Bounds(); lo != 0 || !math.IsInf(hi, 1) {
		t.Errorf("e^-2e10 e^2e10 in [%g, %g], want all that is not negative", lo, hi)
	}
	if lo, hi := Int(0).Mul(huge).Bounds(); lo != 0 || hi != 0 {
		t.Errorf("0 e^2e10 in [%g, %g], want 0", lo, hi)
	}
	if lo, hi := tiny.Log().Bounds(); !math.IsInf(lo, -1) || !(hi > -2e10 && hi < -7e8) {
		t.Errorf("ln e^-2e10 in [%g, %g]", lo, hi)
	}
}
