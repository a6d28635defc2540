package xor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// rat returns a finite float64 as a rational.
func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// value returns w as a rational.
func (a scaledFloat) value() *big.Rat {
	v, _ := new(big.Float).SetMantExp(big.NewFloat(a.m), int(a.e)).Rat(nil)
	return v
}

// value returns a as a rational.
func (a scaledDouble) value() *big.Rat {
	return new(big.Rat).Add(scaledFloat{a.v.Hi, a.e}.value(), scaledFloat{a.v.Lo, a.e}.value())
}

// off returns |got/want − 1|, of want ≠ 0.
func off(got, want *big.Rat) float64 {
	gap := new(big.Rat).Sub(got, want)
	v, _ := gap.Quo(gap, want).Abs(gap).Float64()
	return v
}

// mantissas are drawn with a liking for the ends of [½, 1).
func mantissa(rng *rand.Rand) float64 {
	switch rng.IntN(5) {
	case 0:
		return .5
	case 1:
		return math.Nextafter(1, 0)
	}
	return .5 + rng.Float64()/2
}

// holds checks that [lo, hi] has both of least ≤ most in it, and reaches no further
// than so many units of what it holds, or steps below the normal numbers.
func holds(t *testing.T, what string, lo, hi float64, least, most *big.Rat, units float64) {
	t.Helper()
	if !math.IsInf(lo, 0) && rat(lo).Cmp(least) > 0 || math.IsInf(lo, 1) {
		t.Errorf("%s: the lower end %v is above %v", what, lo, least.FloatString(20))
	}
	if !math.IsInf(hi, 0) && rat(hi).Cmp(most) < 0 || math.IsInf(hi, -1) {
		t.Errorf("%s: the upper end %v is below %v", what, hi, most.FloatString(20))
	}
	a, _ := least.Float64()
	b, _ := most.Float64()
	slack := func(v float64) float64 { return math.Abs(v)*units*unit + 4*math.SmallestNonzeroFloat64 }
	if lo < math.Min(a, math.MaxFloat64)-slack(math.Min(a, math.MaxFloat64)) || hi > b+slack(b) {
		t.Errorf("%s: [%v, %v] is wider than [%v, %v] by more than %g units", what, lo, hi, a, b, units)
	}
}

// A wide number with an error lies in its bounds wherever it is, beyond the range of
// float64 on both sides too, and the bounds are tight.
func TestWideBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for _, e := range []int64{0, 1, -1, 60, -999, -1000, -1001, -1020, -1021, -1022, -1023, -1050, -1073, -1074, -1075, -1076, -2999, -3001, -40000, 1023, 1024} {
		for _, rel := range []float64{0, unit, 1e-12, 1e-3} {
			for range 20 {
				a := scaledFloat{mantissa(rng), e}
				lo, hi := a.bounds(rel)
				v := a.value()
				r := rat(rel)
				least := new(big.Rat).Mul(v, new(big.Rat).Sub(big.NewRat(1, 1), r))
				most := new(big.Rat).Mul(v, new(big.Rat).Add(big.NewRat(1, 1), r))
				holds(t, "bounds", lo, hi, least, most, 12)
				if hi == 0 || lo < 0 {
					t.Errorf("%v·2^%d ± %g is in [%v, %v]", a.m, a.e, rel, lo, hi)
				}
			}
		}
	}
	for _, e := range []int64{1026, 2000, 3001, 1 << 40} {
		if lo, hi := (scaledFloat{.5, e}).bounds(0); lo < math.MaxFloat64 || !math.IsInf(hi, 1) {
			t.Errorf("2^%d is in [%v, %v]", e-1, lo, hi)
		}
	}
	if lo, hi := (scaledFloat{}).bounds(1); lo != 0 || hi != 0 {
		t.Errorf("zero is in [%v, %v]", lo, hi)
	}
}

