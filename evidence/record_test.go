package evidence_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// numbers returns numbers of every type and side, with values for everything else that a record stores.
func numbers() []evidence.Number {
	half, e := evidence.FromRat(big.NewRat(1, 2)), must.Be(evidence.LogEpsilon("eps", big.NewRat(5, 2)))
	from := evidence.Provenance{Source: "a source", Method: "a method", Caveat: "a caveat", Call: "f(1)"}
	out := []evidence.Number{
		evidence.Claimed{Value: 0.1, Provenance: from}, evidence.Claimed{Value: 0.1, Epsilon: must.Be(evidence.RationalEpsilon("eps", big.NewRat(1, 10)))},
		evidence.Claimed{Value: e.Value(), Epsilon: e}, evidence.Claimed{Value: math.Inf(1)},
		half, e.Number(), e.Ratio(1, 3).Number(), must.Be(evidence.RationalEpsilon("eps", big.NewRat(1, 10))).Number(),
		must.Be(evidence.Neg(half)), must.Be(evidence.Neg(e.Number())), must.Be(evidence.Mul(e.Ratio(2, 3).Number(), evidence.FromRat(big.NewRat(-1, 7)))),
		evidence.ExactLog{Argument: big.NewRat(1, 3), Side: evidence.Down, Cases: 5, Provenance: from}, evidence.ExactLog{Argument: big.NewRat(1, 1)},
		evidence.Exact{Value: new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 2000)), Side: evidence.Up, Cases: 7, Provenance: from},
		evidence.Estimated{Value: 0.5, Lo: 0.25, Hi: math.Inf(1), Confidence: 0.99, Side: evidence.Down, Draws: 1000, Provenance: from},
	}
	for _, side := range []evidence.Side{evidence.Up, evidence.Down, evidence.Neither} {
		out = append(out, evidence.Certified{Lo: 5e-324, Hi: 0.1, Side: side, Provenance: from}, evidence.Certified{Lo: 1, Hi: math.Inf(1), Side: side})
	}
	return out
}

func TestRecordKeepsTheNumber(t *testing.T) {
	one := evidence.FromInt(big.NewInt(1))
	for _, n := range numbers() {
		r := evidence.RecordOf(n)
		got := must.Be(r.Number())
		lo, hi := n.Bounds()
		l, h := got.Bounds()
		if got.String() != n.String() || got.Float() != n.Float() || l != lo || h != hi || got.Kind() != n.Kind() || evidence.SideOf(got) != evidence.SideOf(n) ||
			evidence.Rational(got) != evidence.Rational(n) || got.Citation() != n.Citation() {
			t.Errorf("%v became %v", n, got)
		}
		if again := evidence.RecordOf(got); again.Cases != r.Cases || again.Draws != r.Draws || again.Confidence != r.Confidence {
			t.Errorf("the record of %v became %+v", n, again)
		}
		if a, b := must.Be(evidence.Add(n, one)), must.Be(evidence.Add(got, one)); a.String() != b.String() {
			t.Errorf("%v + 1 became %v", a, b)
		}
	}
}

func TestRecordRejects(t *testing.T) {
	for _, r := range []evidence.Record{
		{}, {Kind: "proven"}, {Kind: evidence.KindExact}, {Kind: evidence.KindCertified, Lo: 2, Hi: 1}, {Kind: evidence.KindCertified, Lo: math.NaN()},
		{Kind: evidence.KindCertified, Side: 2}, {Kind: evidence.KindExact, Scale: big.NewRat(1, 1), Base: new(big.Rat)}, {Kind: evidence.KindExact, Base: big.NewRat(2, 1)},
		{Kind: evidence.KindClaimed, Scale: big.NewRat(-1, 1)}, {Kind: evidence.KindClaimed, Value: math.NaN()}, {Kind: evidence.KindEstimated, Hi: 1, Value: 2, Confidence: 0.5},
		{Kind: evidence.KindEstimated, Hi: 1, Confidence: 2},
		{Kind: evidence.KindExact, Scale: new(big.Rat), Base: big.NewRat(2, 1)},
		{Kind: evidence.KindExact, Scale: big.NewRat(2, 1), Base: big.NewRat(1, 3)},
		{Kind: evidence.KindExact, Scale: big.NewRat(2, 1), Base: big.NewRat(1, 1)},
		{Kind: evidence.KindClaimed, Scale: big.NewRat(1, 1), Base: big.NewRat(1, 2)},
		{Kind: evidence.KindClaimed, Scale: big.NewRat(1, 1), Base: big.NewRat(1, 1)},
	} {
		if n, err := r.Number(); err == nil {
			t.Errorf("%+v becomes %v, want an error", r, n)
		} else if !errors.Is(err, evidence.ErrParameter) && !errors.Is(err, evidence.ErrUndetermined) {
			t.Errorf("%+v: %v, want ErrParameter or ErrUndetermined", r, err)
		}
	}
}
