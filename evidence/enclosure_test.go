package evidence_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// A rational number has the narrowest enclosure of its value; any other number has its bounds.
func TestEnclosureIsExactOnlyForRationals(t *testing.T) {
	third := evidence.Exact{Value: big.NewRat(1, 3)}
	if got, want := evidence.Enclosure(third), interval.Rat(third.Value); got.CmpLo(want) != 0 || got.CmpHi(want) != 0 {
		t.Errorf("Enclosure(1/3) = %v, want %v", got, want)
	}
	for _, n := range []evidence.Number{
		evidence.Certified{Lo: 1, Hi: 2}, evidence.ExactLog{Argument: big.NewRat(3, 1)}, evidence.Claimed{Value: 1.5},
	} {
		lo, hi := n.Bounds()
		if l, h := evidence.Enclosure(n).Bounds(); l != lo || h != hi {
			t.Errorf("Enclosure(%v) = [%v, %v], want [%v, %v]", n, l, h, lo, hi)
		}
	}
}

// Invalid bounds enclose all numbers, and Check rejects them.
func TestInvalidBoundsEncloseAllNumbers(t *testing.T) {
	nan := math.NaN()
	for _, ends := range [][2]float64{{nan, 1}, {1, nan}, {nan, nan}, {2, 1}, {math.Inf(1), 0}, {1, math.Nextafter(1, 0)}} {
		for _, side := range []evidence.Side{evidence.Neither, evidence.Up} {
			c := evidence.Certified{Lo: ends[0], Hi: ends[1], Side: side}
			if lo, hi := c.Bounds(); !(lo <= 0) || !math.IsInf(hi, 1) || math.IsNaN(c.Float()) {
				t.Errorf("bounds of %v (%v): [%v, %v], value %v, want all numbers", ends, side, lo, hi, c.Float())
			}
			if err := evidence.Check(c); !errors.Is(err, evidence.ErrUndetermined) {
				t.Errorf("Check(%v) = %v, want ErrUndetermined", c, err)
			}
		}
	}
	for _, n := range []evidence.Number{nil, evidence.Claimed{Value: nan}, evidence.Estimated{Value: nan, Lo: 0, Hi: 1}, evidence.Estimated{Value: 1, Lo: 2, Hi: 1}, evidence.Estimated{Value: 3, Lo: 1, Hi: 2}, evidence.Estimated{Value: 0.5, Lo: 1, Hi: 2},
		evidence.Estimated{Value: 1, Lo: nan, Hi: 2}, evidence.Estimated{Value: 1, Lo: 0, Hi: nan}, evidence.Estimated{Value: 1, Lo: nan, Hi: nan},
		evidence.Exact{}, evidence.ExactLog{}, evidence.ExactLog{Argument: new(big.Rat)}} {
		if err := evidence.Check(n); !errors.Is(err, evidence.ErrUndetermined) {
			t.Errorf("Check(%#v) = %v, want ErrUndetermined", n, err)
		}
		if n == nil {
			continue
		}
		if _, err := evidence.Abs(n); !errors.Is(err, evidence.ErrUndetermined) {
			t.Errorf("Abs(%#v): %v, want ErrUndetermined", n, err)
		}
	}
	for _, ends := range [][2]float64{{0, 0}, {0, math.Inf(1)}, {math.Inf(1), math.Inf(1)}, {5e-324, 1e308}} {
		if err := evidence.Check(evidence.Certified{Lo: ends[0], Hi: ends[1], Side: evidence.Up}); err != nil {
			t.Errorf("Check(%v): %v", ends, err)
		}
	}
	for _, v := range []float64{-1, 0, 2} { // an estimate at an end of its interval
		if err := evidence.Check(evidence.Estimated{Value: v, Lo: -1, Hi: 2}); err != nil {
			t.Errorf("Check of %g in [-1, 2]: %v", v, err)
		}
	}
	if got := (evidence.Certified{Lo: -1.7e308, Hi: 1.7e308}).Float(); got != 0 {
		t.Errorf("the middle of [-1.7e308, 1.7e308] is %v, want 0", got)
	}
}

// Enclosed keeps the bounds of an interval. EnclosedLoss also clips them at 0.
func TestEnclosedKeepsBounds(t *testing.T) {
	for _, c := range []struct {
		a        interval.Interval
		lo, hi   float64
		loss, to float64 // the bounds as a privacy loss
	}{
		{interval.Between(1, 2), 1, 2, 1, 2}, {interval.Between(-1, 2), -1, 2, 0, 2}, {interval.Between(-2, -1), -2, -1, 0, 0},
		{interval.Int(1).Quo(interval.Int(3)), 1. / 3, math.Nextafter(1./3, 1), 1. / 3, math.Nextafter(1./3, 1)},
	} {
		if n := evidence.Enclosed(c.a, "m", "s"); n.Lo != c.lo || n.Hi != c.hi || n.Side != evidence.Neither || n.Method != "m" || n.Source != "s" {
			t.Errorf("%v becomes %+v", c.a, n)
		}
		if n := evidence.EnclosedLoss(c.a, "m", "s"); n.Lo != c.loss || n.Hi != c.to || n.Side != evidence.Up || n.Method != "m" || n.Source != "s" || n.Float() != c.to {
			t.Errorf("the loss in %v becomes %+v", c.a, n)
		}
	}
	for _, n := range []evidence.Number{evidence.FromFloat(1), evidence.Exact{Value: new(big.Rat)}, evidence.ExactLog{Argument: big.NewRat(1, 2)},
		evidence.Certified{Lo: 1, Hi: 1}, evidence.Estimated{Value: 1, Lo: 0, Hi: 2}, evidence.Epsilon{}.Number()} {
		if err := evidence.Check(n); err != nil {
			t.Errorf("Check(%v): %v", n, err)
		}
	}
}
