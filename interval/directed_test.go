package interval

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The ends of sums, differences, products and quotients are the extremes over the four corners in rational
// arithmetic, rounded outward by one step at most.
func TestIntervalEndsAreTight(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	end := func() *big.Rat {
		switch rng.IntN(12) {
		case 0:
			return new(big.Rat)
		case 1:
			return big.NewRat(rng.Int64N(21)-10, 1)
		}
		v := big.NewRat(rng.Int64N(2e9)-1e9, rng.Int64N(1e9)+1)
		w := Rat(v).lo // 256 bits
		r, _ := w.Rat(nil)
		return r
	}
	type operation struct {
		name string
		do   func(a, b Interval) Interval
		of   func(z, x, y *big.Rat) *big.Rat
	}
	for range 1500 {
		ends := [2][2]*big.Rat{}
		for i := range ends {
			ends[i] = [2]*big.Rat{end(), end()}
			if rng.IntN(4) == 0 {
				ends[i][1] = ends[i][0]
			}
			if ends[i][0].Cmp(ends[i][1]) > 0 {
				ends[i][0], ends[i][1] = ends[i][1], ends[i][0]
			}
		}
		a, b := Hull(Rat(ends[0][0]), Rat(ends[0][1])), Hull(Rat(ends[1][0]), Rat(ends[1][1]))
		for _, o := range []operation{{"sum", Interval.Add, (*big.Rat).Add}, {"difference", Interval.Sub, (*big.Rat).Sub}, {"product", Interval.Mul, (*big.Rat).Mul}, {"quotient", Interval.Quo, (*big.Rat).Quo}} {
			if o.name == "quotient" && ends[1][0].Sign() <= 0 && ends[1][1].Sign() >= 0 {
				continue
			}
			var lo, hi *big.Rat
			for _, x := range ends[0] {
				for _, y := range ends[1] {
					v := o.of(new(big.Rat), x, y)
					if lo == nil || v.Cmp(lo) < 0 {
						lo = v
					}
					if hi == nil || v.Cmp(hi) > 0 {
						hi = v
					}
				}
			}
			Nearest(t, o.name, o.do(a, b), lo, hi)
		}
		Nearest(t, "a hull", a, ends[0][0], ends[0][1])
		Nearest(t, "a negative", a.Neg(), new(big.Rat).Neg(ends[0][1]), new(big.Rat).Neg(ends[0][0]))
		larger := func(i int) *big.Rat {
			if ends[0][i].Cmp(ends[1][i]) > 0 {
				return ends[0][i]
			}
			return ends[1][i]
		}
		Nearest(t, "the larger", Max(a, b), larger(0), larger(1))
		third := big.NewRat(rng.Int64N(1e9)-5e8, 3*rng.Int64N(1e9)+1)
		Nearest(t, "a rational", Rat(third), third, third)
		long := new(big.Float).SetPrec(400).SetRat(third)
		r, _ := long.Rat(nil)
		Nearest(t, "a long number", Big(long), r, r)
		x := Rat(new(big.Rat).Abs(third))
		root := x.Sqrt()
		for _, c := range []struct {
			root, of *big.Float
			sign     int
		}{{root.lo, x.lo, -1}, {root.hi, x.hi, 1}} {
			square := new(big.Float).SetPrec(4*Prec).Mul(c.root, c.root)
			gap := new(big.Float).SetPrec(4*Prec).Sub(square, c.of)
			if gap.Sign() == -c.sign || gap.Sign() != 0 && gap.MantExp(nil) > c.of.MantExp(nil)-Prec+5 {
				t.Fatalf("√%v = %v", x, root)
			}
		}
	}
}

// scaledNumber is m·2ᵉ, for comparing numbers outside the range of a big.Rat.
type scaledNumber struct {
	m *big.Rat
	e int64
}

func (a scaledNumber) mul(b scaledNumber) scaledNumber {
	return scaledNumber{new(big.Rat).Mul(a.m, b.m), a.e + b.e}
}

func (a scaledNumber) inverse() scaledNumber { return scaledNumber{new(big.Rat).Inv(a.m), -a.e} }

