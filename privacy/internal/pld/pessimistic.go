package pld

import (
	"context"
	"math"
)

// Pessimistic returns a law above the mixture. A loss r above a grid point has the share (1 − e^{−r})/(1 − e^{−step})
// on the next point, and the rest on this one, which preserves the mean of e^{−loss} (Doroshenko and others 2022). All
// points are raised by the largest error of a loss.
func (m *Mixture) Pessimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error) {
	segments, jumps, tail := m.parts(theta, bits)
	g := grid{step, offset}
	lo, hi := segments[0].loss(segments[0].lo), segments[len(segments)-1].loss(segments[len(segments)-1].hi)
	if !g.fits(lo, hi) {
		return nil, ErrTooFine
	}
	first, last := g.floor(lo)-1, g.floor(hi)+2
	for _, a := range jumps {
		first, last = min(first, g.floor(a.loss)-1), max(last, g.floor(a.loss)+2)
	}
	sums := make([]sum, last-first+1)
	shift := 0.0
	whole := -expm1(-step)
	for _, seg := range segments {
		from := seg.lo
		for n := g.floor(seg.loss(seg.lo)); from < seg.hi; n++ {
			if n&1023 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			point := g.at(n)
			to := seg.edge(g.at(n+1), from)
			if n+1 >= last {
				to = seg.hi
			}
			if to < seg.hi {
				shift = max(shift, seg.loss(to)-g.at(n+1), g.at(n+1)-seg.loss(to))
			}
			seg.panels(from, to, func(a, b float64) {
				var up, all float64
				ref, err, lossErr, remainder := seg.panel(a, b, func(l, mass float64) {
					r := min(max(l-point, 0), step)
					all += mass
					up += mass * (-expm1(-r) / whole)
				})
				shift = max(shift, lossErr+2*u*math.Abs(point))
				off := err + remainder*min(2.1, 2*(step+seg.spread(a, b)))/whole + 10*u
				sums[n-first].add(all-up+all*off, ref)
				sums[n+1-first].add(up+all*off, ref)
			})
			from = to
		}
	}
	for _, a := range jumps {
		n := g.floor(a.loss)
		off := 8*u + 2*m.lossError(a.loss, m.Eps)
		shift = max(shift, off)
		up := -expm1(-min(max(a.loss-g.at(n), 0), step)) / whole
		if up > off/step { // otherwise the jump is on a point
			sums[n+1-first].add(up+off, a.log)
		}
		sums[n-first].add(1-up+off, a.log)
	}
	return &Law{Step: step, Offset: offset + 2*shift, First: first, Log: logs(sums, 0, 1), Tail: tail, Theta: theta}, nil
}
