package evidence_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

func ExampleLogEpsilon() {
	e, _ := evidence.LogEpsilon("eps", big.NewRat(9, 1))
	half := e.Ratio(1, 2)
	z, ok := half.RationalDecay()
	fmt.Println(e, half, z, ok)
	// Output: ln(9) ln(3) 1/3 true
}

func TestRatioOfLogarithms(t *testing.T) {
	three := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	half := three.Ratio(1, 2)
	if _, ok := half.RationalDecay(); ok {
		t.Error("e^{-ln(3)/2} is the root of 1/3, not rational")
	}
	if got, want := half.Value(), math.Log(3)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("ln(3)/2 = %v, want %v", got, want)
	}
	z, ok := half.Ratio(4, 1).RationalDecay()
	if !ok || z.Cmp(big.NewRat(1, 9)) != 0 {
		t.Errorf("e^{-4 ln(3)/2} = %v, %v, want 1/9", z, ok)
	}
	lo, hi := half.Decay().Bounds()
	if want := 1 / math.Sqrt(3); lo > want || hi < want || hi-lo > 3e-16 {
		t.Errorf("e^{-ln(3)/2} in [%v, %v], want a narrow interval around %v", lo, hi, want)
	}
	root, _ := evidence.LogEpsilon("eps", big.NewRat(8, 27).Inv(big.NewRat(8, 27)))
	if z, ok := root.Ratio(2, 3).RationalDecay(); !ok || z.Cmp(big.NewRat(4, 9)) != 0 {
		t.Errorf("e^{-2/3 ln(27/8)} = %v, %v, want 4/9", z, ok)
	}
}

// An ε that float64 cannot represent stays exact in multiples and fractions.
func TestRationalEpsilon(t *testing.T) {
	for _, text := range []string{"1/3", "9007199254740993", "0.1", "123456789012345678901234567890/7", "1e-300"} {
		q := rat(t, text)
		e := must.For(evidence.RationalEpsilon("eps", q))(t)
		got, ok := e.Ratio(7, 9007199254740991).Times(3).Rational()
		want := new(big.Rat).Mul(q, big.NewRat(21, 9007199254740991))
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("%s·21/(2⁵³ − 1) = %v, want %v", text, got, want)
		}
		if lo, hi := e.Enclosure().Bounds(); new(big.Rat).SetFloat64(lo).Cmp(q) > 0 || new(big.Rat).SetFloat64(hi).Cmp(q) < 0 {
			t.Errorf("%s is enclosed in [%v, %v]", text, lo, hi)
		}
		if sum, ok := e.Add(e); !ok {
			t.Errorf("%s + %s is not rational", text, text)
		} else if two, ok := sum.Quotient(e); !ok || two.RatString() != "2" {
			t.Errorf("2·%s over %s = %v, want 2", text, text, two)
		}
	}
	for _, text := range []string{"0", "-1/3", "1e-400", "1e400"} {
		if _, err := evidence.RationalEpsilon("eps", rat(t, text)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("RationalEpsilon(%s) gives %v, want ErrParameter", text, err)
		}
	}
	long, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	e := long.Ratio(math.MaxInt64, 2).Ratio(math.MaxInt64, 3)
	want := new(big.Rat).Mul(big.NewRat(math.MaxInt64, 2), big.NewRat(math.MaxInt64, 3))
	if q, ok := e.Quotient(long); !ok || q.Cmp(want) != 0 {
		t.Errorf("ln(3)·(2⁶³−1)²/6 over ln(3) = %v, %v, want %v", q, ok, want)
	}
	if _, ok := long.Add(e.Ratio(1, 1)); !ok {
		t.Error("multiples of the same logarithm do not add up")
	}
	other, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	if _, ok := long.Ratio(1, 2).Add(other); ok {
		t.Error("ln(3)/2 + ln(2) is returned as a multiple of a logarithm")
	}
}

// Text prints every digit. String abbreviates long numbers and marks them with ≈.
func TestTextKeepsEveryDigit(t *testing.T) {
	long := "649582935851058380118589928635649582935851058380118589928637"
	for _, denominator := range []string{"1", "330102909346672780063504961882330102909346672780063504961881"} {
		base, _ := new(big.Rat).SetString(long + "/" + denominator)
		e := must.For(evidence.LogEpsilon("eps", base))(t)
		if got, want := e.Text(), "ln("+base.RatString()+")"; got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		if got := e.String(); len(base.RatString()) > 80 && !strings.Contains(got, "≈") {
			t.Errorf("%q is abbreviated without ≈", got)
		}
	}
}

