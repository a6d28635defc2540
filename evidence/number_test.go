package evidence_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// Every way in which a number is read, on numbers whose answers are plain.
func TestReadings(t *testing.T) {
	inf := math.Inf(1)
	const tiny = math.SmallestNonzeroFloat64
	third := evidence.Exact{Value: big.NewRat(1, 3)}
	for _, c := range []struct {
		n                   evidence.Number
		float, lo, hi       float64
		supported           int
		wide                bool
		digits, short, span string
		rational            string
	}{
		{evidence.Claimed{Value: 0.1}, 0.1, 0.1, 0.1, 15, false, "0.1", "0.1 (claimed)", "0.1", ""},
		{third, 1. / 3, 1. / 3, math.Nextafter(1./3, 1), 15, false, "0.333333333333333", "0.333333333333333 (exact)", "0.333333", "1/3"},
		{evidence.ExactLog{Argument: big.NewRat(1, 1)}, 0, 0, 0, 15, false, "0.0", "0.0 (exact)", "0.0", "ln(1)"},
		{evidence.ExactLog{Argument: big.NewRat(2, 1)}, math.Ln2, math.Ln2, math.Nextafter(math.Ln2, 1), 15, false, "0.693147180559945", "0.693147180559945 (exact)", "0.693147", "ln(2)"},
		{evidence.ExactLog{Argument: big.NewRat(1, 2)}, -math.Ln2, math.Nextafter(-math.Ln2, -1), -math.Ln2, 15, false, "-0.693147180559945", "-0.693147180559945 (exact)", "-0.693147", "ln(1/2)"},
		{evidence.Certified{Lo: 1, Hi: 1}, 1, 1, 1, 15, false, "1.0", "1.0 (certified)", "1.0", ""},
		{evidence.Certified{Lo: 1, Hi: 1.5}, 1.25, 1, 1.5, 1, true, "1.2", "in [1.0, 1.5] (certified)", "in [1.0, 1.5]", ""},
		{evidence.Certified{Lo: 1, Hi: 1.5, Side: evidence.Up}, 1.5, 1, 1.5, 1, true, "1.5", "in [1.0, 1.5] (certified)", "in [1.0, 1.5]", ""},
		{evidence.Certified{Lo: 1.23456, Hi: 1.234562}, 1.234561, 1.23456, 1.234562, 6, false, "1.23456", "1.23456 (certified)", "1.23456", ""},
		{evidence.Certified{Lo: 1.2344, Hi: 1.2346}, 1.2345, 1.2344, 1.2346, 3, false, "1.23", "1.23 (certified)", "1.23", ""},
		{evidence.Certified{Lo: 1.24, Hi: 1.26}, 1.25, 1.24, 1.26, 1, true, "1.2", "in [1.239, 1.261] (certified)", "in [1.239, 1.261]", ""},
		{evidence.Certified{Lo: 1.21, Hi: 1.22}, 1.2149999999999999, 1.21, 1.22, 2, false, "1.2", "1.2 (certified)", "in [1.209, 1.22]", ""},
		{evidence.Certified{Lo: 0, Hi: tiny}, tiny, 0, tiny, 1, true, "4.9e-324", "in [0.0, 4.941e-324] (certified)", "in [0.0, 4.941e-324]", ""},
		{evidence.Certified{Lo: -tiny, Hi: tiny}, 0, -tiny, tiny, 1, true, "0.0", "in [-4.941e-324, 4.941e-324] (certified)", "in [-4.941e-324, 4.941e-324]", ""},
		{evidence.Certified{Lo: -tiny, Hi: 2 * tiny}, tiny, -tiny, 2 * tiny, 1, true, "4.9e-324", "in [-4.941e-324, 9.882e-324] (certified)", "in [-4.941e-324, 9.882e-324]", ""},
		{evidence.Certified{Lo: 1.000049, Hi: 1.999951}, 1.5, 1.000049, 1.999951, 1, true, "1.5", "in [1.0, 2.0] (certified)", "in [1.0, 2.0]", ""},
		{evidence.Certified{Lo: -tiny, Hi: 0}, -tiny, -tiny, 0, 1, true, "-4.9e-324", "in [-4.941e-324, 0.0] (certified)", "in [-4.941e-324, 0.0]", ""},
		{evidence.Certified{Lo: 2, Hi: inf}, inf, 2, inf, 1, true, "inf", "in [2.0, inf] (certified)", "in [2.0, inf]", ""},
		{evidence.Certified{Lo: -inf, Hi: 2}, 2, -inf, 2, 1, true, "2.0", "in [-inf, 2.0] (certified)", "in [-inf, 2.0]", ""},
		{evidence.Certified{Lo: inf, Hi: inf, Side: evidence.Up}, inf, inf, inf, 15, false, "inf", "inf (certified)", "inf", ""},
		{evidence.Certified{Lo: 3, Hi: 2}, inf, -inf, inf, 1, true, "inf", "in [-inf, inf] (certified)", "in [-inf, inf]", ""},
		{evidence.Certified{Lo: 3, Hi: 2, Side: evidence.Up}, inf, -inf, inf, 1, true, "inf", "in [-inf, inf] (certified)", "in [-inf, inf]", ""},
		{evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: 0.75}, 0.5, 0.25, 0.75, 1, false, "0.5", "0.5 (estimated)", "in [0.25, 0.75]", ""},
		{evidence.Estimated{Value: 0.6666666666, Lo: 0.6666666666, Hi: 0.75, Side: evidence.Down}, 0.6666666666, 0.6666666666, 0.75, 1, false, "0.666666", "0.666666 (estimated)", "in [0.6666, 0.75]", ""},
		{evidence.Estimated{Value: 0.5, Lo: 0.5, Hi: 0.5}, 0.5, 0.5, 0.5, 15, false, "0.5", "0.5 (estimated)", "0.5", ""},
		{evidence.Estimated{Value: 0.123456789, Lo: 0.123456789, Hi: 0.123456789}, 0.123456789, 0.123456789, 0.123456789, 15, false, "0.123456789", "0.123456789 (estimated)", "0.123457", ""},
		{evidence.Estimated{Value: 0.12342, Lo: 0.1234, Hi: 0.12344}, 0.12342, 0.1234, 0.12344, 4, false, "0.1234", "0.1234 (estimated)", "0.1234", ""},
	} {
		if got := c.n.Float(); got != c.float {
			t.Errorf("%v reads %v, want %v", c.n, got, c.float)
		}
		if lo, hi := c.n.Bounds(); lo != c.lo && !(lo < c.lo && lo == math.Nextafter(c.lo, 0)) || hi != c.hi && !(hi == c.lo && lo < c.lo) {
			t.Errorf("%v lies in [%v, %v], want [%v, %v]", c.n, lo, hi, c.lo, c.hi)
		}
		if got := evidence.SignificantDigits(c.n); got != c.supported {
			t.Errorf("%v: %d digits, want %d", c.n, got, c.supported)
		}
		if got := evidence.IsWide(c.n); got != c.wide {
			t.Errorf("%v is wide: %v", c.n, got)
		}
		for what, p := range map[string][2]string{
			"digits": {evidence.Digits(c.n), c.digits}, "short": {evidence.Brief(c.n), c.short},
			"span": {evidence.FormatInterval(c.n, 6), c.span}, "rational": {evidence.Rational(c.n), c.rational},
		} {
			if p[0] != p[1] {
				t.Errorf("%v: %s %q, want %q", c.n, what, p[0], p[1])
			}
		}
	}
}