// Products, quotients and sums of wide numbers err by the roundings that are stated.
func TestWideArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	draw := func() scaledFloat { return scaledFloat{mantissa(rng), int64(rng.IntN(5000) - 2500)} }
	for range 400 {
		a, b, n := draw(), draw(), float64(1+rng.Int64N(1<<53))
		for _, c := range []struct {
			what      string
			got       scaledFloat
			want      *big.Rat
			roundings float64
		}{
			{"a product", a.mul(b), new(big.Rat).Mul(a.value(), b.value()), 1},
			{"a quotient", a.quo(b), new(big.Rat).Quo(a.value(), b.value()), 1},
			{"a multiple", a.times(n), new(big.Rat).Mul(a.value(), rat(n)), 1},
		} {
			if gap := off(c.got.value(), c.want); gap > c.roundings*unit*(1+1e-9) || c.got.m < .5 || c.got.m >= 1 {
				t.Errorf("%s of %v and %v: %v is off by %g units", c.what, a, b, c.got, gap/unit)
			}
		}
		v, ok := a.float()
		if inside := a.e >= -1000 && a.e <= 1000; ok != inside || ok && rat(v).Cmp(a.value()) != 0 {
			t.Errorf("%v as a float64 is %v, %t", a, v, ok)
		}
	}
	for _, v := range []float64{0, 1, .5, 3, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		if w := newScaledFloat(v); v > 0 && w.value().Cmp(rat(v)) != 0 || v == 0 && w.m != 0 {
			t.Errorf("%v is split into %v", v, w)
		}
	}
}

// Weighted sums of terms of any size are off by three units, and a term that does not
// count changes nothing, however large.
func TestWeigh(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 3))
	for trial := range 300 {
		terms, times := make([]scaledFloat, 1+rng.IntN(8)), make([]float64, 8)
		want, spread := new(big.Rat), []int{3, 60, 900, 3000}[trial%4]
		for i := range terms {
			terms[i], times[i] = scaledFloat{mantissa(rng), int64(rng.IntN(2*spread) - spread - 2000*(trial%3))}, float64(rng.IntN(4)*rng.IntN(1<<20))
			want.Add(want, new(big.Rat).Mul(terms[i].value(), rat(times[i])))
		}
		got := weigh(terms, func(i int) float64 { return times[i] })
		if want.Sign() == 0 {
			if got.m != 0 {
				t.Errorf("nothing weighs %v", got)
			}
		} else if gap := off(got.value(), want); gap > 3*unit {
			t.Errorf("%v times %v: off by %g units", terms, times, gap/unit)
		}
	}
}

// Double words err by a factor within scaledDoubleUnit of one in every operation.
func TestScaledDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 5))
	draw := func() scaledDouble {
		return newScaledDouble(mantissa(rng), (2*rng.Float64()-1)*0x1p-55, int64(rng.IntN(400)-200))
	}
	check := func(what string, got scaledDouble, want *big.Rat) {
		t.Helper()
		if gap := off(got.value(), want); gap > scaledDoubleUnit || got.v.Hi < .5 || got.v.Hi >= 1 || math.Abs(got.v.Lo) > unit {
			t.Errorf("%s is %v, off by %g units", what, got, gap/scaledDoubleUnit)
		}
	}
	for range 400 {
		a, b := draw(), draw()
		n, d := 1+rng.IntN(1<<31), 1+rng.IntN(1<<31)
		check("a product", a.mul(b), new(big.Rat).Mul(a.value(), b.value()))
		check("a ratio", a.mulRatio(n, d), new(big.Rat).Mul(a.value(), big.NewRat(int64(n), int64(d))))
	}
	for _, x := range []float64{0, 1, -1, .1, math.Ln2, -math.Ln2, 1e-300, -1e-17, 100, -745, 1e6, -1e9, 0x1p61, -0x1p61} {
		got := scaledDoubleExp(interval.Float(x))
		// Less k ln 2 the number is e^x·2⁻ᵏ, near one.
		want := interval.Float(x).Sub(interval.Int(got.e).Mul(interval.Int(2).Log())).Exp()
		mid, _ := want.MidFloat(interval.Prec).Rat(nil)
		check("an exponential", scaledDouble{got.v, 0}, mid)
		single := expCache{}.of(x)
		mid, _ = interval.Float(x).Sub(interval.Int(single.e).Mul(interval.Int(2).Log())).Exp().MidFloat(interval.Prec).Rat(nil)
		if gap := off(rat(single.m), mid); gap > unit || single.m < .5 || single.m >= 1 {
			t.Errorf("e^%g is %v, off by %g units", x, single, gap/unit)
		}
	}
}

