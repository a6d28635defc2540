package interval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// The ball of an interval contains it, and is about as small as the interval and two float64s allow.
func TestBallContainsInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 18))
	for k := range 8000 {
		v := math.Ldexp(rng.NormFloat64(), rng.IntN(2200)-1090)
		a := interval.Rat(new(big.Rat).SetFrac64(rng.Int64()-rng.Int64(), 1+rng.Int64N(1e9))).Mul(interval.Float(v))
		if k%3 == 0 {
			a = interval.Hull(a, a.Mul(interval.Float(1+math.Exp2(-float64(rng.IntN(300))))))
		}
		b := a.Ball()
		if math.IsInf(a.Mid(), 0) {
			continue
		}
		lo, hi := a.Sub(interval.Float(b.Mid.Hi)).Sub(interval.Float(b.Mid.Lo)).Bounds()
		if b.Radius < hi || b.Radius < -lo {
			t.Fatalf("%v does not contain %v", b, a)
		}
		least := max((hi-lo)/2, math.Abs(b.Mid.Hi)*0x1p-106, math.SmallestNonzeroFloat64)
		if b.Radius > least*(1+0x1p-10) {
			t.Fatalf("%v has the radius %g for %v, want at most %g", b, b.Radius, a, least)
		}
	}
}

// The ball of a rational contains it, and its radius is at most one unit of the last place.
func TestBallOfRational(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 19))
	for k := range 20000 {
		n, d := rng.Int64N(1<<rng.IntN(56)+1)-rng.Int64N(2)*rng.Int64N(1<<54), 1+rng.Int64N(1<<rng.IntN(56))
		if k%3 == 0 {
			d = int64(math.Pow10(rng.IntN(17)))
		}
		q := big.NewRat(n, d)
		b := interval.RatBall(q)
		off := rationalOf(b.Mid)
		if off.Sub(off, q).Abs(off).Cmp(new(big.Rat).SetFloat64(b.Radius)) > 0 || b.Radius > math.Abs(b.Mid.Hi)*0x1p-104 {
			t.Fatalf("the ball of %v is %v, off by %s", q, b, off.FloatString(60))
		}
	}
}

// Results on balls contain the results on rational numbers in them, also at cancellation, for exact, narrow and wide
// balls. The radius exceeds that of the exact result by one rounding at most.
func TestBallsContainRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 17))
	draw := func() (interval.Ball, *big.Rat) {
		hi := rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30))
		v := normalized(hi, hi*0x1p-54*rng.NormFloat64())
		b := interval.Ball{v, math.Abs(hi) * math.Exp2(-float64(rng.IntN(30)+70))}
		switch rng.IntN(4) {
		case 0:
			b.Radius = 0
		case 1:
			b.Radius = math.Abs(hi) * math.Exp2(-float64(rng.IntN(12)))
		}
		at := new(big.Rat).SetFloat64(b.Radius * max(-1, min(1, 4*rng.Float64()-2)))
		return b, at.Add(at, rationalOf(v))
	}
	holds := func(what string, b interval.Ball, v *big.Rat, most float64) {
		t.Helper()
		off := rationalOf(b.Mid)
		if off.Sub(off, v).Abs(off).Cmp(new(big.Rat).SetFloat64(b.Radius)) > 0 {
			t.Fatalf("%s: %v is %s from the true value", what, b, off.FloatString(60))
		}
		if most += math.Abs(b.Mid.Hi) * interval.DoubleError; b.Radius > most*(1+1e-8) {
			t.Fatalf("%s: %v is wider than %g", what, b, most)
		}
	}
	for k := range 8000 {
		x, p := draw()
		y, q := draw()
		if k%3 == 0 { // nearly equal
			y.Mid.Hi = x.Mid.Hi
			y.Mid = normalized(y.Mid.Hi, x.Mid.Lo*(1+rng.NormFloat64()*0x1p-20))
			q = rationalOf(y.Mid)
		}
		left, right := math.Abs(x.Mid.Hi), math.Abs(y.Mid.Hi)
		holds("sum", x.Add(y), new(big.Rat).Add(p, q), x.Radius+y.Radius)
		holds("difference", x.Sub(y), new(big.Rat).Sub(p, q), x.Radius+y.Radius)
		holds("product", x.Mul(y), new(big.Rat).Mul(p, q), left*y.Radius+right*x.Radius+x.Radius*y.Radius)
		if quotient := x.Quo(y); y.Radius > right/2 {
			if !math.IsInf(quotient.Radius, 1) {
				t.Fatalf("%v over %v is %v, want an infinite radius", x, y, quotient)
			}
		} else {
			holds("quotient", quotient, new(big.Rat).Quo(p, q), (x.Radius+left/right*y.Radius)/(right-y.Radius))
		}
		if v := math.Abs(x.Mid.Hi); v > 1e-6 && v < 700 && x.Radius <= 1e-2 {
			at := interval.Ball{interval.DoubleDouble{v, math.Copysign(x.Mid.Lo, x.Mid.Lo*x.Mid.Hi)}, x.Radius}
			want := interval.Rat(new(big.Rat).Abs(p)).Exp()
			if p.Sign()*int(math.Copysign(1, x.Mid.Hi)) < 0 {
				want = interval.Rat(new(big.Rat).Neg(new(big.Rat).Abs(p))).Exp()
			}
			e := at.Exp()
			if around := e.Interval(); around.CmpLo(want) > 0 || around.CmpHi(want) < 0 {
				t.Fatalf("exp of %v: %v does not hold %v", p, around, want)
			}
			if most := 1.1*x.Radius + 1e-26; e.Radius > e.Mid.Hi*most {
				t.Fatalf("exp of %v: %v is wider than %g of it", at, e, most)
			}
		}
	}
}

