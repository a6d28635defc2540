package pld

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpworkbench/internal/elementary"
)

// List is a law of finitely many losses under P. Loss[i] has an error of at most LossError. The mass is e^Log[i], and
// Log[i] has an error of at most LogError. Infinity is the infinity mass, with an error of at most InfinityError.
type List struct {
	Loss, Log               []float64
	LossError, LogError     float64
	Infinity, InfinityError float64
	Spacing, Point          float64 // losses are nearly Point plus multiples of Spacing; 0 without a lattice

	theta, tail float64 // set if theta is not 0, for a list of a sum: see Law.Tail
}

// Valid reports whether all losses and logarithms are finite.
func (l *List) Valid() bool {
	for i, x := range l.Loss {
		if math.IsInf(x, 0) || math.IsNaN(x) || math.IsInf(l.Log[i], 0) || math.IsNaN(l.Log[i]) {
			return false
		}
	}
	return l.Infinity >= 0 && l.Infinity <= 1
}

// Times returns the list of the sums of k independent losses, one for each multiset of k losses. For m losses there are
// C(k + m − 1, m − 1) multisets.
func (l *List) Times(k int) *List {
	factorial := make([]float64, k+1) // logarithms of factorials
	for n := 2; n <= k; n++ {
		factorial[n] = factorial[n-1] + elementary.Log(float64(n))
	}
	m, n := len(l.Loss), float64(k)
	furthest, deepest := 0.0, factorial[k]
	for i, x := range l.Loss {
		furthest, deepest = max(furthest, math.Abs(x)), max(deepest, factorial[k]+n*math.Abs(l.Log[i]))
	}
	out := &List{
		LossError: n*l.LossError + float64(2*m+2)*u*n*furthest,
		LogError:  n*l.LogError + float64(2*m+8)*u*deepest + (n+6)*u*2*factorial[k],
	}
	var add func(i, left int, loss, log float64)
	add = func(i, left int, loss, log float64) {
		if i == m-1 {
			x := float64(left)
			out.Loss = append(out.Loss, loss+float64(x*l.Loss[i]))
			out.Log = append(out.Log, log+float64(x*l.Log[i])-factorial[left])
			return
		}
		for x := 0; x <= left; x++ {
			add(i+1, left-x, loss+float64(float64(x)*l.Loss[i]), log+float64(float64(x)*l.Log[i])-factorial[x])
		}
	}
	if m > 0 {
		add(0, k, 0, factorial[k])
	}
	out.setInfinity(n*log1p(-min(l.Infinity+l.InfinityError, 1)), n*log1p(-max(l.Infinity-l.InfinityError, 0)))
	return out
}

// setInfinity sets the infinity mass, given bounds of the logarithm of the finite mass.
func (l *List) setInfinity(lo, hi float64) {
	least, most := max(-expm1(hi), 0), min(max(-expm1(lo), 0), 1)
	if most == 0 {
		return
	}
	l.Infinity = least + (most-least)/2
	l.InfinityError = (most-least)/2 + 16*u*most
}

// Plus returns the list of the sums of two independent losses.
func (l *List) Plus(o *List) *List {
	out := &List{}
	furthest, deepest := 0.0, 0.0
	for i, x := range l.Loss {
		for j, y := range o.Loss {
			out.Loss = append(out.Loss, x+y)
			out.Log = append(out.Log, l.Log[i]+o.Log[j])
			furthest, deepest = max(furthest, math.Abs(x+y)), max(deepest, math.Abs(l.Log[i]+o.Log[j]))
		}
	}
	out.LossError, out.LogError = l.LossError+o.LossError+u*furthest, l.LogError+o.LogError+u*deepest
	out.setInfinity(
		log1p(-min(l.Infinity+l.InfinityError, 1))+log1p(-min(o.Infinity+o.InfinityError, 1)),
		log1p(-max(l.Infinity-l.InfinityError, 0))+log1p(-max(o.Infinity-o.InfinityError, 0)))
	return out
}