// Exact numbers lie between two neighboring float64s, the nearer of which they
// read as; the oracle compares rationals.
func TestExactEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64().Draw(t, "p"), rapid.Int64Range(1, math.MaxInt64).Draw(t, "q"))
		n := evidence.Exact{Value: q}
		lo, hi := n.Bounds()
		below, above := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
		if below.Cmp(q) > 0 || above.Cmp(q) < 0 || lo != hi && hi != math.Nextafter(lo, math.Inf(1)) || (lo == hi) != (below.Cmp(q) == 0) {
			t.Fatalf("%v in [%v, %v]", q, lo, hi)
		}
		if v := n.Float(); v != lo && v != hi {
			t.Fatalf("%v reads %v", q, v)
		}
		far := new(big.Rat).Sub(new(big.Rat).SetFloat64(n.Float()), q)
		for _, end := range []*big.Rat{below, above} {
			if d := new(big.Rat).Sub(end, q); d.Abs(d).Cmp(new(big.Rat).Abs(far)) < 0 {
				t.Fatalf("%v reads %v, farther than an end", q, n.Float())
			}
		}
	})
}

// What is printed rounded down or up lies on that side, by less than one unit of
// its last digit, and is the number itself where it has that few digits.
func TestFormatOutward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "mantissa"), rapid.IntRange(-900, 900).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "decimal") { // few digits, near powers of ten
			v = rapid.SampledFrom([]float64{1, 9.9, 9.99, 9.9999, 9.99999, 1.0001, 1.00001, 0.1, 99999, 100000, 100001, 0.3, 2.5}).Draw(t, "v") *
				math.Pow(10, float64(rapid.IntRange(-20, 20).Draw(t, "power")))
			if rapid.Bool().Draw(t, "beside") { // where Log10 is off
				v = math.Nextafter(math.Pow10(rapid.IntRange(-300, 300).Draw(t, "power")), rapid.SampledFrom([]float64{0, math.Inf(1)}).Draw(t, "to"))
			}
		}
		digits := rapid.IntRange(1, 17).Draw(t, "digits")
		q := new(big.Rat).SetFloat64(v)
		for name, c := range map[string]struct {
			text string
			side int
		}{
			"down": {evidence.FormatDown(v, digits), -1}, "up": {evidence.FormatUp(v, digits), 1},
		} {
			shown, ok := new(big.Rat).SetString(c.text)
			if !ok {
				t.Fatalf("%v %s is %q", v, name, c.text)
			}
			if shown.Cmp(q) == -c.side {
				t.Fatalf("%v %s to %d digits is %s", v, name, digits, c.text)
			}
			if v == 0 {
				return
			}
			_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
			power, _ := strconv.Atoi(exponent)
			unit, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", power-(digits-1)))
			if d := new(big.Rat).Sub(shown, q); d.Abs(d).Cmp(unit.Mul(unit, big.NewRat(1000001, 1000000))) > 0 {
				t.Fatalf("%v %s to %d digits is %s, more than a unit away", v, name, digits, c.text)
			}
		}
	})
	for _, c := range []struct {
		v        float64
		digits   int
		down, up string
	}{
		{0.45, 4, "0.45", "0.4501"}, {0.123456, 3, "0.123", "0.124"}, {-0.123456, 3, "-0.124", "-0.123"}, {0, 3, "0.0", "0.0"},
		{math.NaN(), 3, "nan", "nan"}, {math.Inf(1), 3, "inf", "inf"}, {math.Inf(-1), 3, "-inf", "-inf"}, {9.9996, 4, "9.999", "10.0"}, {1234.5, 2, "1.2e+03", "1.3e+03"},
		{0.1, 900, "0.1000000000000000055511151231257827021181583404541015625", "0.1000000000000000055511151231257827021181583404541015625"},
		{1000000000000000.125, 1, "1e+15", "2e+15"}, {0x1p-24, 16, "5.960464477539062e-08", "5.960464477539063e-08"}, {1e-7, -1, "9.999999999999999e-08", "1e-07"}, {100000, 17, "100000.0", "100000.0"},
	} {
		if down, up := evidence.FormatDown(c.v, c.digits), evidence.FormatUp(c.v, c.digits); down != c.down || up != c.up {
			t.Errorf("%v to %d digits: down %s, up %s, want %s, %s", c.v, c.digits, down, up, c.down, c.up)
		}
	}
	if got := evidence.FormatFloat(math.NaN(), 3); got != "nan" {
		t.Errorf("NaN prints %q", got)
	}
}

