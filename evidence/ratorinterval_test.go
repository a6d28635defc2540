package evidence_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Results are rational if their operands are, and always have an enclosure.
func TestArithmeticIsRationalOnRationals(t *testing.T) {
	third, two := evidence.ExactRat(big.NewRat(1, 3)), evidence.ExactRat(big.NewRat(2, 1))
	root := evidence.RatOrInterval{Enclosure: interval.Int(2).Sqrt()}
	for name, c := range map[string]struct {
		got  evidence.RatOrInterval
		want *big.Rat // nil if not rational
		near string   // forty digits of an irrational result
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
