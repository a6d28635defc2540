package evidence

import (
	"cmp"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Record is a number in the form in which it is stored and sent to another process: everything except its statement
// and, for an estimate, which other estimates share its draws. Arithmetic on estimates read from records counts the
// failure probability of each.
type Record struct {
	Kind           Kind
	Side           Side
	Value, Lo, Hi  float64  // rounded for an exact number, which Scale and Base hold
	Scale          *big.Rat // the exact number, or a claimed ε, is Scale · ln Base; nil if it is not known exactly
	Base           *big.Rat // nil if the number is Scale itself
	Confidence     float64
	Draws          int
	Cases          uint64
	Source, Method string
	Caveat, Call   string
}

// RecordOf returns the record of a number.
func RecordOf(n Number) Record {
	c := n.Citation()
	r := Record{Kind: n.Kind(), Side: SideOf(n), Value: n.Float(), Source: c.Source, Method: c.Method, Caveat: c.Caveat, Call: c.Call}
	r.Lo, r.Hi = n.Bounds()
	switch n := n.(type) {
	case Claimed:
		r.Scale, r.Base = n.Epsilon.scale, n.Epsilon.base
	case Exact:
		r.Scale, r.Cases = n.Value, n.Cases
	case ExactLog:
		r.Scale, r.Base, r.Cases = big.NewRat(1, 1), n.Argument, n.Cases
	case InputEpsilon:
		r.Scale, r.Base = cmp.Or(n.scale, new(big.Rat)), n.base
	case LogMultiple:
		r.Scale, r.Base = cmp.Or(n.scale, new(big.Rat)), n.base
		if n.Negative {
			r.Scale = new(big.Rat).Neg(r.Scale)
		}
	case Estimated:
		r.Confidence, r.Draws = n.Confidence, n.Draws
	}
	return r
}

// Number returns the number of a record. It returns an error if the fields of the record are inconsistent.
func (r Record) Number() (Number, error) {
	from := Provenance{Source: r.Source, Method: r.Method, Caveat: r.Caveat, Call: r.Call}
	switch {
	case r.Side < Down || r.Side > Up:
		return nil, parameter.Bad("side", int(r.Side), "-1, 0 or 1")
	case r.Base != nil && (r.Base.Sign() <= 0 || r.Scale == nil):
		return nil, parameter.Errorf("base = %s, want a positive number that comes with a scale", shortened(r.Base))
	}
	var n Number
	switch r.Kind {
	case KindClaimed:
		c := Claimed{Value: r.Value, Provenance: from}
		switch {
		case r.Scale == nil:
			c.Side = r.Side
		case r.Scale.Sign() <= 0:
			return nil, parameter.Errorf("a claimed ε of %s, want a positive number", shortened(r.Scale))
		case r.Base != nil && !aboveOne(r.Base):
			return nil, parameter.Bad("base", shortened(r.Base), "a number above 1 for a claimed ε")
		case r.Base != nil:
			c.Epsilon = newLog(r.Base, r.Scale)
		default:
			c.Epsilon = newRational(r.Scale)
		}
		n = c
	case KindExact:
		switch {
		case r.Scale == nil:
			return nil, parameter.Errorf("an exact number has no scale, want its value or a multiple of ln base")
		case r.Base == nil:
			n = Exact{r.Scale, r.Side, r.Cases, from}
		case r.Scale.IsInt() && r.Scale.Num().IsInt64() && r.Scale.Num().Int64() == 1:
			n = ExactLog{r.Base, r.Side, r.Cases, from}
		case r.Scale.Sign() == 0 || !aboveOne(r.Base):
			return nil, parameter.Errorf("an exact number is %s ln(%s), want a scale other than 0 and a base above 1",
				shortened(r.Scale), shortened(r.Base))
		default:
			n = LogMultiple{newLog(r.Base, new(big.Rat).Abs(r.Scale)), r.Scale.Sign() < 0, r.Side, from}
		}
	case KindCertified:
		n = Certified{r.Lo, r.Hi, r.Side, from}
	case KindEstimated:
		if !(r.Lo <= r.Hi) || !(r.Confidence >= 0 && r.Confidence < 1) || math.IsNaN(r.Value) {
			return nil, parameter.Errorf("an estimate of %g in [%g, %g] with confidence %g, want numbers, ordered bounds and 0 <= confidence < 1", r.Value, r.Lo, r.Hi, r.Confidence)
		}
		n = Estimated{Value: r.Value, Lo: r.Lo, Hi: r.Hi, Confidence: r.Confidence, Side: r.Side, Draws: r.Draws, Provenance: from}
	default:
		return nil, parameter.Bad("kind", r.Kind, "claimed, exact, certified or estimated")
	}
	return AsNumber(n, Check(n))
}

func aboveOne(q *big.Rat) bool { return q.Cmp(big.NewRat(1, 1)) > 0 }
