package evidence_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
)

func ExampleLogEpsilon() {
	e, _ := evidence.LogEpsilon("eps", big.NewRat(9, 1))
	half := e.Ratio(1, 2)
	z, ok := half.RationalDecay()
	fmt.Println(e, half, z, ok)
	// Output: ln(9) ln(3) 1/3 true
}

func TestEpsilonRatios(t *testing.T) {
	three, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("e^{-ln(3)/2} in [%v, %v], want a sliver around %v", lo, hi, want)
	}
	root, _ := evidence.LogEpsilon("eps", big.NewRat(8, 27).Inv(big.NewRat(8, 27)))
	if z, ok := root.Ratio(2, 3).RationalDecay(); !ok || z.Cmp(big.NewRat(4, 9)) != 0 {
		t.Errorf("e^{-2/3 ln(27/8)} = %v, %v, want 4/9", z, ok)
	}
}

// A part of a logarithm is looked for among the roots that its base may have, not among all numbers below a denominator.
func TestPartsOfHugeDenominators(t *testing.T) {
	base := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(3), big.NewInt(35), nil))
	e, err := evidence.LogEpsilon("eps", base)
	if err != nil {
		t.Fatal(err)
	}
	const prime = 1<<61 - 1
	if got, want := e.Ratio(1, prime).Text(), "ln("+base.Num().String()+")·1/2305843009213693951"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := e.Ratio(2, 35*27).Text(), "ln(3)·2/27"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEpsilonRange(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := evidence.NewEpsilon("decay", v); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("NewEpsilon(%v) gives %v, want ErrParameter", v, err)
		}
	}
	for _, q := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(-3, 1)} {
		if _, err := evidence.LogEpsilon("decay", q); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("LogEpsilon(%v) gives %v, want ErrParameter", q, err)
		}
	}
}

// An ε that no float64 holds stays what it is, through multiples and parts.
func TestRationalEpsilon(t *testing.T) {
	for _, text := range []string{"1/3", "9007199254740993", "0.1", "123456789012345678901234567890/7", "1e-300"} {
		q := rat(t, text)
		e, err := evidence.RationalEpsilon("eps", q)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := e.Ratio(7, 9007199254740991).Times(3).Rational()
		want := new(big.Rat).Mul(q, big.NewRat(21, 9007199254740991))
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("%s·21/(2⁵³ − 1) = %v, want %v", text, got, want)
		}
		if lo, hi := e.Enclosure().Bounds(); new(big.Rat).SetFloat64(lo).Cmp(q) > 0 || new(big.Rat).SetFloat64(hi).Cmp(q) < 0 {
			t.Errorf("%s is enclosed in [%v, %v]", text, lo, hi)
		}
		if sum, ok := e.Add(e); !ok {
			t.Errorf("%s + %s is no number", text, text)
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
		t.Error("multiples of one logarithm add up")
	}
	other, _ := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	if _, ok := long.Ratio(1, 2).Add(other); ok {
		t.Error("ln(3)/2 + ln(2) is no multiple of a rational's logarithm that is told")
	}
}

func TestNumbers(t *testing.T) {
	exact := evidence.Exact{Value: big.NewRat(1, 3)}
	if lo, hi := exact.Bounds(); !(lo < hi) || hi != math.Nextafter(lo, 1) {
		t.Errorf("bounds of 1/3 are %v, %v, want the two floats around it", lo, hi)
	}
	logarithm := evidence.ExactLog{Argument: big.NewRat(7, 2)}
	if math.Abs(logarithm.Float()-math.Log(3.5)) > 3e-16 {
		t.Errorf("ln(7/2) = %v", logarithm.Float())
	}
	loss := evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up}
	if loss.Float() != 2 {
		t.Errorf("a privacy loss in [1, 2] reads %v, want 2", loss.Float())
	}
	if mid := (evidence.Certified{Lo: 1, Hi: 2}).Float(); mid != 1.5 {
		t.Errorf("a value in [1, 2] reads %v, want 1.5", mid)
	}
}

// Text has every digit where String has a few and says so.
func TestTextIsWhole(t *testing.T) {
	long := "649582935851058380118589928635649582935851058380118589928637"
	for _, denominator := range []string{"1", "330102909346672780063504961882330102909346672780063504961881"} {
		base, _ := new(big.Rat).SetString(long + "/" + denominator)
		e, err := evidence.LogEpsilon("eps", base)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := e.Text(), "ln("+base.RatString()+")"; got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		if got := e.String(); len(base.RatString()) > 80 && !strings.Contains(got, "≈") {
			t.Errorf("%q is not the number, and does not say so", got)
		}
	}
}

// An ε that is a multiple of a logarithm tells of which, and another tells of none.
func TestLogarithm(t *testing.T) {
	ln3, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	base, times := ln3.Ratio(2, 5).Logarithm()
	if base == nil || times == nil || base.Cmp(big.NewRat(3, 1)) != 0 || times.Cmp(big.NewRat(2, 5)) != 0 {
		t.Errorf("2/5 ln 3 is %v ln %v", times, base)
	}
	half, err := evidence.NewEpsilon("eps", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []evidence.Epsilon{half, {}} {
		if base, times := e.Logarithm(); base != nil || times != nil {
			t.Errorf("%v is %v ln %v", e, times, base)
		}
	}
	// A power of it whose exponent is no int64, above or below the line, is not written down.
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, q := range []*big.Rat{new(big.Rat).SetInt(huge), new(big.Rat).SetFrac(big.NewInt(1), huge), new(big.Rat).SetFrac(big.NewInt(-1), huge)} {
		if z, ok := ln3.RationalDecayAt(q, 1000); ok || z != nil {
			t.Errorf("3^−%v is %v", q, z)
		}
	}
}
