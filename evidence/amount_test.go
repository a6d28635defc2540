package evidence_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Amounts stay rational as long as all that goes into them is, and an enclosure
// goes with them either way.
func TestAmount(t *testing.T) {
	third, two := evidence.ExactRat(big.NewRat(1, 3)), evidence.ExactRat(big.NewRat(2, 1))
	root := evidence.RatOrInterval{Enclosure: interval.Int(2).Sqrt()}
	for name, c := range map[string]struct {
		got  evidence.RatOrInterval
		want *big.Rat // nil where it is not rational
		near string   // to forty digits then
	}{
		"1/3 + 2":  {third.Add(two), big.NewRat(7, 3), ""},
		"1/3 − 2":  {third.Sub(two), big.NewRat(-5, 3), ""},
		"1/3 · 2":  {third.Mul(two), big.NewRat(2, 3), ""},
		"1/3 / 2":  {third.Quo(two), big.NewRat(1, 6), ""},
		"√2 + 2":   {root.Add(two), nil, "3.41421356237309504880168872420969807856967"},
		"√2 + √2":  {root.Add(root), nil, "2.82842712474619009760337744841939615713934"},
		"√2 − 2":   {root.Sub(two), nil, "-0.585786437626904951198311275790301921430328"},
		"1/3 − √2": {third.Sub(root), nil, "-1.08088022903976171546835539087636474523634"},
		"√2 − √2":  {root.Sub(root), new(big.Rat), ""},
		"√2·√2":    {root.Mul(root), nil, "2"},
		"2·√2":     {two.Mul(root), nil, "2.82842712474619009760337744841939615713934"},
		"√2 / 2":   {root.Quo(two), nil, "0.707106781186547524400844362104849039284836"},
		"2/√2":     {two.Quo(root), nil, "1.41421356237309504880168872420969807856967"},
	} {
		if c.want == nil {
			near, _ := new(big.Rat).SetString(c.near)
			off := c.got.Enclosure.Sub(interval.Rat(near))
			if lo, hi := off.Bounds(); !(lo > -1e-40 && hi < 1e-40) {
				t.Errorf("%s is enclosed by %v, want %s", name, c.got.Enclosure, c.near)
			}
		}
		if (c.got.Rational == nil) != (c.want == nil) || c.want != nil && c.got.Rational.Cmp(c.want) != 0 {
			t.Errorf("%s = %v, want %v", name, c.got.Rational, c.want)
		}
		if c.want != nil {
			if away := c.got.Enclosure.Sub(interval.Rat(c.want)); away.Less(interval.Int(0)) || interval.Int(0).Less(away) {
				t.Errorf("%s is enclosed by %v", name, c.got.Enclosure)
			}
		}
		kind := evidence.KindCertified
		if c.want != nil {
			kind = evidence.KindExact
		}
		if n := c.got.Number("closed form", "test"); n.Kind() != kind {
			t.Errorf("%s is %v, want %s", name, n, kind)
		}
	}
}

// e^{−tε} is rational where the power of the base is, in few enough bits, and
// e^{tε} is its inverse.
func TestDecayAt(t *testing.T) {
	ln9, err := evidence.LogEpsilon("eps", big.NewRat(9, 1))
	if err != nil {
		t.Fatal(err)
	}
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

// A number stands for its rational value as narrowly as intervals can hold it, and
// else for all that lies between its bounds.
func TestEnclosure(t *testing.T) {
	third := evidence.Exact{Value: big.NewRat(1, 3)}
	if got, want := evidence.Enclosure(third), interval.Rat(third.Value); got.CmpLo(want) != 0 || got.CmpHi(want) != 0 {
		t.Errorf("1/3 stands for %v, want %v", got, want)
	}
	for _, n := range []evidence.Number{
		evidence.Certified{Lo: 1, Hi: 2}, evidence.ExactLog{Argument: big.NewRat(3, 1)}, evidence.Claimed{Value: 1.5},
	} {
		lo, hi := n.Bounds()
		if l, h := evidence.Enclosure(n).Bounds(); l != lo || h != hi {
			t.Errorf("%v stands for [%v, %v], want [%v, %v]", n, l, h, lo, hi)
		}
	}
}
