package smooth

import (
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// A bound is the maximum of e^{−βt} LS_t over its steps. It is rational if the first step attains the maximum.
func TestBoundIsLargestStep(t *testing.T) {
	c := must.For(Calibrate(must.Be(Cauchy(big.NewRat(4, 1))), must.Be(evidence.NewEpsilon("eps", 1)), evidence.Delta{}, nil))(t) // β = 1/10
	for _, k := range []struct {
		steps []RationalStep
		at    int
		value *big.Rat
	}{
		{[]RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(33, 10)}, {9, big.NewRat(7, 1)}}, 0, big.NewRat(3, 1)},
		{[]RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(34, 10)}, {9, big.NewRat(7, 1)}}, 1, big.NewRat(34, 10)},
		{[]RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(33, 10)}, {9, big.NewRat(9, 1)}}, 9, big.NewRat(9, 1)},
		{[]RationalStep{{0, big.NewRat(0, 1)}, {50, big.NewRat(1, 3)}}, 50, big.NewRat(1, 3)},
		{[]RationalStep{{0, big.NewRat(0, 1)}}, 0, nil},
	} {
		b := must.For(NewBound(k.steps, c))(t)
		if k.value == nil {
			if !b.IsZero() || b.At() != 0 || b.Amount().Rational.Sign() != 0 || b.key() != "" {
				t.Errorf("%v: %+v", k.steps, b)
			}
			continue
		}
		want := interval.Rat(big.NewRat(int64(-k.at), 10)).Exp().Mul(interval.Rat(k.value))
		d := b.Amount().Enclosure.Sub(want)
		if b.At() != k.at || b.IsZero() || (b.Amount().Rational != nil) != (k.at == 0) || interval.Float(0x1p-200).Less(d) || d.Less(interval.Float(-0x1p-200)) || b.key() != fmt.Sprintf("%s@%d", k.value.RatString(), k.at) {
			t.Errorf("%v: %v at %d, %s", k.steps, b.Amount().Enclosure.Mid(), b.At(), b.key())
		}
		var steps []query.SensitivityStep
		for _, r := range k.steps {
			v, _ := new(big.Rat).Mul(r.Value, big.NewRat(30, 1)).Float64()
			steps = append(steps, query.SensitivityStep{From: r.From, Value: v})
		}
		if other := must.For(NewBoundSteps(steps, big.NewRat(1, 30), c))(t); other.key() != b.key() {
			t.Errorf("%v: the same in units of 1/30 gives %s", k.steps, other.key())
		}
	}
	if b := Constant(big.NewRat(2, 3)); b.IsZero() || b.At() != 0 || b.Amount().Rational.Cmp(big.NewRat(2, 3)) != 0 {
		t.Errorf("Constant(2/3) = %+v", b)
	}
}
