package program

import (
	"errors"
	"testing"

	"dpworkbench/evidence"
)

// An axis lists at most 2²⁰ + 1 numbers, and include rejects a law with a single formula on all integers.
func TestAxisLimits(t *testing.T) {
	a := &axis{everything: true, step: zero}
	r := newRates()
	f := r.field
	if err := a.include(piecewise{{0, 5, []term{{c: f.one()}}}, {6, largestCut, []term{{c: f.one()}}}}); err != nil || a.size() != largestCut+1 {
		t.Errorf("2²⁰ + 1 numbers: %d, %v", a.size(), err)
	}
	for want, err := range map[string]error{
		"the probabilities of an output have no constant ratio between -1 and 1048576, want a range of at most 1048576 numbers": a.include(piecewise{{-1, 0, []term{{c: f.one()}}}}),
		"an output's probabilities have one formula on all integers, so they cannot be summed: clamp the value to a range":      (&axis{everything: true}).include(piecewise{{below, above, []term{{c: f.one(), e: exponent{1}}}}}),
	} {
		if !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
			t.Errorf("error %v, want %q about a parameter", err, want)
		}
	}
	if err := a.include(nil); err != nil || a.lo != -1 {
		t.Errorf("widening an empty law: %v", err)
	}
}