// Quotients of double words are 128-bit fractions, rounded down from within 2⁻¹⁰⁰.
func TestThresholdOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 6))
	draw := func(scale int) interval.DoubleDouble {
		var p interval.DoubleDouble
		p.Accumulate(math.Ldexp(mantissa(rng), scale))
		p.Accumulate(math.Ldexp(2*rng.Float64()-1, scale-55))
		return p
	}
	check := func(p, z interval.DoubleDouble) {
		t.Helper()
		got := thresholdOf(p, z)
		v := new(big.Int).SetUint64(got.Hi)
		v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(got.Lo))
		have := new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), 128))
		whole := func(p interval.DoubleDouble) *big.Rat { return new(big.Rat).Add(rat(p.Hi), rat(p.Lo)) }
		want := new(big.Rat).Quo(whole(p), whole(z))
		gap, _ := new(big.Rat).Sub(have, want).Float64()
		if math.Abs(gap) > 0x1p-100 {
			t.Fatalf("%v/%v is %x, off by %g", p, z, got, gap)
		}
	}
	for range 400 {
		z := draw(3)
		p := draw(-rng.IntN(130))
		check(p, z)
		check(z, z)
		near := z
		near.Accumulate(-math.Ldexp(rng.Float64(), -60))
		check(near, z)
	}
	one := interval.DoubleDouble{Hi: 1}
	check(interval.DoubleDouble{}, one)
	check(one, one)
	check(one, interval.DoubleDouble{Hi: 1, Lo: 0x1p-60})
	check(one, interval.DoubleDouble{Hi: 2})
	check(interval.DoubleDouble{Hi: .5, Lo: -0x1p-60}, one)
	check(interval.DoubleDouble{Hi: .5, Lo: 0x1p-60}, one)
}

// Sums of copies of what is certified hold the exact sums, of points too.
func TestAccumulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 7))
	for range 200 {
		var got evidence.Certified
		least, most := new(big.Rat), new(big.Rat)
		n := 1 + rng.IntN(4)
		for range n {
			v, copies := math.Ldexp(mantissa(rng), rng.IntN(8)), 1+rng.IntN(7)
			w := v * (1 + float64(rng.IntN(2))*rng.Float64())
			accumulate(&got, evidence.Certified{Lo: v, Hi: w, Provenance: evidence.From("s").By("m")}, copies)
			k := big.NewRat(int64(copies), 1)
			least.Add(least, new(big.Rat).Mul(k, rat(v)))
			most.Add(most, new(big.Rat).Mul(k, rat(w)))
		}
		holds(t, "a sum of copies", got.Lo, got.Hi, least, most, 6*float64(n))
		if got.Method != "m" || got.Source != "s" {
			t.Errorf("the sum is by %q from %q", got.Method, got.Source)
		}
	}
	var one evidence.Certified
	accumulate(&one, evidence.Certified{Lo: .1, Hi: .3, Provenance: evidence.Provenance{Method: "m"}}, 1)
	if one.Lo != .1 || one.Hi != .3 {
		t.Errorf("one copy of one number is in [%v, %v]", one.Lo, one.Hi)
	}
	var none evidence.Certified
	accumulate(&none, evidence.Certified{Provenance: evidence.Provenance{Method: "m"}}, 3)
	accumulate(&none, evidence.Certified{Provenance: evidence.Provenance{Method: "m"}}, 3)
	if none.Lo != 0 || none.Hi > 1e-300 {
		t.Errorf("copies of nothing are in [%v, %v]", none.Lo, none.Hi)
	}
	if c := atMost(1, evidence.Certified{Lo: 1.5, Hi: 2}); c.Lo != 1 || c.Hi != 1 {
		t.Errorf("at most 1: [%v, %v]", c.Lo, c.Hi)
	}
	if c := atMost(1, evidence.Certified{Lo: .25, Hi: 2}); c.Lo != .25 || c.Hi != 1 {
		t.Errorf("at most 1: [%v, %v]", c.Lo, c.Hi)
	}
}

