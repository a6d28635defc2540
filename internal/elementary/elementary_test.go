package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/interval"
)

// off returns an upper bound on the error of got, in units in the last place.
func off(got float64, want interval.Interval) float64 {
	gap := interval.Float(got).Sub(want)
	gap = interval.Max(gap, gap.Neg())
	size := interval.Max(want, want.Neg())
	if sign, _ := size.Sign(); sign == 0 {
		if gap.Sub(interval.Float(0x1p-1100)); got == 0 {
			return 0
		}
		return math.Inf(1)
	}
	_, units := gap.Quo(size.Lower()).Mul(interval.Float(0x1p53)).Bounds()
	return units
}

// check fails if the error of f exceeds the bound at a random argument. It also fails if the error stays below a
// twentieth of the bound, since the bound is then too loose.
func check(t *testing.T, name string, n int, units float64, arg func() float64, f func(float64) float64, want func(float64) interval.Interval) {
	t.Helper()
	worst, at := 0.0, 0.0
	for range n {
		x := arg()
		if u := off(f(x), want(x)); u > worst {
			worst, at = u, x
		}
	}
	if worst > units || worst < units/20 {
		t.Errorf("%s(%v) is off by %.3g units, want at most %g and no less than a twentieth", name, at, worst, units)
	}
}

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	truth := func(x float64) interval.Interval { return interval.Float(x).Exp() }
	check(t, "Exp", 4000, 2, func() float64 { return 700 * (2*rng.Float64() - 1) }, Exp, truth)
	// The last rounding is at most u, and all others sum to less than u/10.
	check(t, "Exp", 4000, 1.1, func() float64 { return rng.NormFloat64() }, Exp, truth)
	check(t, "Exp", 1500, 2, func() float64 { return math.Ldexp(rng.NormFloat64(), -rng.IntN(60)) }, Exp, truth)
	check(t, "Exp", 1500, 2, func() float64 { // between two table entries
		return math.Nextafter((float64(rng.IntN(40000)-20000)+.5)*math.Ln2/32, float64(rng.IntN(3)-1)*1000)
	}, Exp, truth)
	for _, x := range []float64{-708.5, -720.3, -744, -745.9, -746.5, -1e308} {
		got := Exp(x)
		lo, hi := interval.Float(math.Max(x, -1e6)).Exp().Bounds()
		if got < lo*(1-0x1p-52)-0x1p-1070 || got > hi*(1+0x1p-52)+0x1p-1070 {
			t.Errorf("Exp(%v) = %v, want it in [%v, %v]", x, got, lo, hi)
		}
	}
	if !math.IsInf(Exp(709.5), 1) || Exp(0) != 1 || !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp is wrong at 709.5, 0 or NaN")
	}
}

func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	truth := func(x float64) interval.Interval { return interval.Float(x).Log() }
	check(t, "Log", 4000, 5, func() float64 { return math.Ldexp(1+rng.Float64(), rng.IntN(2000)-1000) }, Log, truth)
	check(t, "Log", 4000, 5, func() float64 { return 1 + .01*rng.NormFloat64() }, Log, truth)
	check(t, "Log", 3000, 5, func() float64 { return 1 + (float64(rng.IntN(3)-1)*.5+1e-3*rng.NormFloat64())/128 }, Log, truth)
	one := interval.Int(1)
	truth1p := func(x float64) interval.Interval { return one.Add(interval.Float(x)).Log() }
	check(t, "Log1p", 4000, 5, func() float64 { return 1.5*rng.Float64() - .5 }, Log1p, truth1p)
	check(t, "Log1p", 4000, 5, func() float64 { return math.Ldexp(rng.Float64()-.5, -rng.IntN(50)) }, Log1p, truth1p)
}