// An enclosure goes over into ends with nothing lost, and a loss is not negative.
func TestEnclosed(t *testing.T) {
	for _, c := range []struct {
		a        interval.Interval
		lo, hi   float64
		loss, to float64 // the ends of a loss
	}{
		{interval.Between(1, 2), 1, 2, 1, 2}, {interval.Between(-1, 2), -1, 2, 0, 2}, {interval.Between(-2, -1), -2, -1, 0, 0},
		{interval.Int(1).Quo(interval.Int(3)), 1. / 3, math.Nextafter(1./3, 1), 1. / 3, math.Nextafter(1./3, 1)},
	} {
		if n := evidence.Enclosed(c.a, "m", "s"); n.Lo != c.lo || n.Hi != c.hi || n.Side != evidence.Neither || n.Method != "m" || n.Source != "s" {
			t.Errorf("%v becomes %+v", c.a, n)
		}
		if n := evidence.EnclosedLoss(c.a, "m", "s"); n.Lo != c.loss || n.Hi != c.to || n.Side != evidence.Up || n.Method != "m" || n.Source != "s" || n.Float() != c.to {
			t.Errorf("the loss in %v becomes %+v", c.a, n)
		}
	}
	for _, n := range []evidence.Number{evidence.FromFloat(1), evidence.Exact{Value: new(big.Rat)}, evidence.ExactLog{Argument: big.NewRat(1, 2)},
		evidence.Certified{Lo: 1, Hi: 1}, evidence.Estimated{Value: 1, Lo: 0, Hi: 2}, evidence.Epsilon{}.Number()} {
		if err := evidence.Check(n); err != nil {
			t.Errorf("%v is a number: %v", n, err)
		}
	}
}

