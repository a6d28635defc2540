package evidence

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/interval"
)

// ErrUndetermined is wrapped by the error of a computation without a valid result: a bound is NaN, or the lower bound
// exceeds the upper one.
var ErrUndetermined = errors.New("no bound on the result is known")

// Enclosed returns a as a certified number without a safe side.
func Enclosed(a interval.Interval, method, source string) Certified {
	lo, hi := a.Bounds()
	return Certified{Lo: lo, Hi: hi, Provenance: From(source).By(method)}
}

// Enclosure returns an interval that contains n: an exact rational to the precision of intervals, any other number by
// its float64 bounds.
func Enclosure(n Number) interval.Interval {
	if e, ok := n.(Exact); ok {
		return interval.Rat(e.Value)
	}
	return interval.Between(n.Bounds())
}

// EnclosedLoss is Enclosed for a privacy loss: both bounds are at least 0, and the safe side is up.
func EnclosedLoss(a interval.Interval, method, source string) Certified {
	lo, hi := a.Bounds()
	return Certified{Lo: max(lo, 0), Hi: max(hi, 0), Side: Up, Provenance: From(source).By(method)}
}

// Check returns an error wrapping ErrUndetermined if n is invalid: nil, NaN, an empty enclosure, or an estimate outside
// its confidence interval.
func Check(n Number) error {
	if n == nil {
		return fmt.Errorf("%w: it has no value", ErrUndetermined)
	}
	switch n := n.(type) {
	case Certified:
		return checkEnds(n.Lo, n.Hi)
	case Estimated:
		if err := checkEnds(n.Lo, n.Hi); err != nil {
			return err
		}
		if n.Value < n.Lo || n.Value > n.Hi {
			return fmt.Errorf("%w: the estimate %g lies outside its bounds [%g, %g]", ErrUndetermined, n.Value, n.Lo, n.Hi)
		}
	case Exact:
		if n.Value == nil {
			return fmt.Errorf("%w: it has no value", ErrUndetermined)
		}
		return nil
	case ExactLog:
		if n.Argument == nil || n.Argument.Sign() <= 0 {
			return fmt.Errorf("%w: it has no value", ErrUndetermined)
		}
		return nil
	}
	if math.IsNaN(n.Float()) {
		return fmt.Errorf("%w: its value is NaN", ErrUndetermined)
	}
	return nil
}

func checkEnds(lo, hi float64) error {
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi):
		return fmt.Errorf("%w: its bounds are NaN", ErrUndetermined)
	case lo > hi:
		return fmt.Errorf("%w: its lower bound %g exceeds its upper bound %g", ErrUndetermined, lo, hi)
	}
	return nil
}
