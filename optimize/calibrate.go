package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// ErrNotReached is wrapped where a search ends without what it looked for.
var ErrNotReached = errors.New("not reached")

// calibrationGap is how far below the wanted ε a calibrated mechanism may stay.
const calibrationGap = 1e-9

// Calibrate returns the member family(e), e a float64, whose smallest ε has its upper
// end at most eps, as exactly as that is known, and at least eps − 1e-9; half of eps
// where that is less. The smallest ε must grow with e.
//
// It returns an error wrapping evidence.ErrParameter unless eps is positive and
// finite, and one wrapping ErrNotReached where the smallest ε stays below eps
// for every e tried, or jumps over it.
func Calibrate(ctx context.Context, family func(e evidence.Epsilon) (mechanism.Mechanism, error), eps evidence.Epsilon) (mechanism.Mechanism, error) {
	m, _, err := CalibrateCurve(ctx, family, func(m mechanism.Mechanism) privacy.Profile { return mechanism.Privacy(m) }, eps)
	return m, err
}

// CalibrateCurve is Calibrate for anything whose privacy is a curve. It returns the parameter, too.
func CalibrateCurve[M any](ctx context.Context, family func(e evidence.Epsilon) (M, error), curve func(m M) privacy.Profile, eps evidence.Epsilon) (M, evidence.Epsilon, error) {
	var none M
	if eps.IsZero() {
		return none, evidence.Epsilon{}, parameter.Errorf("eps = 0, want a positive finite number")
	}
	start := max(eps.Value()/2, math.SmallestNonzeroFloat64)
	most, _ := eps.Enclosure().Bounds() // at or below an ε that is no float64
	gap := min(calibrationGap, most/2)
	// try returns family(e) with how far its smallest ε lies above the middle of what
	// is allowed.
	type trial struct {
		m      M
		at     evidence.Epsilon
		loss   float64 // the upper end of its smallest ε
		excess float64
		hit    bool
	}
	try := func(e float64) (trial, error) {
		if err := ctx.Err(); err != nil {
			return trial{}, err
		}
		at, err := evidence.NewEpsilon("e", e)
		if err != nil {
			return trial{}, err
		}
		m, err := family(at)
		if err != nil {
			return trial{}, err
		}
		loss, err := curve(m).Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return trial{}, err
		}
		_, hi := loss.Bounds()
		return trial{m, at, hi, hi - (most - gap/2), hi <= most && hi >= most-gap}, nil
	}

	lo, hi := start, start
	t, err := try(start)
	if err != nil || t.hit {
		return t.m, t.at, err
	}
	flo, fhi := t.excess, t.excess
	for steps := 0; fhi < 0; steps++ {
		if steps == 40 || math.IsInf(2*hi, 1) {
			return none, evidence.Epsilon{}, fmt.Errorf("%w: smallest ε is still %g at parameter %g, below eps = %g", ErrNotReached, t.loss, hi, most)
		}
		lo, flo = hi, fhi
		hi *= 2
		if t, err = try(hi); err != nil || t.hit {
			return t.m, t.at, err
		}
		fhi = t.excess
	}
	for steps := 0; flo > 0; steps++ {
		if steps == 1000 || lo/2 == 0 {
			return none, evidence.Epsilon{}, fmt.Errorf("%w: smallest ε is %g even at parameter %g, above eps = %g", ErrNotReached, t.loss, lo, most)
		}
		hi, fhi = lo, flo
		lo /= 2
		if t, err = try(lo); err != nil || t.hit {
			return t.m, t.at, err
		}
		flo = t.excess
	}
	// Regula falsi with the Illinois rule, bisecting where it stalls.
	side := 0
	for steps := 0; ; steps++ {
		mid := (lo*fhi - hi*flo) / (fhi - flo)
		if steps%4 == 3 || !(mid > lo && mid < hi) { // no number where fhi is infinite
			mid = lo + (hi-lo)/2
		}
		if !(mid > lo && mid < hi) {
			return none, evidence.Epsilon{}, fmt.Errorf("%w: the smallest ε jumps over eps = %g at parameter %g", ErrNotReached, most, lo)
		}
		t, err := try(mid)
		if err != nil || t.hit {
			return t.m, t.at, err
		}
		if t.excess < 0 {
			lo, flo = mid, t.excess
			if side == -1 {
				fhi /= 2
			}
			side = -1
		} else {
			hi, fhi = mid, t.excess
			if side == 1 {
				flo /= 2
			}
			side = 1
		}
	}
}