// Every pair of kinds orders as its ends allow, and the error names both.
func TestDecide(t *testing.T) {
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
			t.Errorf("%v may lie to %v in the ways %b, want %b", c.a, c.b, got, c.ways)
		}
		mirrored := c.ways & evidence.Equal
		if c.ways&evidence.Less != 0 {
			mirrored |= evidence.Greater
		}
		if c.ways&evidence.Greater != 0 {
			mirrored |= evidence.Less
		}
		if got := evidence.Relate(c.b, c.a); got != mirrored {
			t.Errorf("%v may lie to %v in the ways %b, want %b", c.b, c.a, got, mirrored)
		}
	}
	if yes, err := evidence.Decide(in(0, 0), evidence.Equal, evidence.FromFloat(5)); yes || err != nil {
		t.Errorf("0 equals 5: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(evidence.FromFloat(5), evidence.Equal, in(0, 0)); yes || err != nil {
		t.Errorf("5 equals 0: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(in(1, 2), evidence.Equal, in(1, 2)); !yes || err != nil {
		t.Errorf("the same ends: %v, %v", yes, err)
	}
	if yes, err := evidence.Decide(in(1, 2), evidence.Less, in(1, 2)); yes || err != nil {
		t.Errorf("less than the same ends: %v, %v", yes, err)
	}
	for _, c := range []struct {
		a, b evidence.Number
		says string
	}{
		{in(1, 3), in(2, 4), "not decided: the one is in [1.0, 3.0], the other in [2.0, 4.0]"},
		{in(1, 3), evidence.FromInt(big.NewInt(2)), "not decided: the one is in [1.0, 3.0], the other 2"},
		{evidence.Estimated{Value: 1, Lo: 0, Hi: 2}, third, "not decided: an estimate orders against nothing (in [0.0, 2.0])"},
		{evidence.FromFloat(1), evidence.Estimated{Value: 1, Lo: 1, Hi: 1}, "not decided: an estimate orders against nothing (1.0)"},
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

// Numbers whose enclosures at 256 bits meet are told apart by more bits: ln q and
// a multiple of ln 2 from the same digits of 90 more.
func TestNearLogarithms(t *testing.T) {
	one := big.NewRat(1, 1)
	for _, bits := range []uint{255, 300, 520, 900} {
		tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		base := big.NewRat(7, 3)
		near := new(big.Rat).Mul(base, new(big.Rat).Add(one, tiny))
		a, b := evidence.ExactLog{Argument: base}, evidence.ExactLog{Argument: near}
		if evidence.Relate(a, b) != evidence.Less || evidence.Relate(b, a) != evidence.Greater {
			t.Errorf("ln 7/3 against itself and 2^-%d", bits)
		}
		// ln(1 + x) lies between x − x²/2 and x: against rationals of each side.
		q := new(big.Rat).Add(one, new(big.Rat).SetFrac(big.NewInt(1), big.NewInt(3)))
		third, err := evidence.RationalEpsilon("eps", new(big.Rat).Add(logSeries(1, 7, bits+64), tiny)) // ln 4/3 = 2 artanh 1/7
		if err != nil {
			t.Fatal(err)
		}
		below, err := evidence.RationalEpsilon("eps", new(big.Rat).Sub(logSeries(1, 7, bits+64), tiny))
		if err != nil {
			t.Fatal(err)
		}
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

// The sums, multiples, quotients and powers of ε, against rational arithmetic.
func TestEpsilonArithmetic(t *testing.T) {
	eps := func(text string) evidence.Epsilon {
		t.Helper()
		make, log := evidence.RationalEpsilon, false
		if inner, ok := strings.CutPrefix(text, "ln "); ok {
			make, text, log = evidence.LogEpsilon, inner, true
		}
		q, _ := new(big.Rat).SetString(text)
		e, err := make("eps", q)
		if err != nil || e.IsExact() != log {
			t.Fatalf("%s: %v", text, err)
		}
		return e
	}
	for _, c := range []struct {
		a, b, sum string
		quotient  string
	}{
		{"1/2", "1/3", "0.8333333333333334", "3/2"}, {"ln 2", "ln 8", "ln(16)", "1/3"}, {"ln 4", "ln 8", "ln(32)", "2/3"}, {"ln 3", "ln 2", "ln(6)", ""},
		{"ln 3", "1", "", ""}, {"1", "ln 3", "", ""}, {"ln 9/4", "ln 27/8", "ln(243/32)", "2/3"},
	} {
		a, b := eps(c.a), eps(c.b)
		sum, ok := a.Add(b)
		if got := sum.String(); ok != (c.sum != "") || ok && got != c.sum && got != "5/6" {
			t.Errorf("%s + %s = %v, %v, want %s", c.a, c.b, sum, ok, c.sum)
		}
		q, ok := a.Quotient(b)
		if ok != (c.quotient != "") || ok && q.RatString() != c.quotient {
			t.Errorf("%s / %s = %v, %v, want %s", c.a, c.b, q, ok, c.quotient)
		}
	}
	// A sum of two multiples of one logarithm that is not the logarithm of a rational.
	half := eps("ln 2").Ratio(1, 2)
	third := eps("ln 2").Ratio(1, 3)
	if sum, ok := half.Add(third); !ok || sum.String() != "ln(2)·5/6" || math.Abs(sum.Value()-math.Ln2*5/6) > 1e-15 {
		t.Errorf("ln(2)/2 + ln(2)/3 = %v, %v", sum, ok)
	}
	var zero evidence.Epsilon
	if lo, hi := zero.Enclosure().Bounds(); lo != 0 || hi != 0 || zero.Value() != 0 {
		t.Errorf("0 lies in [%v, %v]", lo, hi)
	}
	for _, e := range []evidence.Epsilon{eps("1/2"), eps("ln 3")} {
		if sum, ok := e.Add(zero); !ok || sum.String() != e.String() {
			t.Errorf("%v + 0 = %v", e, sum)
		}
		if sum, ok := zero.Add(e); !ok || sum.String() != e.String() {
			t.Errorf("0 + %v = %v", e, sum)
		}
		for _, n := range []int64{0, -1} {
			if !e.Times(n).IsZero() || !e.Ratio(1, n).IsZero() || !e.Ratio(n, 1).IsZero() {
				t.Errorf("%d times %v is not 0", n, e)
			}
		}
		if e.Positive("eps") != nil || zero.Positive("eps") == nil {
			t.Error("what is positive")
		}
		if lo, hi := e.Enclosure().Bounds(); lo > e.Value() || hi < e.Value() || e.Ratio(3, 2).Value() != float64(e.Value()*1.5) && math.Abs(e.Ratio(3, 2).Value()-e.Value()*1.5) > 1e-15 {
			t.Errorf("%v lies in [%v, %v], times 3/2 is %v", e, lo, hi, e.Ratio(3, 2).Value())
		}
		z, exact := e.RationalDecay()
		x, also := e.Exp()
		if exact != e.IsExact() || also != exact || exact && new(big.Rat).Mul(z, x).Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("e^%v = %v, %v; e^-%v = %v, %v", e, x, also, e, z, exact)
		}
		lo, hi := e.Decay().Bounds()
		if v := math.Exp(-e.Value()); lo > v+1e-15 || hi < v-1e-15 || hi != math.Nextafter(lo, 1) {
			t.Errorf("e^-%v in [%v, %v], want %v", e, lo, hi, v)
		}
		if q, ok := e.Rational(); ok == e.IsExact() || ok && q.Cmp(big.NewRat(1, 2)) != 0 {
			t.Errorf("%v is the rational %v: %v", e, q, ok)
		}
	}
	if z, ok := zero.RationalDecay(); !ok || z.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("e^0 = %v", z)
	}
	if q, ok := zero.Rational(); !ok || q.Sign() != 0 {
		t.Errorf("0 is %v", q)
	}
	// Too long to write down, and just short enough.
	two := eps("ln 2")
	for n, want := range map[int64]bool{1: true, 1 << 12: true, 1<<12 + 1: false} {
		if _, ok := two.Times(n).RationalDecay(); ok != want {
			t.Errorf("2^-%d is written down: %v", n, ok)
		}
	}
	long := eps("ln " + new(big.Int).Lsh(big.NewInt(3), 4000).String())
	for n, want := range map[int64]bool{1000: true, 1049: false} {
		if _, ok := long.Times(n).RationalDecay(); ok != want {
			t.Errorf("a power %d of a number of 4002 bits is written down: %v", n, ok)
		}
	}
	// Whole powers have whole roots, others none.
	for _, c := range []struct {
		eps, root, power string
	}{
		{"ln 4096", "2", "12"}, {"ln 6", "6", "1"}, {"ln 531441/4096", "3/2", "12"}, {"ln 2", "2", "1"}, {"ln 4", "2", "2"}, {"ln 8", "2", "3"}, {"ln 9/8", "9/8", "1"}, {"ln 1000", "10", "3"}, {"ln 1001", "1001", "1"}, {"ln 9/4", "3/2", "2"}, {"ln 8/5", "8/5", "1"},
	} {
		root, power, ok := eps(c.eps).Root()
		if !ok || root.RatString() != c.root || power.RatString() != c.power {
			t.Errorf("%s is %v times ln %v, %v, want %s times ln %s", c.eps, power, root, ok, c.power, c.root)
		}
	}
	if _, _, ok := eps("1/2").Root(); ok {
		t.Error("1/2 is a logarithm")
	}
}

// Numbers that leave float64 at either end are refused, those at the ends are not.
func TestEpsilonEnds(t *testing.T) {
	q := func(text string) *big.Rat { v, _ := new(big.Rat).SetString(text); return v }
	for _, c := range []struct {
		err  error
		says string
	}{
		{second(evidence.RationalEpsilon("e", q("0"))), "e = 0, want a positive finite number"},
		{second(evidence.RationalEpsilon("e", q("-1/3"))), "e = -1/3, want a positive finite number"},
		{second(evidence.RationalEpsilon("e", q("1e-330"))), "e = 1e-330, want a number from 5e-324 to 1.7e308"},
		{second(evidence.RationalEpsilon("e", q("1e309"))), "e = 1e+309, want a number from 5e-324 to 1.7e308"},
		{second(evidence.LogEpsilon("e", q("1"))), "e = ln(1), want the logarithm of a number above 1"},
		{second(evidence.LogEpsilon("e", q("1/2"))), "e = ln(1/2), want the logarithm of a number above 1"},
		{second(evidence.NewEpsilon("e", 0)), "e = 0, want a positive finite number"},
		{second(evidence.NewEpsilon("e", math.Inf(1))), "e = +Inf, want a positive finite number"},
		{second(evidence.NewEpsilon("e", math.NaN())), "e = NaN, want a positive finite number"},
	} {
		if c.err == nil || c.err.Error() != c.says || !errors.Is(c.err, evidence.ErrParameter) {
			t.Errorf("%v, want %q", c.err, c.says)
		}
	}
	for _, c := range []struct{ digits, want string }{
		{"1/" + strings.Repeat("7", 77), "1/" + strings.Repeat("7", 77)}, {"1/" + strings.Repeat("7", 78), "≈1.28571e-78"},
		{"123456" + strings.Repeat("0", 90), "1.23456e+95"}, {"1234567" + strings.Repeat("0", 90), "≈1.23457e+96"},
	} {
		if _, err := evidence.LogEpsilon("e", new(big.Rat).Neg(q(c.digits))); err == nil || err.Error() != "e = ln("+strings.Replace("-"+c.want, "-≈", "≈-", 1)+"), want the logarithm of a number above 1" {
			t.Errorf("%s: %v, want %s", c.digits, err, c.want)
		}
	}
	edge := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(0x1p-200))
	if e, err := evidence.LogEpsilon("e", edge); err != nil || e.Value() != 0x1p-200 {
		t.Errorf("ln(1 + 2^-200) = %v, %v", e.Value(), err)
	}
	if _, err := evidence.LogEpsilon("e", new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(0x1p-201))); err == nil {
		t.Error("ln(1 + 2^-201) is accepted")
	}
	large, _ := evidence.NewEpsilon("e", math.MaxFloat64)
	if v := large.Times(2).Value(); v != math.MaxFloat64 {
		t.Errorf("twice the largest float64 reads %v", v)
	}
	small, _ := evidence.NewEpsilon("e", math.SmallestNonzeroFloat64)
	if v := small.Ratio(1, 3).Value(); v != math.SmallestNonzeroFloat64 {
		t.Errorf("a third of the least float64 reads %v", v)
	}
	for text, want := range map[string]string{"1/10": "0.1", "1/3": "1/3", "3/2": "1.5", "3602879701896397/36028797018963968": "0.1"} {
		if e, _ := evidence.RationalEpsilon("e", q(text)); e.String() != want {
			t.Errorf("%s prints %s, want %s", text, e, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Verbs of floats print the value; of texts, the whole.
func TestVerbs(t *testing.T) {
	n := evidence.Exact{Value: big.NewRat(5, 4)}
	for verb, want := range map[string]string{"%v": "1.25 (exact: 5/4)", "%s": "1.25 (exact: 5/4)", "%q": `"1.25 (exact: 5/4)"`, "%.1f": "1.2", "%8.3g": "    1.25", "%e": "1.250000e+00"} {
		if got := fmt.Sprintf(verb, n); got != want {
			t.Errorf("%s prints %q, want %q", verb, got, want)
		}
	}
	ln, _ := evidence.LogEpsilon("e", big.NewRat(3, 1))
	for _, m := range []evidence.Number{n, evidence.FromFloat(1.25), evidence.Certified{Lo: 1.25, Hi: 1.25}, evidence.Estimated{Value: 1.25}, evidence.ExactLog{Argument: big.NewRat(7, 2)}} {
		if got, want := fmt.Sprintf("%.4f", m), fmt.Sprintf("%.4f", m.Float()); got != want {
			t.Errorf("%T prints %s, want %s", m, got, want)
		}
	}
	if got := fmt.Sprintf("%+.4f %7.2G|%-7.2e|%08.3f", ln.Number(), ln.Number(), ln.Number(), evidence.Certified{Lo: -2, Hi: -2}); got != "+1.0987     1.1|1.10e+00|-002.000" {
		t.Errorf("prints %s", got)
	}
	digits := new(big.Int).Exp(big.NewInt(3), big.NewInt(200), nil) // of 96 digits
	if got := fmt.Sprint(evidence.Exact{Value: new(big.Rat).SetInt(digits)}); got != "2.65613988875875e+95 (exact: 2656139888758747693387813220…"+digits.String()[len(digits.String())-28:]+")" {
		t.Errorf("prints %s", got)
	}
}