// exact returns the hull's ends as rationals.
func exact(x interval.Interval) (least, most *big.Rat) {
	least, _ = x.Lower().MidFloat(interval.Prec).Rat(nil)
	most, _ = x.Upper().MidFloat(interval.Prec).Rat(nil)
	return least, most
}

// around is [v(1 − rel)e^−off, v(1 + rel)e^off].
func around(v interval.Interval, rel, off float64) interval.Interval {
	one, r, grow := interval.Int(1), interval.Float(rel), interval.Float(off).Exp()
	return interval.Hull(v.Mul(one.Sub(r)).Quo(grow), v.Mul(one.Add(r)).Mul(grow))
}

var offs = []float64{0, 1e-300, 1e-16, 1e-9, 9e-4, 0x1p-10, 1e-2, .7, 30, 699}

// The bound on what a reading does to a sum holds and is tight to its own square.
func TestSpread(t *testing.T) {
	for _, rel := range []float64{0, unit, 1e-12, 1e-4, .3} {
		for _, off := range offs {
			got := spread(rel, off)
			most := interval.Float(off).Expm1().Mul(interval.Int(1).Add(interval.Float(rel))).Add(interval.Float(rel))
			_, want := exact(most)
			v, _ := want.Float64()
			if rat(got).Cmp(want) < 0 || got > v*(1+8*unit)+math.Min(off*off, off*0x1p-9)*(1+rel) {
				t.Errorf("spread(%g, %g) = %v, want %v", rel, off, got, v)
			}
		}
	}
	if v := spread(0, 701); !math.IsInf(v, 1) {
		t.Errorf("spread(0, 701) = %v", v)
	}
}

// ln(1 + a) lies between its bounds for a of any size, of any error and reading.
func TestLogOnePlus(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 8))
	for _, e := range []int64{-5000, -1080, -1074, -1000, -300, -61, -60, -59, -30, -1, 0, 1, 2, 40, 899, 900, 901, 1023, 5000, 1 << 40} {
		for _, rel := range []float64{0, 1e-15, 1e-12} {
			for _, off := range offs {
				a := scaledFloat{mantissa(rng), e}
				size := interval.Float(a.m)
				var whole float64 // what the logarithm of the whole moves by: no more than that of a
				if whole = off; e < -60 {
					whole = 0
				}
				lo, hi := logOnePlus(a, rel, off, whole)
				var want interval.Interval
				near := around(size, rel, off)
				if e >= -5000 && e <= 5000 {
					want = near.Mul(interval.Int(2).Pow(int(max(e, -e)))).Add(interval.Int(1)).Log()
					if e < 0 {
						want = near.Quo(interval.Int(2).Pow(int(-e))).Log1p()
					}
				} else {
					want = near.Log().Add(interval.Int(e).Mul(interval.Int(2).Log()))
				}
				least, most := exact(interval.Max(want, interval.Int(0)))
				units := 40.
				if off > 0 {
					units += math.Min(2*off, 4)*off/unit + off*off/unit // spread is no tighter
					if off >= 0x1p-10 {
						units = math.Inf(1)
					}
				}
				holds(t, "ln(1 + a)", lo, hi, least, most, units)
				if t.Failed() {
					t.Fatalf("a = %v, rel %g, off %g", a, rel, off)
				}
			}
		}
	}
	if lo, hi := logOnePlus(scaledFloat{}, 0, 1, 1); lo != 0 || hi != 0 {
		t.Errorf("ln 1 is in [%v, %v]", lo, hi)
	}
}

