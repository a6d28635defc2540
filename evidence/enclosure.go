package evidence

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/interval"
)

// ErrUndetermined is wrapped by the error of a computation that ends with no
// number: an end is NaN, or the lower one is above the upper one.
var ErrUndetermined = errors.New("nothing is known of the answer")

// Enclosed returns the certified number that the enclosure a stands for, which has
// no safe side.
func Enclosed(a interval.Interval, method, source string) Certified {
	lo, hi := a.Bounds()
	return Certified{Lo: lo, Hi: hi, Provenance: From(source).By(method)}
}

// Enclosure returns the interval that a number stands for: narrow to the precision
// of intervals of an exact rational, and between its bounds elsewhere.
func Enclosure(n Number) interval.Interval {
	if e, ok := n.(Exact); ok {
		return interval.Rat(e.Value)
	}
	return interval.Between(n.Bounds())
}

// EnclosedLoss is Enclosed for a privacy loss, which cannot be negative and whose
// safe side is up.
func EnclosedLoss(a interval.Interval, method, source string) Certified {
	lo, hi := a.Bounds()
	return Certified{Lo: max(lo, 0), Hi: max(hi, 0), Side: Up, Provenance: From(source).By(method)}
}

// Check returns an error wrapping ErrUndetermined where n is no number: nil, NaN,
// an enclosure without elements, an estimate whose ends are not numbers in order or do not
// hold it.
func Check(n Number) error {
	if n == nil {
		return fmt.Errorf("%w: no number", ErrUndetermined)
	}
	switch n := n.(type) {
	case Certified:
		return checkEnds(n.Lo, n.Hi)
	case Estimated:
		if err := checkEnds(n.Lo, n.Hi); err != nil {
			return err
		}
		if n.Value < n.Lo || n.Value > n.Hi {
			return fmt.Errorf("%w: it lies outside of its bounds, %g of [%g, %g]", ErrUndetermined, n.Value, n.Lo, n.Hi)
		}
	case Exact:
		if n.Value == nil {
			return fmt.Errorf("%w: no number", ErrUndetermined)
		}
		return nil
	case ExactLog:
		if n.Argument == nil || n.Argument.Sign() <= 0 {
			return fmt.Errorf("%w: no number", ErrUndetermined)
		}
		return nil
	}
	if math.IsNaN(n.Float()) {
		return fmt.Errorf("%w: it came out as NaN", ErrUndetermined)
	}
	return nil
}

func checkEnds(lo, hi float64) error {
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi):
		return fmt.Errorf("%w: its bounds came out as NaN", ErrUndetermined)
	case lo > hi:
		return fmt.Errorf("%w: its bounds crossed, %g > %g", ErrUndetermined, lo, hi)
	}
	return nil
}