// cmp orders a and b. If their exponents differ by more than the mantissas (below 2⁴⁰⁰⁰) can compensate, the
// exponents decide.
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

// scaledEnd converts an end of an interval.
func scaledEnd(v *big.Float) scaledNumber {
	mant := new(big.Float)
	e := v.MantExp(mant)
	m, _ := mant.Rat(nil)
	return scaledNumber{m, int64(e)}
}

// holds fails unless a and its float64 bounds contain v. For v ≠ 0 it also fails if an end of a has the opposite sign.
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

// drawScaled draws a number with an exponent in or near the range of ends, and the point interval that contains it.
func drawScaled(t *rapid.T, name string) (scaledNumber, Interval) {
	m := rapid.Int64Range(1, 1<<60).Draw(t, name)
	if rapid.Bool().Draw(t, name+" negative") {
		m = -m
	}
	near := rapid.SampledFrom([]int64{0, 0, -1022 - 61, -1074 - 61, 1024 - 61, -1 << 20, 1 << 20, -1 << 30, 1 << 30, big.MinExp / 2, big.MaxExp / 2, big.MinExp + 100, big.MaxExp - 100}).Draw(t, name+" exponent")
	e := near + rapid.Int64Range(-80, 20).Draw(t, name+" shift")
	p := new(big.Float).SetMantExp(down().SetInt64(m), int(e))
	if p.IsInf() || p.Sign() == 0 {
		t.Fatalf("%d·2^%d is not representable", m, e)
	}
	return scaledNumber{big.NewRat(m, 1), e}, Interval{p, p}
}

// scaledSum returns x + y, where x has the larger exponent. If y is too small to matter, it adds a larger number that
// leads to the same rounded sum.
func scaledSum(x, y scaledNumber) scaledNumber {
	d := min(x.e-y.e, 2000)
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(d)))
	sum := new(big.Rat).Quo(y.m, unit)
	return scaledNumber{sum.Add(sum, x.m), x.e}
}

func TestProductsOutsideExponentRange(t *testing.T) {
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

// Sums of numbers with very different exponents are rounded correctly, without allocating all digits between the two.
func TestSumsOutsideExponentRange(t *testing.T) {
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

// Arithmetic on numbers out of range neither panics nor returns NaN, and still encloses the result.
func TestArithmeticOutsideExponentRangeIsTotal(t *testing.T) {
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
		t.Errorf("e^-2e10 e^2e10 in [%g, %g], want all nonnegative numbers", lo, hi)
	}
	if lo, hi := Int(0).Mul(huge).Bounds(); lo != 0 || hi != 0 {
		t.Errorf("0 e^2e10 in [%g, %g], want 0", lo, hi)
	}
	if lo, hi := tiny.Log().Bounds(); !math.IsInf(lo, -1) || !(hi > -2e10 && hi < -7e8) {
		t.Errorf("ln e^-2e10 in [%g, %g]", lo, hi)
	}
}

// Scaling by powers of two encloses the number even outside the range of ends.
func TestScaleOutsideExponentRange(t *testing.T) {
	same := func(a, b Interval) bool { return a.CmpLo(b) == 0 && a.CmpHi(b) == 0 }
	zero, inf := exact(), exact().SetInf(false)
	for _, c := range []struct {
		at     *big.Float
		k      int
		lo, hi *big.Float
	}{
		{least, -1, zero, least}, {highest, 1, highest, inf},
		{exact().SetInt64(3), 2, exact().SetInt64(12), exact().SetInt64(12)}, {exact().SetInt64(12), -2, exact().SetInt64(3), exact().SetInt64(3)},
	} {
		got, want := Interval{c.at, c.at}.scale(c.k), Interval{c.lo, c.hi}
		if !same(got, want) || !same(Interval{c.at, c.at}.Neg().scale(c.k), want.Neg()) {
			t.Errorf("2^%d times 2^%d has ends of 2^%d and 2^%d", c.k, c.at.MantExp(nil), got.lo.MantExp(nil), got.hi.MantExp(nil)) // decimals would have billions of digits
		}
	}
}
