package mechanism_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Sums of exponentials are what they are by their terms: signs, zeros that no
// enclosure tells, and enclosures narrow relative to what cancellation leaves.
func TestExpSums(t *testing.T) {
	term := func(c, t, of int64) mechanism.ExpSum { return mechanism.ExpTerm(big.NewRat(c, 1), big.NewRat(t, of)) }
	gap := term(1, 0, 1).Sub(term(1, 1, 1)) // 1 − e^{−ε}
	cube := gap.Mul(gap).Mul(gap)
	for _, v := range []float64{1e-300, 1e-200, 1e-30, 1e-12, 1e-3, 0.4, 1, 2.5, 40, 300} {
		e := eps(t, v)
		want := e.Enclosure().Neg().Expm1().Neg()
		for what, c := range map[string]struct {
			sum  mechanism.ExpSum
			want interval.Interval
		}{
			"1 − z":         {gap, want},
			"(1 − z)³":      {cube, want.Pow(3)},
			"−z²(1 − z)³":   {cube.Shift(big.NewRat(2, 1)).Neg(), want.Pow(3).Mul(e.Enclosure().Mul(interval.Int(-2)).Exp()).Neg()},
			"3 − 3√z + z⁴⁰": {term(3, 0, 1).Add(term(-3, 1, 2)).Add(term(1, 40, 1)), e.Enclosure().Quo(interval.Int(-2)).Expm1().Mul(interval.Int(-3)).Add(e.Enclosure().Mul(interval.Int(-40)).Exp())},
		} {
			got := c.sum.Enclose(e)
			width := got.Upper().Sub(got.Lower())
			size := interval.Max(c.want, c.want.Neg()).Mul(interval.Float(0x1p-60))
			if off := got.Sub(c.want); off.Upper().Less(interval.Int(0)) || interval.Int(0).Less(off.Lower()) || size.Less(width) {
				t.Errorf("ε = %g: %s = %v, want %v", v, what, got, c.want)
			}
			sign, _ := c.want.Sign()
			if s, err := c.sum.Sign(e); err != nil || s != sign {
				t.Errorf("ε = %g: the sign of %s is %d, %v, want %d", v, what, s, err, sign)
			}
			if sign > 0 {
				if log := c.sum.EncloseLog(e).Sub(c.want.Log()); log.Upper().Less(interval.Int(0)) || interval.Int(0).Less(log.Lower()) || interval.Float(1e-15).Less(log.Upper().Sub(log.Lower())) {
					t.Errorf("ε = %g: ln %s is off by %v", v, what, log)
				}
			}
		}
	}
	for what, c := range map[string]struct {
		sum  mechanism.ExpSum
		e    evidence.Epsilon
		want int
	}{
		"nothing":           {mechanism.ExpSum{}, eps(t, 1), 0},
		"a term of 0":       {mechanism.ExpTerm(new(big.Rat), big.NewRat(1, 1)), eps(t, 1), 0},
		"s − s":             {cube.Sub(cube), eps(t, 1), 0},
		"1 − 3√z at 1/9":    {term(1, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 0},
		"1 − 3√z":           {term(1, 0, 1).Sub(term(3, 1, 2)), eps(t, math.Log(9)), 1}, // which is rounded up
		"2 − 3√z at 1/9":    {term(2, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 1},
		"√z − 2z at 1/4":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 4, 1), 0},
		"√z − 2z at 1/3":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 3, 1), -1},
		"z − √z/2 at 1/4²":  {term(2, 1, 2).Sub(term(1, 1, 4)), ln(t, 16, 1), 0},
		"1 − z^10¹² at 1/3": {term(1, 0, 1).Sub(term(1, 1e12, 1)), ln(t, 3, 1), 1}, // of too many digits to be written
		"1 − 2∛z at 8":      {term(1, 0, 1).Sub(term(2, 1, 3)), ln(t, 8, 1), 0},
		"1 − 2∛z at 8 ± 10": {term(1, 0, 1).Sub(mechanism.ExpTerm(big.NewRat(2_000_000_001, 1_000_000_000), big.NewRat(1, 3))), ln(t, 8, 1), -1},
	} {
		if got, err := c.sum.Sign(c.e); err != nil || got != c.want {
			t.Errorf("the sign of %s is %d, %v, want %d", what, got, err, c.want)
		}
		if lo, hi := c.sum.Enclose(c.e).Bounds(); lo > 0 && c.want <= 0 || hi < 0 && c.want >= 0 {
			t.Errorf("%s in [%v, %v], of sign %d", what, lo, hi, c.want)
		}
	}
	if lo, hi := (mechanism.ExpSum{}).EncloseLog(eps(t, 1)).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("ln 0 in [%v, %v]", lo, hi)
	}
}

