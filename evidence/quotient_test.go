package evidence_test

import (
	"dpworkbench/internal/must"
	"math/big"
	"testing"

	"dpworkbench/evidence"
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
		want string // "" for none
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
