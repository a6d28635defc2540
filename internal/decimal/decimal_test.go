package decimal_test

import (
	"math/big"
	"strings"
	"testing"

	"dpworkbench/internal/decimal"
)

func TestRational(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "7": "7", "+7": "7", "007": "7", "7/2": "7/2", "-14/4": "-7/2", "010/3": "10/3", "1/010": "1/10",
		"0.1": "1/10", ".5": "1/2", "5.": "5", "-.25": "-1/4", "1e-3": "1/1000", "2.5E+2": "250", "1.50e1": "15", "9007199254740993": "9007199254740993",
		"1.5e1": "15", "12.5e0": "25/2", "-.5e1": "-5", "+.5": "1/2", "1/-2": "-1/2", "-1/-2": "1/2", "+1/+2": "1/2", "0e10000": "0", "-0.0": "0",
	} {
		q, ok := decimal.Rational(text)
		if !ok || q.RatString() != want {
			t.Errorf("%q parses as %v, %v, want %s", text, q, ok, want)
		}
	}
	for _, text := range []string{"", ".", "-", "+", "e5", "1e", "1e99999", "1e-99999", "1/0", "/2", "1/", "1/2/3", "3.5/2", "1e3/2", "0x10", "1_000", " 1", "1 ", "--1", "+-1", "1.-5", ".-5", ".+5", "-.-5", ".-", "+.", "--1/2", "1/-", "1/+-2", "1_000/3", "1.0_1", "١", "1e5e5", "1e+-5", "1e10001", "1e-10001", "1.2.3", "inf", "nan", "ln(3)", "½", strings.Repeat("1", 1<<16+1)} {
		if q, ok := decimal.Rational(text); ok {
			t.Errorf("%q parses as %v, want an error", text, q)
		}
	}
	for _, at := range []int{1<<16 - 1, 1 << 16} {
		if q, ok := decimal.Rational(strings.Repeat("0", at-1) + "7"); !ok || q.RatString() != "7" {
			t.Errorf("%d characters: %v, %v", at, q, ok)
		}
	}
	for exponent, want := range map[string]int{"1e10000": 1, "1e-10000": -1} {
		if q, ok := decimal.Rational(exponent); !ok || q.Cmp(big.NewRat(1, 1)) != want {
			t.Errorf("%s is rejected or wrong", exponent)
		}
	}
	if q, ok := decimal.Rational("1e400"); !ok || q.Cmp(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))) != 0 {
		t.Error("1e400 is rejected or wrong")
	}
}
