package evidence_test

import (
	"math"
	"math/big"
	"strconv"
	"testing"

	"dpworkbench/evidence"

	"pgregory.net/rapid"
)

// Float, Bounds, SignificantDigits, IsWide and the formatting functions give the expected values for simple numbers of
// every kind.
func TestNumbersOfEveryKind(t *testing.T) {
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
			t.Errorf("%v has value %v, want %v", c.n, got, c.float)
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

// The bounds of an exact number are adjacent float64s, and its value is the nearer one, compared in rational
// arithmetic.
func TestExactFloatIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64().Draw(t, "p"), rapid.Int64Range(1, math.MaxInt64).Draw(t, "q"))
		n := evidence.Exact{Value: q}
		lo, hi := n.Bounds()
		below, above := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
		if below.Cmp(q) > 0 || above.Cmp(q) < 0 || lo != hi && hi != math.Nextafter(lo, math.Inf(1)) || (lo == hi) != (below.Cmp(q) == 0) {
			t.Fatalf("%v in [%v, %v]", q, lo, hi)
		}
		if v := n.Float(); v != lo && v != hi {
			t.Fatalf("%v has value %v", q, v)
		}
		far := new(big.Rat).Sub(new(big.Rat).SetFloat64(n.Float()), q)
		for _, end := range []*big.Rat{below, above} {
			if d := new(big.Rat).Sub(end, q); d.Abs(d).Cmp(new(big.Rat).Abs(far)) < 0 {
				t.Fatalf("%v has value %v, farther away than a bound", q, n.Float())
			}
		}
	})
}

// Float of a certified number returns the bound on its safe side, or the midpoint without a side.
func TestValueOfCertified(t *testing.T) {
	for side, want := range map[evidence.Side]float64{evidence.Up: 3, evidence.Down: 1, evidence.Neither: 2} {
		if got := (evidence.Certified{Lo: 1, Hi: 3, Side: side}).Float(); got != want {
			t.Errorf("[1, 3] on side %v is %v, want %v", side, got, want)
		}
	}
}

// A δ lies in [0, 1), and only Positive rejects 0. The bounds of Given enclose the float64 and its shortest decimal.
func TestDeltaAndGiven(t *testing.T) {
	for v, ok := range map[float64]bool{math.NaN(): false, -1e-300: false, 0: true, 5e-324: true, 0.1: true, math.Nextafter(1, 0): true, 1: false, math.Inf(1): false} {
		d, err := evidence.NewDelta("delta", v)
		if (err == nil) != ok || ok && (d.Value() != v || d.IsZero() != (v == 0) || (d.Positive("delta") == nil) != (v > 0)) {
			t.Errorf("δ = %v: %v, %v", v, d, err)
		}
	}
	for text, ok := range map[string]bool{"-1/7": false, "0": true, "1/7": true, "1": false, "8/7": false} {
		q, _ := new(big.Rat).SetString(text)
		if d, err := evidence.RationalDelta("delta", q); (err == nil) != ok || ok && d.Rat().Cmp(q) != 0 {
			t.Errorf("δ = %v: %v, %v", q, d, err)
		}
	}
	for _, v := range []float64{0.1, 0.3, -0.1, 1e-7, 0.5, 3} {
		n := evidence.Given(v)
		lo, hi := n.Bounds()
		a, b := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
		decimal, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
		if !(lo <= v && v <= hi) || a.Cmp(decimal) > 0 || b.Cmp(decimal) < 0 || hi-lo > 1e-15*math.Abs(v) {
			t.Errorf("%v is in [%v, %v]", v, lo, hi)
		}
	}
}
