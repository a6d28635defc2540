package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
)

// ErrNotReached is wrapped by the error of AtEpsilon if no member of a family has the wanted smallest ε.
var ErrNotReached = errors.New("not reached")

// AtEpsilon returns the member family(e) whose smallest ε is at most eps and above eps·(1 − 1e-6). It calibrates a mechanism to
// its true privacy instead of the claim of a theorem. The smallest ε must increase with e. It returns an error wrapping
// ErrNotReached if there is no such member, and errors of family.
func AtEpsilon(ctx context.Context, family func(e evidence.Epsilon) (*Mechanism, error), eps evidence.Epsilon) (*Mechanism, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	want, _ := eps.Enclosure().Bounds()
	try := func(e float64) (*Mechanism, float64, error) {
		at, err := evidence.NewEpsilon("e", e)
		if err != nil {
			return nil, 0, err
		}
		m, err := family(at)
		if err != nil {
			return nil, 0, err
		}
		loss, err := m.SmallestEpsilon(ctx)
		if err != nil {
			return nil, 0, err
		}
		_, hi := loss.Bounds()
		return m, hi, nil
	}
	lo, hi := 0.0, math.Inf(1)
	e := want
	for range 200 {
		m, loss, err := try(e)
		switch {
		case err != nil:
			return nil, err
		case loss <= want && loss > want*(1-1e-6):
			return m, nil
		case loss < want:
			lo = e
		default:
			hi = e
		}
		next := e * want / max(loss, want/64) // the smallest ε is nearly proportional to e
		next *= 1 - 5e-7                      // above lo as long as nothing is above
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if !(next > 0 && next < math.MaxFloat64/4) || hi <= lo*(1+1e-15) {
			break
		}
		e = next
	}
	return nil, fmt.Errorf("%w: no parameter from %g to %g gives the smallest epsilon %g", ErrNotReached, lo, hi, want)
}