// Delta returns bounds of the hockey-stick divergence δ(ε) of order e^ε, and an approximation of −δ'(ε).
func (l *List) Delta(eps float64) (lo, hi, slope float64) {
	least, most := 0.0, 0.0
	err := l.LossError + 4*u*math.Abs(eps)
	for i, x := range l.Loss {
		gap := x - eps
		if gap+err <= 0 {
			continue
		}
		p := elementary.Exp(l.Log[i])
		// 1 − e^{−x} has a slope of at most 1.
		share := -expm1(-max(gap, 0))
		slack := err + 2*u*math.Abs(gap) + 8*u*share
		most += p * (share + slack)
		least += p * max(share-slack, 0)
		slope += p * elementary.Exp(-max(gap, 0))
	}
	off := l.LogError*(1+l.LogError) + float64(len(l.Loss)+8)*u
	floor := float64(len(l.Loss)) * 0x1p-1060
	lo = max(least*(1-off)-floor, 0) + max(l.Infinity-l.InfinityError, 0)
	return lo * (1 - 4*u), min((most*(1+off)+floor+l.Infinity+l.InfinityError)*(1+4*u), 1), slope
}

// Epsilon returns bounds of the least ε ≥ 0 at which the divergence is at most δ.
func (l *List) Epsilon(delta float64) (lo, hi float64) {
	at := 0.0
	least, most, slope := l.Delta(0)
	if most <= delta {
		return 0, 0
	}
	if least <= delta { // δ(0) − δ may have either sign
		lo = 0
	}
	if !(l.Infinity+l.InfinityError < delta) {
		hi = math.Inf(1)
		if l.Infinity-l.InfinityError > delta {
			return hi, hi
		}
	}
	for range 200 { // Newton's method in e^ε: δ is convex in it, so iterates stay left of the root except for rounding
		if least > delta {
			lo = max(lo, at)
		}
		step := math.Log1p((least + (most-least)/2 - delta) / slope)
		if !(step > 1e-16*(1+at)) || math.IsInf(step, 0) {
			break
		}
		at += step
		least, most, slope = l.Delta(at)
	}
	if math.IsInf(hi, 1) {
		return lo, hi
	}
	near := at
	for pad := 1e-15 * (1 + near); ; pad *= 3 { // to the left
		if at = max(near-pad, 0); at <= lo {
			break
		}
		if least, _, _ := l.Delta(at); least > delta {
			lo = at
			break
		}
	}
	for pad := 1e-15 * (1 + near); pad < 1e300; pad *= 3 {
		hi = near + pad
		if _, most, _ := l.Delta(hi); most <= delta {
			return lo, hi
		}
	}
	return lo, math.Inf(1)
}

// Pessimistic implements Source.
func (l *List) Pessimistic(_ context.Context, step, offset, theta, _ float64) (*Law, error) {
	g := grid{step, offset}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range l.Loss {
		lo, hi = min(lo, x), max(hi, x)
	}
	if len(l.Loss) > 0 && !g.fits(lo, hi) {
		return nil, ErrTooFine
	}
	law := &Law{Step: step, Offset: offset, Tail: math.Inf(-1), Theta: theta, Infinity: min(l.Infinity+l.InfinityError, 1)}
	if l.theta != 0 {
		law.Tail = l.tail
	}
	if len(l.Loss) == 0 {
		law.Log = []float64{math.Inf(-1)}
		return law, nil
	}
	law.First = g.floor(lo) - 1
	sums := make([]sum, g.floor(hi)-law.First+2)
	whole, size := -expm1(-step), max(math.Abs(lo), math.Abs(hi))+math.Abs(offset)
	shift := l.LossError + 8*u*size
	for i, x := range l.Loss {
		n := g.floor(x) - law.First
		r := min(max(x-g.at(n+law.First), 0), step)
		switch { // a loss nearly on a point gets the mass of that point, since all points are raised below
		case r <= shift:
			sums[n].add(1, l.Log[i])
		case step-r <= shift:
			sums[n+1].add(1, l.Log[i])
		default:
			up := -expm1(-r) / whole
			sums[n+1].add(up+16*u, l.Log[i])
			sums[n].add(1-up+16*u, l.Log[i])
		}
	}
	law.Offset += 2 * shift
	law.Log = logs(sums, l.LogError+u*float64(len(l.Loss)+8), 1)
	return law, nil
}

