package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
)

// ErrNotReached is wrapped if a search ends without a result.
var ErrNotReached = errors.New("not reached")

// calibrationGap bounds how far the ε of a calibrated mechanism may be below the target.
const calibrationGap = 1e-9

// Calibrate returns the member family(e), e a float64, whose smallest ε is at most eps and at least the larger of eps −
// 1e-9 and eps/2. It uses the upper end of the smallest ε, which must increase with e.
//
// It returns an error wrapping evidence.ErrParameter unless eps is positive and finite, and one wrapping ErrNotReached
// if the smallest ε stays below eps for every e tried, or jumps over it.
func Calibrate(ctx context.Context, family func(e evidence.Epsilon) (mechanism.Mechanism, error), eps evidence.Epsilon) (mechanism.Mechanism, error) {
	m, _, err := CalibrateCurve(ctx, family, func(m mechanism.Mechanism) (evidence.Number, error) {
		return mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	}, eps)
	return m, err
}

// CalibrateCurve does the same as Calibrate for any type with a smallest ε. It also returns the parameter e.
func CalibrateCurve[M any](ctx context.Context, family func(e evidence.Epsilon) (M, error), smallest func(m M) (evidence.Number, error), eps evidence.Epsilon) (M, evidence.Epsilon, error) {
	var none M
	if eps.IsZero() {
		return none, evidence.Epsilon{}, parameter.Errorf("eps = 0, want a positive finite number")
	}
	start := max(eps.Value()/2, math.SmallestNonzeroFloat64)
	most, _ := eps.Enclosure().Bounds() // rounded down if ε is not a float64
	gap := min(calibrationGap, most/2)
	// try returns family(e) with the difference between its smallest ε and the middle of the allowed range.
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
		loss, err := smallest(m)
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
	// The search is regula falsi with the Illinois rule, and bisects every fourth time.
	side := 0
	for steps := 0; ; steps++ {
		mid := (lo*fhi - hi*flo) / (fhi - flo)
		if steps%4 == 3 || !(mid > lo && mid < hi) { // NaN if fhi is infinite
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

// CalibrateMonotone returns the least private member family(s), s > 0, whose ε is at most eps: beyond a relative 1e-9
// of this s, ε is above eps. If the enclosure of ε is wider than that, the distance may be a few of its widths. The ε
// of members must be monotone in s. Parameters 1 and 2 determine the direction, or others if ε is the same at both.
// epsilon returns the two ends of an ε.
//
// It returns an error wrapping evidence.ErrParameter unless eps is positive. It returns one wrapping ErrNotReached if s
// does not change ε, if all ε are on one side of eps, or if no s within a few percent is certified to be above it.
func CalibrateMonotone[M any](ctx context.Context, family func(s float64) (M, error), epsilon func(m M) (lo, hi float64, err error), eps evidence.Epsilon) (M, error) {
	var none M
	if eps.IsZero() {
		return none, parameter.Errorf("eps = 0, want a positive finite number")
	}
	most, _ := eps.Enclosure().Bounds()
	type probe struct {
		m         M
		s, lo, hi float64
	}
	at := func(s float64) (p probe, err error) {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		if s < 0x1p-1000 || s > 0x1p1000 {
			return p, fmt.Errorf("%w: every parameter tried from 2^-1000 to 2^1000 has an ε on the same side of %g", ErrNotReached, most)
		}
		p.s = s
		if p.m, err = family(s); err == nil {
			p.lo, p.hi, err = epsilon(p.m)
		}
		return p, err
	}
	fits, err := at(1)
	if err != nil {
		return none, err
	}
	exceeds, err := at(2)
	for lower := true; err == nil && fits.hi == exceeds.hi; lower = !lower {
		if exceeds.s > 0x1p40 {
			return none, fmt.Errorf("%w: ε is %g at the parameters %g and %g, want a family whose ε increases or decreases", ErrNotReached, fits.hi, fits.s, exceeds.s)
		}
		if lower {
			fits, err = at(fits.s / 2)
		} else {
			exceeds, err = at(exceeds.s * 2)
		}
	}
	outward := 2.0 // the factor towards less privacy
	if fits.hi > exceeds.hi {
		fits, exceeds, outward = exceeds, fits, 0.5
	}
	for err == nil && !(fits.hi <= most) {
		exceeds = fits
		fits, err = at(fits.s / outward)
	}
	for err == nil && exceeds.hi <= most {
		fits = exceeds
		exceeds, err = at(exceeds.s * outward)
	}
	// The search is regula falsi with the Illinois rule, and bisects every fourth time.
	const close = 1e-9
	under, over := fits.hi-most, exceeds.hi-most
	last := 0
	near := func() bool { // near reports whether fits is as close as the uncertainty of ε allows
		width := fits.hi - fits.lo
		return width > close*most && most-fits.hi <= width/4
	}
	for step := 0; err == nil && math.Abs(fits.s-exceeds.s) > close*fits.s && !near(); step++ {
		s := (exceeds.s*under - fits.s*over) / (under - over)
		margin := close / 4 * fits.s
		least, largest := min(fits.s, exceeds.s)+margin, max(fits.s, exceeds.s)-margin
		if step%4 == 3 || !(s > 0) { // NaN if over is infinite
			s = fits.s + (exceeds.s-fits.s)/2
		}
		var p probe
		if p, err = at(min(max(s, least), largest)); err != nil {
			break
		}
		side := 1
		if p.hi <= most {
			fits, under, side = p, p.hi-most, -1
		} else {
			exceeds, over = p, p.hi-most
		}
		if side == last && side < 0 {
			over /= 2
		} else if side == last {
			under /= 2
		}
		last = side
	}
	for away := max(close, 4*(fits.hi-fits.lo)/most); err == nil && !(exceeds.lo > most && math.Abs(exceeds.s-fits.s) <= away*fits.s); away *= 4 {
		if away > 0.04 {
			return none, fmt.Errorf("%w: ε is at most %g at parameter %g, but is not certified to exceed it at a parameter nearby: the last enclosure is [%g, %g]", ErrNotReached, most, fits.s, exceeds.lo, exceeds.hi)
		}
		exceeds, err = at(fits.s * (1 + away*math.Log2(outward)*(1-1e-6)))
	}
	if err != nil {
		return none, err
	}
	return fits.m, nil
}
