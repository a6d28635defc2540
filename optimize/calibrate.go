package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// ErrNotReached is wrapped where a search ends without what it looked for.
var ErrNotReached = errors.New("not reached")

// calibrationGap is how far below the wanted ε a calibrated mechanism may stay.
const calibrationGap = 1e-9

// Calibrate returns the member family(e), e > 0, whose smallest ε has its upper
// end at most eps and at least eps − 1e-9. The smallest ε must grow with e.
//
// It returns an error wrapping evidence.ErrParameter unless eps is positive and
// finite, and one wrapping ErrNotReached where the smallest ε stays below eps
// for every e tried, or jumps over it.
func Calibrate(ctx context.Context, family func(e float64) (mechanism.Mechanism, error), eps float64) (mechanism.Mechanism, error) {
	if !(eps > 0) || math.IsInf(eps, 1) {
		return nil, fmt.Errorf("%w: eps = %g, want a positive finite number", evidence.ErrParameter, eps)
	}
	// excess is the smallest ε of family(e) over the middle of the allowed gap.
	excess := func(e float64) (mechanism.Mechanism, float64, error) {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		m, err := family(e)
		if err != nil {
			return nil, 0, err
		}
		loss, err := mechanism.SmallestEpsilon(ctx, m)
		if err != nil {
			return nil, 0, err
		}
		_, hi := loss.Bounds()
		return m, hi - (eps - calibrationGap/2), nil
	}
	hit := func(v float64) bool { return math.Abs(v) <= calibrationGap/2 }

	lo, hi := eps/2, eps/2
	m, flo, err := excess(lo)
	if err != nil || hit(flo) {
		return m, err
	}
	fhi := flo
	for steps := 0; fhi < 0; steps++ {
		if steps == 40 {
			return nil, fmt.Errorf("%w: smallest ε is still %g at parameter %g, below eps = %g", ErrNotReached, fhi+eps, hi, eps)
		}
		lo, flo = hi, fhi
		hi *= 2
		if m, fhi, err = excess(hi); err != nil || hit(fhi) {
			return m, err
		}
	}
	for steps := 0; flo > 0; steps++ {
		if steps == 1000 {
			return nil, fmt.Errorf("%w: smallest ε is %g even at parameter %g, above eps = %g", ErrNotReached, flo+eps, lo, eps)
		}
		hi, fhi = lo, flo
		lo /= 2
		if m, flo, err = excess(lo); err != nil || hit(flo) {
			return m, err
		}
	}
	// Regula falsi with the Illinois rule, bisecting where it stalls.
	side := 0
	for steps := 0; ; steps++ {
		mid := (lo*fhi - hi*flo) / (fhi - flo)
		if steps%4 == 3 || math.IsInf(fhi, 1) || !(mid > lo && mid < hi) {
			mid = lo + (hi-lo)/2
		}
		if !(mid > lo && mid < hi) {
			return nil, fmt.Errorf("%w: the smallest ε jumps over eps = %g at parameter %g", ErrNotReached, eps, lo)
		}
		m, f, err := excess(mid)
		if err != nil || hit(f) {
			return m, err
		}
		if f < 0 {
			lo, flo = mid, f
			if side == -1 {
				fhi /= 2
			}
			side = -1
		} else {
			hi, fhi = mid, f
			if side == 1 {
				flo /= 2
			}
			side = 1
		}
	}
}