// The mean of a bit that is one with weight w against 1 holds what any reading gives,
// and little more.
func TestRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 9))
	one := interval.Int(1)
	for _, x := range []float64{-2000, -700, -40, -3, -.1, 0, .2, 2, 36, 45, 800} {
		for _, off := range offs {
			for _, most := range []float64{1, 3, 150} {
				w := interval.Float(x).Exp()
				rel := []float64{0, 1e-14}[rng.IntN(2)]
				chance := func(v interval.Interval) interval.Interval { return v.Quo(one.Add(v)).Mul(interval.Float(most)) }
				a := expCache{}.of(x)
				total := a // below 2⁶⁴ the one counts
				if x < 45 {
					total = newScaledFloat(1)
					if v, ok := a.float(); ok {
						total = newScaledFloat(1 + v)
					}
				}
				got := ratio(a.times(most), total, most, rel+2*unit, off, math.Inf(1), "m", "s")
				least, _ := exact(chance(w.Quo(interval.Float(off).Exp())))
				_, high := exact(chance(w.Mul(interval.Float(off).Exp())))
				if all := rat(most); high.Cmp(all) > 0 {
					high = all // what the oracle itself rounded
				}
				units := 20 + 4*rel/unit
				if off >= 0x1p-10 {
					units = math.Inf(1)
				} else {
					units += 4 * off * off / unit
					if q := 1 / (1 + math.Exp(-x)); q < .5 { // there 1 − q is taken for one
						units += 1.01 * q * off / unit
					}
				}
				holds(t, "a mean", got.Lo, got.Hi, least, high, units)
				if got.Hi > most || got.Lo > got.Hi || got.Method != "m" || got.Source != "s" {
					t.Errorf("a mean of at most %g: %+v", most, got)
				}
				if t.Failed() {
					t.Fatalf("x = %g, off %g, rel %g, most %g: [%v, %v]", x, off, rel, most, got.Lo, got.Hi)
				}
			}
		}
	}
}

// Randomised response flips 1/(1 + e^ε) of the bits, at every ε.
func TestResponseRate(t *testing.T) {
	one := interval.Int(1)
	for _, x := range []float64{0, 1e-300, 1e-17, .1, 1, math.Log(3), 40, 41, 42, 60, 600, 740, 745} {
		for _, y := range []float64{x, x * 1.5} {
			got := responseRate(x, y)
			least, _ := exact(one.Quo(one.Add(interval.Float(y).Exp())))
			_, most := exact(one.Quo(one.Add(interval.Float(x).Exp())))
			if half := rat(.5); most.Cmp(half) > 0 {
				most = half
			}
			holds(t, "1/(1 + e^ε)", got.Lo, got.Hi, least, most, 16)
			if got.Hi > .5 {
				t.Errorf("ε = %g: more than half are flipped, %v", x, got.Hi)
			}
		}
	}
	if got := responseRate(1e300, math.MaxFloat64); got.Lo != 0 || !(got.Hi > 0 && got.Hi < 1e-300) {
		t.Errorf("at 10³⁰⁰: [%v, %v]", got.Lo, got.Hi)
	}
}

// Where weights are known to no factor at all, ln(1 + a) still is at most ln a and what the parameters may move the whole by.
func TestLogOnePlusOfWhatIsNotKnown(t *testing.T) {
	for _, e := range []int64{-50, -3, 0, 1} {
		lo, hi := logOnePlus(scaledFloat{.5, e}, 1e-15, 800, 800)
		if most := math.Log1p(math.Ldexp(.5, int(e))) + 801; lo != 0 || !(hi >= math.Log(math.Ldexp(.5, int(e)))+800) || !(hi <= most) {
			t.Errorf("2^%d: [%v, %v], want at most %v", e-1, lo, hi, most)
		}
	}
}