// A sum is printed with z for e^{−ε}, and reads as what it is.
func TestExpSumsInWords(t *testing.T) {
	type term struct{ cn, cd, tn, td int64 }
	for want, terms := range map[string][]term{
		"0":                   {},
		"1":                   {{1, 1, 0, 1}},
		"-1":                  {{-1, 1, 0, 1}},
		"z":                   {{1, 1, 1, 1}},
		"2·z":                 {{2, 1, 1, 1}},
		"-1·z":                {{-1, 1, 1, 1}},
		"z^1/2":               {{1, 1, 1, 2}},
		"z^-1":                {{1, 1, -1, 1}},
		"1/3·z^5":             {{1, 3, 5, 1}},
		"1/7 + 4/3·z":         {{1, 7, 0, 1}, {4, 3, 1, 1}},
		"z^-1/2 + 1":          {{1, 1, -1, 2}, {1, 1, 0, 1}},
		"1 − z":               {{1, 1, 0, 1}, {-1, 1, 1, 1}},
		"1 + z + z^2":         {{1, 1, 0, 1}, {1, 1, 1, 1}, {1, 1, 2, 1}},
		"-1/2 − 3·z^1/2 − z":  {{-1, 2, 0, 1}, {-3, 1, 1, 2}, {-1, 1, 1, 1}},
		"5·z + z^7/2 − 2·z^4": {{5, 1, 1, 1}, {1, 1, 7, 2}, {-2, 1, 4, 1}},
	} {
		var sum mechanism.ExpSum
		for _, v := range terms {
			sum = mechanism.ExpTerm(big.NewRat(v.cn, v.cd), big.NewRat(v.tn, v.td)).Add(sum)
		}
		if got := sum.String(); got != want {
			t.Errorf("%v is printed as %q, want %q", terms, got, want)
		}
	}
}

// What cancels between powers next to each other leaves nearly all digits of the rest: held to
// the series Σ (−t)ᵏ/k! in rational numbers, where coefficients are 2⁸⁰.
func TestExpSumsKeepTheirDigits(t *testing.T) {
	whole := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	far := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 40))
	k := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80))
	less := new(big.Rat).Sub(whole(1), new(big.Rat).Inv(k))
	minus := new(big.Rat).Neg(new(big.Rat).Add(k, whole(1)))
	for what, terms := range map[string][][2]*big.Rat{ // coefficients, and exponents in units of 2⁻⁴⁰
		"the constant cancels":           {{whole(1), whole(0)}, {k, less}, {minus, whole(1)}},
		"the first moment, too, cancels": {{whole(3), whole(0)}, {whole(-4), big.NewRat(1, 2)}, {new(big.Rat).Neg(k), less}, {new(big.Rat).Neg(minus), whole(1)}},
	} {
		var sum mechanism.ExpSum
		want := new(big.Rat)
		for _, v := range terms {
			exponent := new(big.Rat).Mul(v[1], far)
			sum = sum.Add(mechanism.ExpTerm(v[0], exponent))
			for n, power := int64(0), new(big.Rat).Set(v[0]); n < 14; n++ { // what is left is below 2⁻⁵⁰⁰
				want.Add(want, power)
				power.Mul(power, exponent.Neg(exponent)).Quo(power, whole(n+1))
				exponent.Neg(exponent)
			}
		}
		off := sum.EncloseLog(eps(t, 1)).Sub(interval.Rat(want).Log())
		if bound := interval.Float(0x1p-230); interval.Int(0).Less(off.Lower()) || off.Upper().Less(interval.Int(0)) || bound.Less(off.Upper().Sub(off.Lower())) {
			t.Errorf("%s: its logarithm is off by %v", what, off)
		}
	}
}
