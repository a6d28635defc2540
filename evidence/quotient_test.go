package evidence_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

func TestQuotientIsRationalOnlyWithACommonBase(t *testing.T) {
	log := func(a, b int64) evidence.Epsilon {
		e := must.For(evidence.LogEpsilon("eps", big.NewRat(a, b)))(t)
		return e
	}
	float := func(v float64) evidence.Epsilon {
		e := must.For(evidence.NewEpsilon("eps", v))(t)
		return e
	}
	for _, c := range []struct {
		e, f evidence.Epsilon
		want string // "" if not rational
	}{
		{float(0.1).Ratio(1, 6), float(0.1), "1/6"},
		{float(3), float(0.5), "6"},
		{log(9, 1), log(3, 1), "2"},
		{log(27, 8), log(9, 4).Ratio(1, 5), "15/2"},
		{log(2, 1), log(3, 1), ""},
		{log(3, 1), float(1), ""},
	} {
		got, ok := c.e.Quotient(c.f)
		if ok != (c.want != "") || ok && got.RatString() != c.want {
			t.Errorf("%v over %v = %v, %v, want %q", c.e, c.f, got, ok, c.want)
		}
	}
	if c, s, ok := log(729, 64).Ratio(5, 7).Root(); !ok || c.RatString() != "3/2" || s.RatString() != "30/7" {
		t.Errorf("(729/64)^{5/7} = (%v)^(%v), want (3/2)^(30/7)", c, s)
	}
}

// Equal distinguishes numbers with the same float64, and identifies equal numbers in different forms.
func TestEqualEpsilons(t *testing.T) {
	log := func(num, den int64) evidence.Epsilon {
		return must.For(evidence.LogEpsilon("eps", big.NewRat(num, den)))(t)
	}
	near := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 100))
	beside := must.For(evidence.LogEpsilon("eps", near.Add(near, big.NewRat(3, 1))))(t)
	value := must.For(evidence.NewEpsilon("eps", log(3, 1).Value()))(t)
	for i, c := range []struct {
		e, f evidence.Epsilon
		want bool
	}{
		{log(9, 1).Ratio(1, 2), log(3, 1), true}, {log(3, 1).Ratio(2, 1), log(9, 1), true}, {log(3, 1), log(3, 1), true}, {log(3, 1), beside, false},
		{log(3, 1), value, false}, {value, value, true}, {evidence.Epsilon{}, evidence.Epsilon{}, true}, {evidence.Epsilon{}, value, false}, {log(3, 1), log(4, 1), false},
	} {
		if c.e.Equal(c.f) != c.want || c.f.Equal(c.e) != c.want {
			t.Errorf("%d: %v equals %v: %v", i, c.e, c.f, !c.want)
		}
	}
	if n, err := evidence.Quo(log(3, 1).Number(), evidence.FromRat(big.NewRat(2, 1))); err != nil || n.Kind() != evidence.KindExact {
		t.Errorf("half of ln 3: %v, %v", n, err)
	}
}