// Nearest returns the float64s next to every number of the ball: the midpoint if it is exact, its neighbor on one
// side otherwise. It fails for wide balls and for tiny or huge numbers.
func TestNearestOfBalls(t *testing.T) {
	up, down := math.Nextafter(1, 2), math.Nextafter(1, 0)
	const tiny = 0x1p-70
	for _, c := range []struct {
		x      interval.Ball
		lo, hi float64
		ok     bool
	}{
		{interval.BallAt(1), 1, 1, true},
		{interval.Ball{interval.DoubleDouble{1, tiny}, tiny / 2}, 1, up, true},
		{interval.Ball{interval.DoubleDouble{1, -tiny}, tiny / 2}, down, 1, true},
		{interval.Ball{interval.DoubleDouble{1, tiny}, tiny}, 1, up, true}, // contains 1 itself
		{interval.Ball{interval.DoubleDouble{1, -tiny}, tiny}, down, 1, true},
		{interval.Ball{interval.DoubleDouble{1, tiny}, 2 * tiny}, down, up, false}, // a narrower enclosure may decide
		{interval.Ball{interval.DoubleDouble{-1, tiny}, tiny / 2}, -1, -down, true},
		{interval.Ball{interval.DoubleDouble{1, tiny}, 0x1p-60}, 0, 0, false},
		{interval.Ball{interval.DoubleDouble{1, 0x1p-58}, 0x1p-60}, 0, 0, false}, {interval.Ball{interval.DoubleDouble{1, 0x1p-58}, 0x1.fp-61}, 1, up, true},
		{interval.Ball{interval.DoubleDouble{1, 0}, math.Inf(1)}, 0, 0, false},
		{interval.Ball{interval.DoubleDouble{1, 0}, math.NaN()}, 0, 0, false},
		{interval.Ball{interval.DoubleDouble{0, 0}, 0}, 0, 0, false},
		{interval.BallAt(1e-280), 0, 0, false}, {interval.BallAt(math.Nextafter(1e-280, 1)), math.Nextafter(1e-280, 1), math.Nextafter(1e-280, 1), true},
		{interval.BallAt(1e280), 0, 0, false}, {interval.BallAt(-math.Nextafter(1e280, 0)), -math.Nextafter(1e280, 0), -math.Nextafter(1e280, 0), true},
		{interval.BallAt(math.NaN()), 0, 0, false}, {interval.BallAt(math.Inf(1)), 0, 0, false},
	} {
		lo, hi, ok := c.x.Nearest()
		if ok != c.ok || lo != c.lo || hi != c.hi {
			t.Errorf("%+v lies in [%v, %v], %v, want [%v, %v], %v", c.x, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// The double-double exponential contains the 256-bit one, which is tested against decimals.
func TestRoughExp(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-9, 0.5, math.Ln2, 1, 3 * math.Ln2, 10, 700, 1405.25, 19999.75} {
		got, want := interval.Float(x).RoughExp(), interval.Float(x).Exp()
		if got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("exp(%g) = %v misses %v", x, got, want)
		}
		if lo, hi := got.Quo(want).Bounds(); hi-lo > 1e-15 {
			t.Errorf("exp(%g) = %v is too wide", x, got)
		}
		if _, hi := got.Sub(want).Quo(want).Bounds(); hi > 1e-25 {
			t.Errorf("exp(%g) = %v is %g wide", x, got, hi)
		}
	}
}

// Sign is the sign of all numbers in the ball, or 0 if the radius is more than half the midpoint.
func TestSignsOfBalls(t *testing.T) {
	for _, c := range []struct {
		x    interval.Ball
		want int
	}{
		{interval.BallAt(3), 1}, {interval.BallAt(-3), -1}, {interval.BallAt(0), 0}, {interval.BallAt(5e-324), 1},
		{interval.Ball{interval.DoubleDouble{1, 0x1p-60}, 0.499}, 1}, {interval.Ball{interval.DoubleDouble{-1, 0x1p-60}, 0.499}, -1}, {interval.Ball{interval.DoubleDouble{1, 0}, 0.501}, 0}, {interval.Ball{interval.DoubleDouble{-1, 0}, 0.501}, 0},
		{interval.Ball{interval.DoubleDouble{1, 0}, math.NaN()}, 0}, {interval.Ball{interval.DoubleDouble{1, 0}, math.Inf(1)}, 0},
	} {
		if got, _ := c.x.Sign(); got != c.want {
			t.Errorf("%+v has the sign %d, want %d", c.x, got, c.want)
		}
	}
}
