package evidence_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("no number: %s", text)
	}
	return q
}

// order returns −1, 0 or +1, and 2 where it is not decided.
func order(a, b evidence.Number) int {
	switch evidence.Relate(a, b) {
	case evidence.Less:
		return -1
	case evidence.Equal:
		return 0
	case evidence.Greater:
		return 1
	}
	return 2
}

// Exact numbers compare as what they are, however near: the float64s of these
// pairs are equal.
func TestCompareExact(t *testing.T) {
	exact := func(text string) evidence.Number { return evidence.Exact{Value: rat(t, text)} }
	log := func(text string) evidence.Number { return evidence.ExactLog{Argument: rat(t, text)} }
	given := func(base string, num, den int64) evidence.Number {
		e, err := evidence.LogEpsilon("eps", rat(t, base))
		if err != nil {
			t.Fatal(err)
		}
		return e.Ratio(num, den).Number()
	}
	half := evidence.Certified{Lo: 0.5, Hi: 0.5}
	for _, c := range []struct {
		a, b evidence.Number
		want int
	}{
		{exact("1/3"), exact("0.33333333333333333333333333333"), 1},
		{exact("9007199254740993"), exact("9007199254740992"), 1},
		{exact("1/3"), exact("2/6"), 0},
		{exact("1/10"), evidence.Claimed{Value: 0.1}, -1}, // the float64 is above 1/10
		{exact("1/2"), half, 0},
		{half, exact("0.50000000000000000000001"), -1},
		{log("3"), log("3.00000000000000000000000000001"), -1},
		{log("1/3"), log("0.33333333333333333333333333333"), 1},
		{log("1"), exact("0"), 0},
		{log("1/2"), exact("0"), -1},
		{log("9"), given("3", 2, 1), 0},
		{given("9", 1, 4), given("3", 1, 2), 0},
		{given("2", 1000, 3), given("2", 1001, 3), -1},
		{given("8", 100, 7), given("4", 150, 7), 0},
		{log("1" + "0000000000000000000000000000000000000000000000000000000000000000000000000000000001"), log("1" + "0000000000000000000000000000000000000000000000000000000000000000000000000000000000"), 1},
		// 79 digits of ln 3, from below and from above.
		{log("3"), exact("1.098612288668109691395245236922525704647490557822749451734694333637494293218608"), 1},
		{log("3"), exact("1.098612288668109691395245236922525704647490557822749451734694333637494293218609"), -1},
		{exact("1e400"), evidence.Claimed{Value: math.Inf(1)}, -1},
		{evidence.Claimed{Value: math.NaN()}, evidence.Claimed{Value: math.Inf(1)}, 1},
	} {
		if got := order(c.a, c.b); got != c.want {
			t.Errorf("order(%v, %v) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := order(c.b, c.a); got != -c.want {
			t.Errorf("order(%v, %v) = %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

// Logarithms of random rationals with common powers, against their exponents
// over one root.
func TestCompareLogarithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		root := big.NewRat(int64(3+rng.IntN(40)), int64(1+rng.IntN(2)))
		number := func() (evidence.Number, *big.Rat) {
			power, num, den := 1+rng.Int64N(4), 1+rng.Int64N(30), 1+rng.Int64N(12)
			base := big.NewRat(1, 1)
			for range power {
				base.Mul(base, root)
			}
			e, err := evidence.LogEpsilon("eps", base)
			if err != nil {
				t.Fatal(err)
			}
			return e.Ratio(num, den).Number(), big.NewRat(power*num, den)
		}
		a, x := number()
		b, y := number()
		if got, want := order(a, b), x.Cmp(y); got != want {
			t.Errorf("ln(%s)·%s against ·%s compares %d, want %d", root.RatString(), x, y, got, want)
		}
	}
}

// Bounds that were lost on the way are no enclosure, whoever asks.
func TestLostBounds(t *testing.T) {
	nan := math.NaN()
	for _, ends := range [][2]float64{{nan, 1}, {1, nan}, {nan, nan}, {2, 1}, {math.Inf(1), 0}, {1, math.Nextafter(1, 0)}} {
		for _, side := range []evidence.Side{evidence.Neither, evidence.Up} {
			c := evidence.Certified{Lo: ends[0], Hi: ends[1], Side: side}
			if lo, hi := c.Bounds(); !(lo <= 0) || !math.IsInf(hi, 1) || math.IsNaN(c.Float()) {
				t.Errorf("%v (%v) reads [%v, %v], value %v, want all numbers", ends, side, lo, hi, c.Float())
			}
			if err := evidence.Check(c); !errors.Is(err, evidence.ErrUndetermined) {
				t.Errorf("Check(%v) = %v, want ErrUndetermined", c, err)
			}
		}
	}
	for _, n := range []evidence.Number{nil, evidence.Claimed{Value: nan}, evidence.Estimated{Value: nan, Lo: 0, Hi: 1}, evidence.Estimated{Value: 1, Lo: 2, Hi: 1}, evidence.Estimated{Value: 3, Lo: 1, Hi: 2}, evidence.Estimated{Value: 0.5, Lo: 1, Hi: 2},
		evidence.Estimated{Value: 1, Lo: nan, Hi: 2}, evidence.Estimated{Value: 1, Lo: 0, Hi: nan}, evidence.Estimated{Value: 1, Lo: nan, Hi: nan},
		evidence.Exact{}, evidence.ExactLog{}, evidence.ExactLog{Argument: new(big.Rat)}} {
		if err := evidence.Check(n); !errors.Is(err, evidence.ErrUndetermined) {
			t.Errorf("Check(%#v) = %v, want ErrUndetermined", n, err)
		}
	}
	for _, ends := range [][2]float64{{0, 0}, {0, math.Inf(1)}, {math.Inf(1), math.Inf(1)}, {5e-324, 1e308}} {
		if err := evidence.Check(evidence.Certified{Lo: ends[0], Hi: ends[1], Side: evidence.Up}); err != nil {
			t.Errorf("Check(%v): %v", ends, err)
		}
	}
	for _, v := range []float64{-1, 0, 2} { // an estimate at an end of its own
		if err := evidence.Check(evidence.Estimated{Value: v, Lo: -1, Hi: 2}); err != nil {
			t.Errorf("Check of %g in [-1, 2]: %v", v, err)
		}
	}
	if got := (evidence.Certified{Lo: -1.7e308, Hi: 1.7e308}).Float(); got != 0 {
		t.Errorf("the middle of [-1.7e308, 1.7e308] reads %v, want 0", got)
	}
}
