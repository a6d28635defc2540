package interval

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// What has no value is enclosed by the whole line.
func TestNoValue(t *testing.T) {
	for name, a := range map[string]Interval{
		"1/0": Int(1).Quo(Int(0)), "1/[-1, 1]": Int(1).Quo(Between(-1, 1)), "ln 0": Int(0).Log(), "ln -1": Int(-1).Log(),
		"√-1": Int(-1).Sqrt(), "NaN": Float(math.NaN()), "[2, 1]": Between(2, 1), "[NaN, 1]": Between(math.NaN(), 1), "0^-1": Int(0).Pow(-1),
	} {
		if lo, hi := a.Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			t.Errorf("%s in [%g, %g], want all numbers", name, lo, hi)
		}
	}
	for _, c := range []struct {
		name   string
		a      Interval
		lo, hi float64
	}{
		{"inf", Float(math.Inf(1)), math.MaxFloat64, math.Inf(1)},
		{"-inf", Float(math.Inf(-1)), math.Inf(-1), -math.MaxFloat64},
		{"[inf, inf]", Between(math.Inf(1), math.Inf(1)), math.MaxFloat64, math.Inf(1)},
		{"big inf", Big(new(big.Float).SetInf(true)), math.Inf(-1), -math.MaxFloat64},
		{"ln [-1, 1]", Between(-1, 1).Log(), math.Inf(-1), 0},
		{"ln [-inf, 1]", Between(math.Inf(-1), 1).Log(), math.Inf(-1), 0},
		{"ln [1, inf]", Between(1, math.Inf(1)).Log(), 0, math.Inf(1)},
		{"√[-1, 4]", Between(-1, 4).Sqrt(), 0, 2},
		{"2^-2", Int(2).Pow(-2), 0.25, 0.25},
	} {
		if lo, hi := c.a.Bounds(); lo != c.lo || !(hi >= c.hi && hi <= c.hi+1e-60) {
			t.Errorf("%s in [%g, %g], want [%g, %g]", c.name, lo, hi, c.lo, c.hi)
		}
	}
	for _, c := range []struct {
		a    Interval
		want float64
	}{{Between(math.Inf(-1), 5), math.Inf(-1)}, {Between(5, math.Inf(1)), math.Inf(1)}, {Whole(), 0}, {Between(-1, 5), 2}} {
		if got := c.a.Mid(); got != c.want {
			t.Errorf("the middle of %v is %g, want %g", c.a, got, c.want)
		}
	}
	if Decimal(math.NaN()) != nil || Decimal(math.Inf(1)) != nil {
		t.Error("a decimal of no number")
	}
}

// Any chain of operations on any float64s ends in an enclosure, which contains
// what the same chain gives at numbers of its operands.
func TestOperationsAreTotal(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	odd := []float64{0, 1, -1, 0.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1e-300, 1e300}
	number := func() float64 {
		if rng.IntN(2) == 0 {
			return odd[rng.IntN(len(odd))]
		}
		return math.Float64frombits(rng.Uint64())
	}
	for range 20000 {
		a := Between(number(), number())
		for range 1 + rng.IntN(5) {
			b := Between(number(), number())
			switch rng.IntN(11) {
			case 0:
				a = a.Add(b)
			case 1:
				a = a.Sub(b)
			case 2:
				a = a.Mul(b)
			case 3:
				a = a.Quo(b)
			case 4:
				a = a.Sqrt()
			case 5:
				a = a.Log()
			case 6:
				a = a.Exp()
			case 7:
				a = a.Pow(rng.IntN(7) - 3)
			case 8:
				a = Hull(a, b)
			case 9:
				a = Max(a, b)
			case 10:
				a = a.Neg()
			}
			if lo, hi := a.Bounds(); !(lo <= hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
				t.Fatalf("an enclosure of ends %g and %g", lo, hi)
			}
			_, _ = a.Mid(), a.String()
		}
	}
}

// Multiples by powers of two hold the number also where they leave the range of ends.
func TestScaleBeyondTheRange(t *testing.T) {
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
			t.Errorf("2^%d times 2^%d has ends of 2^%d and 2^%d", c.k, c.at.MantExp(nil), got.lo.MantExp(nil), got.hi.MantExp(nil)) // not the digits: there are billions
		}
	}
}