func TestErf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	// The references use the power series of erf, and erfcx for erfc from 7 on, unlike Erf and Erfc.
	erf := func(x float64) interval.Interval {
		v := interval.Float(x)
		square := v.Mul(v)
		term, sum := v, v
		for m := int64(1); m < 400; m++ {
			term = term.Mul(square).Neg().Quo(interval.Int(m))
			sum = sum.Add(term.Quo(interval.Int(2*m + 1)))
		}
		return sum.Mul(twoOverRootPi())
	}
	erfc := func(x float64) interval.Interval {
		if x < 7 { // the subtraction cancels 71 of 256 bits
			return interval.Int(1).Sub(erf(x))
		}
		v := interval.Float(x)
		return v.Mul(v).Neg().Exp().Mul(erfcx(v))
	}
	check(t, "Erf", cases.Of(150, 400), 10, func() float64 { return 5 * (2*rng.Float64() - 1) }, Erf, erf)
	check(t, "Erf", cases.Of(150, 400), 10, func() float64 { return .5 * rng.Float64() }, Erf, erf)
	check(t, "Erf", 100, 10, func() float64 { return math.Ldexp(rng.Float64(), -rng.IntN(60)) }, Erf, erf)
	check(t, "Erfc", cases.Of(150, 400), 9, func() float64 { return 6 * rng.Float64() }, Erfc, erfc)
	check(t, "Erfc", cases.Of(150, 400), 9, func() float64 { return 26 * rng.Float64() }, Erfc, erfc)
	check(t, "Erfc", 100, 9, func() float64 { return .1 * rng.Float64() }, Erfc, erfc)
	if Erfc(0) < 1-0x1p-49 || Erfc(26.9) > 1e-300 || Erfc(1e300) != 0 || Erf(40) != 1 || Erf(-40) != -1 {
		t.Error("Erf or Erfc is wrong at an extreme argument")
	}
}

func TestSincos(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	// The reference is Taylor's series after reduction by 2π, in intervals.
	truth := func(x float64) (sin, cos interval.Interval) {
		n := math.Round(x / (2 * math.Pi))
		r := interval.Float(x).Sub(interval.Float(2 * n).Mul(interval.Pi()))
		term := interval.Int(1)
		sin, cos = interval.Int(0), interval.Int(0)
		for m := int64(0); m < 60; m++ {
			switch v := term; m % 4 {
			case 0:
				cos = cos.Add(v)
			case 1:
				sin = sin.Add(v)
			case 2:
				cos = cos.Sub(v)
			case 3:
				sin = sin.Sub(v)
			}
			term = term.Mul(r).Quo(interval.Int(m + 1))
		}
		return sin, cos
	}
	worst, small := 0.0, 0.0 // small is for results below ½, whose last rounding is u/4
	try := func(x float64) {
		s, c := Sincos(x)
		sin, cos := truth(x)
		for value, want := range map[float64]interval.Interval{s: sin, c: cos} {
			gap := interval.Float(value).Sub(want)
			_, v := interval.Max(gap, gap.Neg()).Bounds()
			if worst = math.Max(worst, v*0x1p53); math.Abs(value) < 0.5 {
				small = math.Max(small, v*0x1p53)
			}
		}
	}
	for range 800 {
		try(MaxAngle * (2*rng.Float64() - 1))
		try(10 * (2*rng.Float64() - 1))
		try(math.Nextafter(float64(rng.IntN(600000))*math.Pi/2, float64(rng.IntN(3)-1)*1e9))
		try(float64(rng.IntN(600000)) * math.Pi / 4)
	}
	// The proved bound is 3, but roundings rarely add up.
	if worst > 1.4 || worst < 0.5 || small > 0.4 {
		t.Errorf("off by %.3g units of 1, by %.3g below a half, want at most 1.4 and 0.4", worst, small)
	}
}

func TestParts(t *testing.T) {
	hi, lo := parts(interval.Rat(big.NewRat(1, 3)), 20)
	if hi*(1<<20) != math.Trunc(hi*(1<<20)) || math.Abs(hi+lo-1.0/3) > 1e-16 || lo == 0 {
		t.Errorf("1/3 = %v + %v", hi, lo)
	}
}

// The enclosure by erfcx is narrow at the middle of every cell, and contains the value of a longer series.
func TestErfcx(t *testing.T) {
	for n := range cells {
		c := interval.Rat(big.NewRat(int64(2*n+1), 2*perUnit))
		v := erfcx(c)
		near, limit := c.Less(interval.Int(7)), 0x1p-180
		if near {
			limit = 0x1p-160
		}
		if !v.Upper().Sub(v.Lower()).Less(v.Mul(interval.Float(limit))) {
			t.Errorf("%v: %v is wide", c, v)
		}
		if !near || n%5 != 0 {
			continue
		}
		square := c.Mul(c)
		term, sum := c, c
		for m := int64(1); m < 300; m++ {
			term = term.Mul(square).Mul(interval.Int(2)).Quo(interval.Int(2*m + 1))
			sum = sum.Add(term)
		}
		if want := square.Exp().Sub(twoOverRootPi().Mul(sum)); v.Less(want) || want.Less(v) {
			t.Errorf("%v: %v misses %v", c, v, want)
		}
	}
}
