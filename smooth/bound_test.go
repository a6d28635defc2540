package smooth_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// A bound is the maximum of e^{−βt} LS_t over its steps. It is rational if the first step attains the maximum.
func TestBoundIsLargestStep(t *testing.T) {
	c := must.For(smooth.Calibrate(must.Be(smooth.Cauchy(big.NewRat(4, 1))), must.Be(evidence.NewEpsilon("eps", 1)), evidence.Delta{}, nil))(t) // β = 1/10
	for _, k := range []struct {
		steps []smooth.RationalStep
		at    int
		value *big.Rat
	}{
		{[]smooth.RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(33, 10)}, {9, big.NewRat(7, 1)}}, 0, big.NewRat(3, 1)},
		{[]smooth.RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(34, 10)}, {9, big.NewRat(7, 1)}}, 1, big.NewRat(34, 10)},
		{[]smooth.RationalStep{{0, big.NewRat(3, 1)}, {1, big.NewRat(33, 10)}, {9, big.NewRat(9, 1)}}, 9, big.NewRat(9, 1)},
		{[]smooth.RationalStep{{0, big.NewRat(0, 1)}, {50, big.NewRat(1, 3)}}, 50, big.NewRat(1, 3)},
		{[]smooth.RationalStep{{0, big.NewRat(0, 1)}}, 0, nil},
	} {
		b := must.For(smooth.NewBound(k.steps, c))(t)
		if k.value == nil {
			if !b.IsZero() || b.At() != 0 || b.Amount().Rational.Sign() != 0 {
				t.Errorf("%v: %+v", k.steps, b)
			}
			continue
		}
		want := interval.Rat(big.NewRat(int64(-k.at), 10)).Exp().Mul(interval.Rat(k.value))
		d := b.Amount().Enclosure.Sub(want)
		if b.At() != k.at || b.IsZero() || (b.Amount().Rational != nil) != (k.at == 0) || interval.Float(0x1p-200).Less(d) || d.Less(interval.Float(-0x1p-200)) {
			t.Errorf("%v: %v at %d", k.steps, b.Amount().Enclosure.Mid(), b.At())
		}
		var steps []query.SensitivityStep
		for _, r := range k.steps {
			v, _ := new(big.Rat).Mul(r.Value, big.NewRat(30, 1)).Float64()
			steps = append(steps, query.SensitivityStep{From: r.From, Value: v})
		}
		other, same := must.For(smooth.NewBoundSteps(steps, big.NewRat(1, 30), c))(t), b.Amount()
		if a := other.Amount(); other.At() != b.At() || a.Enclosure.CmpLo(same.Enclosure) != 0 || a.Enclosure.CmpHi(same.Enclosure) != 0 || (a.Rational != nil) != (same.Rational != nil) {
			t.Errorf("%v: the same in units of 1/30 is %v at %d", k.steps, a.Enclosure.Mid(), other.At())
		}
	}
	if b := smooth.Constant(big.NewRat(2, 3)); b.IsZero() || b.At() != 0 || b.Amount().Rational.Cmp(big.NewRat(2, 3)) != 0 {
		t.Errorf("Constant(2/3) = %+v", b)
	}
}