// relevant returns the list without the losses that have negligible mass in the law tilted by θ. A tail replaces them.
func (l *List) relevant(theta float64) *List {
	const least = -100 // logarithm of a negligible share
	top := math.Inf(-1)
	for i, x := range l.Loss {
		top = max(top, l.Log[i]+theta*x)
	}
	out := *l
	out.Loss, out.Log, out.theta, out.tail = nil, nil, theta, math.Inf(-1)
	for i, x := range l.Loss {
		if l.Log[i]+theta*x >= top+least {
			out.Loss, out.Log = append(out.Loss, x), append(out.Log, l.Log[i])
		}
	}
	if n := len(l.Loss) - len(out.Loss); n > 0 {
		out.tail = top + least + math.Log(float64(n)) + theta*l.LossError + l.LogError + 1e-9*(1+math.Abs(top))
	}
	return &out
}

// Range implements Source.
func (l *List) Range(float64, float64) (lo, hi float64) {
	if len(l.Loss) == 0 {
		return 0, 0
	}
	return slices.Min(l.Loss), slices.Max(l.Loss)
}

// rising returns the list sorted by loss.
func (l *List) rising() *List {
	if slices.IsSorted(l.Loss) {
		return l
	}
	order := make([]int, len(l.Loss))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(l.Loss[i], l.Loss[j]) })
	out := *l
	out.Loss, out.Log = make([]float64, len(order)), make([]float64, len(order))
	for to, from := range order {
		out.Loss[to], out.Log[to] = l.Loss[from], l.Log[from]
	}
	return &out
}

// Optimistic implements Source.
func (l *List) Optimistic(_ context.Context, step, offset, theta, _ float64) (*Law, error) {
	l = l.rising()
	b := &merger{grid: grid{step, offset}}
	law := &Law{Step: step, Offset: offset, Tail: math.Inf(-1), Theta: theta, Infinity: max(l.Infinity-l.InfinityError, 0)}
	if len(l.Loss) == 0 {
		law.Log = []float64{math.Inf(-1)}
		return law, nil
	}
	n := len(l.Loss) - 1
	size := max(math.Abs(l.Loss[0]), math.Abs(l.Loss[n])) + math.Abs(offset)
	if !b.fits(l.Loss[0], l.Loss[n]) || 8*u*size > step/4 { // otherwise grid points are not distinguishable from losses
		return nil, ErrTooFine
	}
	shift := l.LossError + 8*u*size + 16*u*step
	b.first = b.floor(l.Loss[0]) - 1
	for i, x := range l.Loss {
		if i == n && b.balance < 0 && math.Abs(x-b.at(b.point)) <= shift {
			b.close() // the largest loss is on the cell's point, and cannot raise the cell
		}
		kept, point := 0.0, int64(0) // share of this atom kept for the next cell, if the next atom is just above a point
		if i < n {
			kept, point = b.lend(x, l.Loss[i+1], l.Log[i+1]-l.Log[i], shift)
		}
		for left := 1.0; left > 0; {
			if left <= kept {
				if b.balance < 0 { // the cell needs mass above its point
					kept = 0
					continue
				}
				b.close()
				b.point, b.cell.ref = point, l.Log[i]
				each := -expm1(b.at(point) - x)
				b.cell.v, b.balance = left, left*each
				break
			}
			if b.cell.v > 0 && x > b.at(b.point)+step && !b.worth(x, left*elementary.Exp(min(l.Log[i]-b.cell.ref, 700)), theta) {
				b.close()
			}
			if b.cell.v <= 0 {
				b.point = int64(math.Ceil((x - max(shift, step/64) - offset) / step))
				b.cell.ref = l.Log[i]
			}
			f := elementary.Exp(min(l.Log[i]-b.cell.ref, 700))
			gap := x - b.at(b.point)
			if math.Abs(gap) <= shift {
				gap = 0
			}
			each := -expm1(-gap)
			take := left - kept
			if b.balance < 0 && each > 0 {
				if need := -b.balance / (f * each) * (1 + 8*u); need < take { // part of the atom is enough
					take = need
				}
			} else if b.cell.v > 0 && b.balance >= 0 && gap > step/4 { // the next cell takes mass from both sides of its point
				b.close()
				continue
			}
			b.cell.v += f * take
			b.balance += f * take * each
			if math.Abs(b.balance) < 64*u*step*b.cell.v {
				b.balance = 0
			}
			left -= take
		}
	}
	b.close()
	law.First = b.first
	law.Offset -= 2*shift + 128*u*step
	law.Log = logs(b.sums, l.LogError+u*float64(len(l.Loss)+8), -1)
	return law, nil
}

