package mechanism_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Sign returns the sign of the value that interval arithmetic gives for the same expression, and enclosures stay narrow
// after cancellation.
func TestExpSumArithmetic(t *testing.T) {
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
		"a zero term":       {mechanism.ExpTerm(new(big.Rat), big.NewRat(1, 1)), eps(t, 1), 0},
		"s − s":             {cube.Sub(cube), eps(t, 1), 0},
		"1 − 3√z at 1/9":    {term(1, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 0},
		"1 − 3√z":           {term(1, 0, 1).Sub(term(3, 1, 2)), eps(t, math.Log(9)), 1}, // the float64 of ln 9 is rounded up
		"2 − 3√z at 1/9":    {term(2, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 1},
		"√z − 2z at 1/4":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 4, 1), 0},
		"√z − 2z at 1/3":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 3, 1), -1},
		"z − √z/2 at 1/4²":  {term(2, 1, 2).Sub(term(1, 1, 4)), ln(t, 16, 1), 0},
		"1 − z^10¹² at 1/3": {term(1, 0, 1).Sub(term(1, 1e12, 1)), ln(t, 3, 1), 1}, // z^10¹² has too many digits to expand
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

// String prints z for e^{−ε}.
func TestExpSumString(t *testing.T) {
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

// Cancellation between close powers loses few digits. The reference is the series Σ (−t)ᵏ/k! in rational arithmetic,
// with coefficients up to 2⁸⁰.
func TestExpSumEnclosureIsNarrow(t *testing.T) {
	whole := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	far := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 40))
	k := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80))
	less := new(big.Rat).Sub(whole(1), new(big.Rat).Inv(k))
	minus := new(big.Rat).Neg(new(big.Rat).Add(k, whole(1)))
	for what, terms := range map[string][][2]*big.Rat{ // coefficients, and exponents in units of 2⁻⁴⁰
		"the constant cancels":         {{whole(1), whole(0)}, {k, less}, {minus, whole(1)}},
		"the first moment cancels too": {{whole(3), whole(0)}, {whole(-4), big.NewRat(1, 2)}, {new(big.Rat).Neg(k), less}, {new(big.Rat).Neg(minus), whole(1)}},
	} {
		var sum mechanism.ExpSum
		want := new(big.Rat)
		for _, v := range terms {
			exponent := new(big.Rat).Mul(v[1], far)
			sum = sum.Add(mechanism.ExpTerm(v[0], exponent))
			for n, power := int64(0), new(big.Rat).Set(v[0]); n < 14; n++ { // the remainder is below 2⁻⁵⁰⁰
				want.Add(want, power)
				power.Mul(power, exponent.Neg(exponent)).Quo(power, whole(n+1))
				exponent.Neg(exponent)
			}
		}
		off := sum.EncloseLog(eps(t, 1)).Sub(interval.Rat(want).Log())
		if bound := interval.Float(0x1p-230); interval.Int(0).Less(off.Lower()) || off.Upper().Less(interval.Int(0)) || bound.Less(off.Upper().Sub(off.Lower())) {
			t.Errorf("%s: the logarithm is off by %v", what, off)
		}
	}
}

// Sign returns ErrUndecided for a sum that cancels to 2^−400.
func TestExpSumSignUndecided(t *testing.T) {
	near, term := big.NewRat(1, 1), big.NewRat(1, 1) // e^{−1}
	for k := int64(1); k < 90; k++ {
		near.Add(near, term.Mul(term, big.NewRat(-1, k)))
	}
	s := mechanism.ExpTerm(big.NewRat(1, 1), big.NewRat(1, 1)).Sub(mechanism.ExpTerm(near, new(big.Rat)))
	sign, err := s.Sign(eps(t, 1))
	if !errors.Is(err, mechanism.ErrUndecided) || sign != 0 {
		t.Fatalf("e^−1 minus its 450-bit approximation: %d, %v", sign, err)
	}
	var terms int
	var lo, hi float64
	if _, failed := fmt.Sscanf(err.Error(), "undecided: the sign of a sum of %d exponentials; divided by its largest power, the sum lies in [%g, %g]", &terms, &lo, &hi); failed != nil || terms != 2 || !(lo < 0 && hi > 0 && hi-lo < 1e-70) {
		t.Errorf("e^−1 minus its 450-bit approximation: %v", err)
	}
	if lo, hi := s.EncloseLog(eps(t, 1)).Bounds(); !math.IsInf(lo, -1) || !(hi > -318.2 && hi < -160) { // the difference is about 1/90!
		t.Errorf("the logarithm of e^−1 minus its 450-bit approximation lies in [%v, %v]", lo, hi)
	}
	if sign, err := s.Sign(eps(t, 1.0000001)); err != nil || sign != -1 {
		t.Errorf("at a larger ε: %d, %v", sign, err)
	}
}

// This sum is −ε with an error of about ε⁹/9, so its enclosure must have positive width.
func TestMomentsBoundRemainder(t *testing.T) {
	s, harmonic := mechanism.ExpSum{}, new(big.Rat)
	for i := int64(1); i <= 8; i++ {
		c := new(big.Rat).SetFrac(new(big.Int).Binomial(8, i), big.NewInt(i))
		if harmonic.Add(harmonic, big.NewRat(1, i)); i%2 == 0 {
			c.Neg(c)
		}
		s = s.Add(mechanism.ExpTerm(c, big.NewRat(i, 1)))
	}
	s = s.Add(mechanism.ExpTerm(harmonic.Neg(harmonic), new(big.Rat)))
	for _, e := range []float64{0x1p-180, 0x1p-200, 0x1p-400} {
		got := s.Enclose(eps(t, e))
		lo, hi := got.Sub(interval.Float(-e)).Bounds()
		if !(lo <= 0 && hi > 0 && hi < e*0x1p-240) {
			t.Errorf("ε = %g: %v exceeds −ε by [%g, %g], want a tiny interval of positive width", e, got, lo, hi)
		}
	}
}

// A single nonzero term is never 0, the empty sum is 0, and two terms are 0 only if they cancel.
func TestExpSumSignOfFewTerms(t *testing.T) {
	rat := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	for _, e := range []evidence.Epsilon{eps(t, 1), ln(t, 4, 1), ln(t, 3, 2).Ratio(1, 3)} {
		for _, power := range []*big.Rat{rat(0, 1), rat(1, 2), rat(3, 1), rat(100, 7)} {
			one := mechanism.ExpTerm(rat(2, 3), power)
			for sign, s := range map[int]mechanism.ExpSum{1: one, -1: one.Neg(), 0: one.Sub(one)} {
				if got, err := s.Sign(e); err != nil || got != sign {
					t.Errorf("a term of e^(−%v·%v): sign %d, %v, want %d", power, e, got, err, sign)
				}
			}
		}
	}
	half := ln(t, 4, 1) // e^{−ε/2} = ½ = 2e^{−ε}
	for c, sign := range map[int64]int{1: -1, 2: 0, 3: 1} {
		s := mechanism.ExpTerm(rat(c, 1), rat(1, 1)).Sub(mechanism.ExpTerm(rat(1, 1), rat(1, 2)))
		if got, err := s.Sign(half); err != nil || got != sign {
			t.Errorf("%d/4 − ½: sign %d, %v, want %d", c, got, err, sign)
		}
	}
}
