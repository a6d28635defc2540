package evidence_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("not a number: %s", text)
	}
	return q
}

// order returns −1, 0 or +1 for the comparison of a with b, or 2 if it is undecided.
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

// Exact numbers compare exactly, even if their float64s are equal.
func TestExactNumbersCompareUnrounded(t *testing.T) {
	exact := func(text string) evidence.Number { return evidence.Exact{Value: rat(t, text)} }
	log := func(text string) evidence.Number { return evidence.ExactLog{Argument: rat(t, text)} }
	given := func(base string, num, den int64) evidence.Number {
		e := must.For(evidence.LogEpsilon("eps", rat(t, base)))(t)
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
		// 79 digits of ln 3, rounded down and up.
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

// Numbers of every pair of kinds compare as their bounds allow, and the error of Decide names both numbers.
func TestRelateAndDecideOnEveryKind(t *testing.T) {
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	half, _ := evidence.RationalEpsilon("eps", big.NewRat(1, 2))
	in := func(lo, hi float64) evidence.Number { return evidence.Certified{Lo: lo, Hi: hi} }
	nan, inf := evidence.FromFloat(math.NaN()), evidence.FromFloat(math.Inf(1))
	third := evidence.Exact{Value: big.NewRat(1, 3)}
	all := evidence.Less | evidence.Equal | evidence.Greater
	for _, c := range []struct {
		a, b evidence.Number
		ways evidence.Order
	}{
		{in(1, 2), in(3, 4), evidence.Less}, {in(1, 3), in(3, 4), evidence.Less | evidence.Equal}, {in(1, 3), in(2, 4), all},
		{in(1, 2), in(1, 2), all}, {in(1, 1), in(1, 1), evidence.Equal}, {in(1, 1), in(1, 2), evidence.Less | evidence.Equal},
		{in(1, 2), evidence.FromFloat(2), evidence.Less | evidence.Equal}, {in(1, 2), evidence.FromFloat(2.5), evidence.Less}, {in(1, 2), evidence.FromFloat(0), evidence.Greater},
		{third, evidence.FromFloat(1. / 3), evidence.Greater}, {third, third, evidence.Equal}, {third, evidence.Exact{Value: big.NewRat(1, 2)}, evidence.Less},
		{ln3.Number(), evidence.ExactLog{Argument: big.NewRat(3, 1)}, evidence.Equal}, {ln3.Number(), evidence.FromFloat(ln3.Value()), evidence.Less},
		{ln3.Number(), evidence.ExactLog{Argument: big.NewRat(1, 3)}, evidence.Greater}, {evidence.ExactLog{Argument: big.NewRat(1, 3)}, evidence.ExactLog{Argument: big.NewRat(1, 2)}, evidence.Less},
		{half.Number(), evidence.FromFloat(0.5), evidence.Equal}, {evidence.Epsilon{}.Number(), evidence.ExactLog{Argument: big.NewRat(1, 1)}, evidence.Equal},
		{nan, inf, evidence.Greater}, {nan, nan, evidence.Equal}, {nan, third, evidence.Greater}, {inf, third, evidence.Greater}, {evidence.FromFloat(math.Inf(-1)), third, evidence.Less},
		{in(0, math.Inf(1)), evidence.FromFloat(5), all}, {in(0, math.Inf(1)), evidence.FromFloat(-1), evidence.Greater},
		{evidence.Estimated{Value: 1, Lo: 1, Hi: 1}, evidence.FromFloat(7), all},
	} {
		if got := evidence.Relate(c.a, c.b); got != c.ways {
			t.Errorf("Relate(%v, %v) = %b, want %b", c.a, c.b, got, c.ways)
		}
		mirrored := c.ways & evidence.Equal
		if c.ways&evidence.Less != 0 {
			mirrored |= evidence.Greater
		}
		if c.ways&evidence.Greater != 0 {
			mirrored |= evidence.Less
		}
		if got := evidence.Relate(c.b, c.a); got != mirrored {
			t.Errorf("Relate(%v, %v) = %b, want %b", c.b, c.a, got, mirrored)
		}
	}
	if yes, err := evidence.Decide(in(0, 0), evidence.Equal, evidence.FromFloat(5)); yes || err != nil {
		t.Errorf("0 equals 5: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(evidence.FromFloat(5), evidence.Equal, in(0, 0)); yes || err != nil {
		t.Errorf("5 equals 0: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(in(1, 2), evidence.Equal, in(1, 2)); !yes || err != nil {
		t.Errorf("equal bounds: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(in(1, 2), evidence.Less, in(1, 2)); yes || err != nil {
		t.Errorf("less, with equal bounds: %v, %v", yes, err)
	}
	for _, c := range []struct {
		a, b evidence.Number
		says string
	}{
		{in(1, 3), in(2, 4), "not decided: one is in [1.0, 3.0], the other in [2.0, 4.0]"},
		{in(1, 3), evidence.FromInt(big.NewInt(2)), "not decided: one is in [1.0, 3.0], the other 2"},
		{evidence.Estimated{Value: 1, Lo: 0, Hi: 2}, third, "not decided: an estimate cannot be ordered (in [0.0, 2.0])"},
		{evidence.FromFloat(1), evidence.Estimated{Value: 1, Lo: 1, Hi: 1}, "not decided: an estimate cannot be ordered (1.0)"},
	} {
		if _, err := evidence.Decide(c.a, evidence.Less, c.b); !errors.Is(err, evidence.ErrUndecided) || err.Error() != c.says {
			t.Errorf("%v below %v: %v, want %q", c.a, c.b, err, c.says)
		}
	}
	for _, c := range []struct {
		n    evidence.Number
		zero bool
	}{
		{evidence.Exact{Value: new(big.Rat)}, true}, {evidence.Exact{Value: new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 5000))}, false},
		{evidence.ExactLog{Argument: big.NewRat(1, 1)}, true}, {evidence.FromFloat(0), true}, {evidence.FromFloat(5e-324), false}, {evidence.FromFloat(math.NaN()), false},
		{evidence.ExactLog{Argument: new(big.Rat)}, false}, {evidence.ExactLog{Argument: big.NewRat(-1, 1)}, false},
		{in(0, 0), true}, {in(-1, 1), true}, {in(0, 1), false}, {evidence.Epsilon{}.Number(), true},
	} {
		if got := evidence.IsZero(c.n); got != c.zero {
			t.Errorf("%v is 0: %v", c.n, got)
		}
	}
}

// Numbers whose 256-bit enclosures overlap are compared with more bits: ln q and a multiple of ln 2 that agree to 90
// more digits.
func TestLogarithmsCloserThan256BitsCompare(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, bits := range []uint{255, 300, 520, 900} {
		tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		base := big.NewRat(7, 3)
		near := new(big.Rat).Mul(base, new(big.Rat).Add(one, tiny))
		a, b := evidence.ExactLog{Argument: base}, evidence.ExactLog{Argument: near}
		if evidence.Relate(a, b) != evidence.Less || evidence.Relate(b, a) != evidence.Greater {
			t.Errorf("ln 7/3 against itself and 2^-%d", bits)
		}
		// ln(1 + x) lies between x − x²/2 and x.
		q := new(big.Rat).Add(one, new(big.Rat).SetFrac(big.NewInt(1), big.NewInt(3)))
		third, err := evidence.RationalEpsilon("eps", new(big.Rat).Add(logSeries(1, 7, bits+64), tiny)) // ln 4/3 = 2 artanh 1/7
		if err != nil {
			t.Fatal(err)
		}
		below := must.For(evidence.RationalEpsilon("eps", new(big.Rat).Sub(logSeries(1, 7, bits+64), tiny)))(t)
		if l := (evidence.ExactLog{Argument: q}); evidence.Relate(l, third.Number()) != evidence.Less || evidence.Relate(l, below.Number()) != evidence.Greater {
			t.Errorf("ln 4/3 against its series and 2^-%d", bits)
		}
		for _, c := range []struct{ num, den int64 }{{3, 7}, {50, 3}, {1, 90}} { // multiples of ln 2 = 2 artanh 1/3
			base, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
			l, multiple := base.Ratio(c.num, c.den).Number(), new(big.Rat).Mul(logSeries(1, 3, bits+64), big.NewRat(c.num, c.den))
			above, _ := evidence.RationalEpsilon("eps", new(big.Rat).Add(multiple, tiny))
			below, _ := evidence.RationalEpsilon("eps", new(big.Rat).Sub(multiple, tiny))
			if evidence.Relate(l, above.Number()) != evidence.Less || evidence.Relate(l, below.Number()) != evidence.Greater {
				t.Errorf("ln(2)·%d/%d against its series and 2^-%d", c.num, c.den, bits)
			}
		}
		const k = 1000
		power := evidence.ExactLog{Argument: new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), k))}
		multiple := new(big.Rat).Mul(logSeries(1, 3, bits+64), big.NewRat(k, 1))
		over, less := evidence.Exact{Value: new(big.Rat).Add(multiple, tiny)}, evidence.Exact{Value: new(big.Rat).Sub(multiple, tiny)}
		if evidence.Relate(power, over) != evidence.Less || evidence.Relate(power, less) != evidence.Greater {
			t.Errorf("ln 2^%d against its series and 2^-%d", k, bits)
		}
		quarter, minus := evidence.ExactLog{Argument: big.NewRat(3, 4)}, new(big.Rat).Neg(logSeries(1, 7, bits+64))
		above, under := evidence.Exact{Value: new(big.Rat).Add(minus, tiny)}, evidence.Exact{Value: new(big.Rat).Sub(minus, tiny)}
		if evidence.Relate(quarter, above) != evidence.Less || evidence.Relate(under, quarter) != evidence.Less {
			t.Errorf("ln 3/4 against its series and 2^-%d", bits)
		}
	}
}

// logSeries returns 2 artanh(a/b) in rationals, within 2^-bits.
func logSeries(a, b int64, bits uint) *big.Rat {
	z := big.NewRat(a, b)
	sum, power := new(big.Rat), new(big.Rat).Set(z)
	for i := int64(0); i < int64(bits); i++ {
		sum.Add(sum, new(big.Rat).Quo(power, big.NewRat(2*i+1, 1)))
		power.Mul(power, z).Mul(power, z)
	}
	return sum.Mul(sum, big.NewRat(2, 1))
}
