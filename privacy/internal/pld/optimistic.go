package pld

import (
	"context"
	"math"

	"dpworkbench/internal/elementary"
)

// Optimistic returns a law below the mixture. It merges neighboring losses, which is post-processing, into cells whose
// ln(P/Q) is at least that of a grid point, and barely more. It searches the least end of each cell with this property.
// All points are lowered by the largest error of a loss.
func (m *Mixture) Optimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error) {
	segments, jumps, _ := m.parts(theta, bits)
	g := grid{step, offset}
	bottom := segments[0].loss(segments[0].lo)
	if last := segments[len(segments)-1]; !g.fits(bottom, last.loss(last.hi)) {
		return nil, ErrTooFine
	}
	if len(jumps) > 0 {
		bottom = min(bottom, jumps[0].loss)
	}
	b := &merger{grid: g, first: g.floor(bottom) - 1, share: 0.5}
	for _, seg := range segments {
		for len(jumps) > 0 && jumps[0].loss <= seg.loss(seg.lo) {
			b.jump(jumps[0], m)
			jumps = jumps[1:]
		}
		if err := b.run(ctx, seg); err != nil {
			return nil, err
		}
	}
	for _, a := range jumps {
		b.jump(a, m)
	}
	b.close()
	return &Law{Step: step, Offset: offset - 2*b.shift, First: b.first, Log: logs(b.sums, 0, -1), Tail: math.Inf(-1), Theta: theta}, nil
}

// merger merges losses in ascending order. The open cell has the mass cell.v and balance = Σ mass·(1 − e^{point −
// loss}), both relative to e^ref. If the balance is not negative, the cell's ln(P/Q) is at least its point.
type merger struct {
	grid
	first   int64
	sums    []sum
	shift   float64
	point   int64
	cell    sum
	balance float64
	share   float64 // where the last cell ended, in steps above its point
	lean    float64 // how much further the last cell reached above its point than below
}

// put adds a mass to a grid point.
func (b *merger) put(n int64, s sum) {
	j := n - b.first
	if s.v <= 0 || j < 0 {
		return
	}
	for int64(len(b.sums)) <= j {
		b.sums = append(b.sums, sum{})
	}
	b.sums[j].add(s.v, s.ref)
}

// close ends the open cell and puts its mass on its point, or on the point below if the balance is negative. No loss of
// the cell is below that point.
func (b *merger) close() {
	if b.cell.v <= 0 {
		return
	}
	n := b.point
	if b.balance < 0 {
		n--
	}
	b.put(n, b.cell)
	b.cell, b.balance = sum{}, 0
}

// jump opens a cell with an atom.
func (b *merger) jump(a atom, m *Mixture) {
	b.close()
	off := 8*u + 2*m.lossError(a.loss, m.Eps)
	b.shift = max(b.shift, off)
	near := math.Round((a.loss - b.offset) / b.step)
	b.point = int64(near)
	gap := a.loss - b.at(b.point)
	switch {
	case math.Abs(gap) <= off+1e-9*b.step:
		b.shift, gap = max(b.shift, math.Abs(gap)), 0
	case gap > 0:
		b.point++
		gap = a.loss - b.at(b.point)
	}
	b.cell, b.balance = sum{1 - off, a.log}, -expm1(-gap)
}

// run merges the losses of a segment.
func (b *merger) run(ctx context.Context, seg segment) error {
	from, end := seg.lo, seg.loss(seg.hi)
	if b.cell.v <= 0 {
		b.point = b.floor(seg.loss(from)) + 1
	}
	for count := 0; from < seg.hi; count++ {
		if count&255 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g := b.at(b.point)
		// Find the end of the cell by Newton's method on the balance. A cell reaches from a distance a below its point
		// to a distance b above it, and has nearly the same length as the cell before. The least possible b would make
		// the next a larger, and lengths would alternate. So b is at least half of the step plus half of b − a of the
		// last cell.
		least := 0.5 + b.lean/2
		if count == 0 {
			least = 0.25
		}
		share := b.share
		var to float64
		var mass sum
		var balance, need float64
		for try := 0; ; try++ {
			share = min(max(share, least), 1)
			if to = seg.hi; g+share*b.step < end {
				to = seg.edge(g+share*b.step, from)
			}
			mass, balance = b.take(seg, from, to)
			slope := share * b.step * mass.v / max(share+0.5, 0.75) // increase of the balance per unit of share
			gap := balance / slope
			need = share - gap
			if balance >= 0 && balance <= 0.02*b.step*b.step*mass.v || balance >= 0 && share == least || to == seg.hi || try == 8 || balance < 0 && share == 1 {
				break
			}
			share = need + 5e-3*b.step
		}
		if balance < 0 && to < seg.hi { // no end gives a balance ≥ 0: lower these losses by a point
			to = seg.edge(g+b.step/2, from)
			mass, balance = b.take(seg, from, to)
			balance = min(balance, -1)
		}
		b.cell, b.balance = mass, balance
		if to == seg.hi {
			return nil // the next segment may extend the cell
		}
		if balance >= 0 {
			b.lean = max(min(need-(1-b.share), 0.5), -0.5)
			if count == 0 {
				b.lean = 0
			}
			b.share = share
		}
		b.close()
		b.point++
		if l := seg.loss(to); b.floor(l) >= b.point { // skip points below the remaining losses
			b.point = b.floor(l) + 1
		}
		from = to
	}
	return nil
}

// take returns the open cell extended by the losses between two coordinates.
func (b *merger) take(seg segment, from, to float64) (cell sum, balance float64) {
	cell, balance = b.cell, b.balance
	g := b.at(b.point)
	seg.panels(from, to, func(x, y float64) {
		all, over, far := 0.0, 0.0, 0.0
		ref, err, lossErr, remainder := seg.panel(x, y, func(l, mass float64) {
			all += mass
			over -= mass * expm1(g-l)
			far = max(far, math.Abs(g-l))
		})
		b.shift = max(b.shift, lossErr+4*u*math.Abs(g)+err*b.step+min(3, 2*(far+seg.spread(x, y)))*remainder+8*u*b.step)
		all -= all * (err + remainder)
		if cell.v == 0 {
			cell.ref = ref
		}
		f := elementary.Exp(ref - cell.ref)
		cell.v += all * f
		balance += over * f
	})
	return cell, balance
}