// worth reports whether mass of an atom at x, beyond the cell, should raise the loss of the cell to its point. That
// removes about −balance·(x − point) from the variance. The alternative, the point below, removes a step from the mean.
func (b *merger) worth(x, mass, theta float64) bool {
	gap := x - b.at(b.point)
	return b.balance < 0 && -2*b.balance < mass*-expm1(-gap) && -b.balance*gap*(1+theta) < b.step*b.cell.v
}

// lend handles atoms that lie further apart than the points of the grid. The atom at y can move down to the point just
// below it if a share of the atom at x < y moves up to that point, which keeps the mean of e^{−loss}. lend returns this
// share of the atom at x, and the point. It returns 0 if y is not just above a point, or if the share is large. log is
// the logarithm of the ratio of the mass at y to the mass at x, and shift bounds the error of a loss.
func (b *merger) lend(x, y, log, shift float64) (share float64, point int64) {
	point = b.floor(y)
	over := y - b.at(point)
	if over <= shift || over > b.step/2 || !(y-x > 1.5*b.step) {
		return 0, 0
	}
	share = elementary.Exp(min(log, 700)) * -expm1(-over) / expm1(b.at(point)-x) * (1 + 8*u)
	if !(share > 0 && share < 0.25) {
		return 0, 0
	}
	return share, point
}

// Moments implements Source.
func (l *List) Moments(theta float64) (k, mean, variance float64) {
	law := Law{Log: l.Log}
	return law.momentsAt(theta, func(j int) float64 { return l.Loss[j] })
}

// Jumps implements Source. A list of many losses without a lattice has no jumps, since none of the losses matters
// alone.
func (l *List) Jumps() (spacing, at, between float64) { return l.Spacing, l.Point, 1 }

// list returns the sum as a list of losses with upper or lower bounds of their masses.
func (s *Sum) list() *List {
	c, _ := s.c.Float64()
	start, _ := s.start.Float64()
	out := &List{theta: s.theta, tail: math.Inf(-1), Infinity: s.infinity}
	furthest := 0.0
	for j, m := range s.mass {
		if s.pessimistic {
			m = max(m, 0) + s.err
		} else {
			m -= s.err + s.beyond
		}
		if m <= 0 {
			continue
		}
		l := start + float64(float64(j)*s.step)
		out.Loss, out.Log = append(out.Loss, l), append(out.Log, elementary.Log(m)-float64(s.theta*l)+c)
		furthest = max(furthest, math.Abs(l))
	}
	out.LossError = 4 * u * (furthest + math.Abs(start))
	out.LogError = 8*u*(s.theta*furthest+math.Abs(c)+700) + s.theta*out.LossError
	if s.pessimistic && s.beyond > 0 {
		out.tail = math.Log(s.beyond) + c + 1e-9*(1+math.Abs(c))
	}
	return out
}