// Logarithm returns the base and the multiple of an ε that is a multiple of a logarithm, and nil for other ε.
func TestLogarithmReturnsBaseAndMultiple(t *testing.T) {
	ln3 := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	base, times := ln3.Ratio(2, 5).Logarithm()
	if base == nil || times == nil || base.Cmp(big.NewRat(3, 1)) != 0 || times.Cmp(big.NewRat(2, 5)) != 0 {
		t.Errorf("2/5 ln 3 is %v ln %v", times, base)
	}
	half := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	for _, e := range []evidence.Epsilon{half, {}} {
		if base, times := e.Logarithm(); base != nil || times != nil {
			t.Errorf("%v is %v ln %v", e, times, base)
		}
	}
	// A power whose exponent does not fit an int64 is not computed.
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, q := range []*big.Rat{new(big.Rat).SetInt(huge), new(big.Rat).SetFrac(big.NewInt(1), huge), new(big.Rat).SetFrac(big.NewInt(-1), huge)} {
		if z, ok := ln3.RationalDecayAt(q, 1000); ok || z != nil {
			t.Errorf("3^−%v is %v", q, z)
		}
	}
}

// DecayAt returns a rational if the power of the base is rational with few enough bits. For −t it returns the inverse.
func TestDecayAtIsRationalInFewBits(t *testing.T) {
	ln9 := must.For(evidence.LogEpsilon("eps", big.NewRat(9, 1)))(t)
	for _, c := range []struct {
		t    *big.Rat
		bits int
		want *big.Rat
	}{
		{big.NewRat(3, 2), 64, big.NewRat(1, 27)},
		{big.NewRat(-3, 2), 64, big.NewRat(27, 1)},
		{new(big.Rat), 64, big.NewRat(1, 1)},
		{big.NewRat(3, 2), 4, nil},
		{big.NewRat(1, 3), 64, nil},
	} {
		got := ln9.DecayAt(c.t, c.bits)
		if (got.Rational == nil) != (c.want == nil) || c.want != nil && got.Rational.Cmp(c.want) != 0 {
			t.Errorf("9^−%v in %d bits is %v, want %v", c.t, c.bits, got.Rational, c.want)
		}
		log := got.Enclosure.Log().Add(ln9.Enclosure().Mul(interval.Rat(c.t)))
		if log.Less(interval.Int(0)) || interval.Int(0).Less(log) {
			t.Errorf("9^−%v is enclosed by %v", c.t, got.Enclosure)
		}
	}
}

// Sums, multiples, quotients and powers of ε agree with rational arithmetic.
func TestEpsilonArithmeticAgreesWithRationals(t *testing.T) {
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
	// This sum of two multiples of one logarithm is not the logarithm of a rational.
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
			t.Error("Positive is wrong")
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
	// These powers are at the size limits of RationalDecay and just beyond.
	two := eps("ln 2")
	for n, want := range map[int64]bool{1: true, 1 << 12: true, 1<<12 + 1: false} {
		if _, ok := two.Times(n).RationalDecay(); ok != want {
			t.Errorf("2^-%d is rational: %v", n, ok)
		}
	}
	long := eps("ln " + new(big.Int).Lsh(big.NewInt(3), 4000).String())
	for n, want := range map[int64]bool{1000: true, 1049: false} {
		if _, ok := long.Times(n).RationalDecay(); ok != want {
			t.Errorf("power %d of a number of 4002 bits is rational: %v", n, ok)
		}
	}
	// Perfect powers have integer roots; other numbers have none.
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

// Numbers outside the range of float64 are rejected. The largest and the smallest in the range are accepted.
func TestEpsilonOutsideFloat64IsRejected(t *testing.T) {
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
		t.Errorf("twice the largest float64 has value %v", v)
	}
	small, _ := evidence.NewEpsilon("e", math.SmallestNonzeroFloat64)
	if v := small.Ratio(1, 3).Value(); v != math.SmallestNonzeroFloat64 {
		t.Errorf("a third of the smallest float64 has value %v", v)
	}
	for text, want := range map[string]string{"1/10": "0.1", "1/3": "1/3", "3/2": "1.5", "3602879701896397/36028797018963968": "0.1"} {
		if e, _ := evidence.RationalEpsilon("e", q(text)); e.String() != want {
			t.Errorf("%s prints %s, want %s", text, e, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A logarithm times a rational far below the range of float64 has a positive value and correct digits.
func TestTinyLogarithm(t *testing.T) {
	e := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	for range 300 {
		e = e.Ratio(1, 1<<62)
	}
	if v := e.Value(); v != math.SmallestNonzeroFloat64 {
		t.Errorf("the value is %v, want the least positive float64", v)
	}
	ln2, _, _ := big.ParseFloat("0.693147180559945309417232121458176568", 10, 120, big.ToNearestEven)
	want := new(big.Float).SetMantExp(ln2, -300*62)
	for _, negative := range []bool{false, true} {
		text, _, _ := strings.Cut(evidence.LogMultiple{Epsilon: e, Negative: negative}.String(), " ")
		got, _, err := big.ParseFloat(text, 10, 120, big.ToNearestEven)
		if err != nil {
			t.Fatal(text, err)
		}
		if off, _ := new(big.Float).Quo(got, want).Float64(); got.Signbit() != negative || math.Abs(math.Abs(off)-1) > 1e-14 {
			t.Errorf("%s is printed, want %g", text, want)
		}
	}
}
