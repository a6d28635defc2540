package pld

import (
	"context"
	"math"
)

// query is a question about the sum, such as ε(δ) or ln δ(ε). ask returns the ends of the answer that two bounds of the
// sum imply. width returns the width of an answer, relative to the largest width wanted. least is a lower bound of the
// answer.
type query struct {
	theta, step float64 // a suitable tilt and step
	tolerance   float64 // the suitable relative error of δ
	least       float64
	ask         func(b profiles) (lo, hi float64)
	width       func(lo, hi float64) float64
	// at returns a point (ε, ln δ) near the answer, given its ends.
	at func(lo, hi float64) (eps, log float64)
}

// answer is the current answer to a query.
type answer struct {
	query
	a      *Account
	lo, hi float64
	nodes  int // limit of nodes of the last integral
}

// narrow narrows the answer by bounds, and reports whether it is narrow enough.
func (n *answer) narrow(b profiles) bool {
	lo, hi := n.ask(b)
	n.lo, n.hi = max(n.lo, lo), min(n.hi, hi)
	return n.width(n.lo, n.hi) <= 1
}

// answer tries, in order of cost, the bounds of earlier answers, integrals, and finer and finer grids.
func (a *Account) answer(ctx context.Context, q query) (lo, hi float64, err error) {
	n := &answer{query: q, a: a, lo: q.least, hi: math.Inf(1)}
	for _, b := range a.contours {
		if n.narrow(b) {
			return n.lo, n.hi, nil
		}
	}
	for _, b := range a.last {
		if n.narrow(profiles{b.above, b.below}) {
			return n.lo, n.hi, nil
		}
	}
	done, err := n.integrate(ctx, 0)
	if err == nil && !done {
		err = n.refine(ctx, n.integrate)
	}
	return n.lo, n.hi, err
}

// nodesPerPoint is the approximate number of exponentials of an integral that cost as much as one grid point.
const nodesPerPoint = 1 << 7

// integrate narrows an answer by integrals that cost at most as much as a grid with the given number of points. It
// reports whether the answer is narrow enough.
func (n *answer) integrate(ctx context.Context, points float64) (done bool, err error) {
	nodes := int(min(max(points*nodesPerPoint, quickNodes), mostNodes))
	if nodes < 4*n.nodes {
		return false, nil
	}
	n.nodes = nodes
	for tolerance, try := n.tolerance, 0; try < 2; try++ {
		b, err := n.a.integrals(ctx, n.theta, tolerance, nodes)
		if b == nil || err != nil {
			return false, err
		}
		n.nodes = mostNodes // more nodes would not help
		n.a.contours = append(n.a.contours[max(len(n.a.contours)-1, 0):], *b)
		if n.narrow(*b) {
			return true, nil
		}
		tolerance *= 0.1 / min(max(n.width(n.lo, n.hi), 1), 1e6)
	}
	return false, nil
}

// lower replaces the tilt θ by a smaller one if that halves the range of the laws. Masses of the tilted sum have an
// error of tailMass. The error of δ is tailMass times e^{K(θ) − θε} and the largest weight. The new tilt is the least
// one for which this error is small compared with δ, or no larger than with the old tilt. The tilt of the saddle point
// may give rare large losses as much weight as all others, and a smaller tilt gives them less.
func (n *answer) lower() {
	eps, log := n.at(n.lo, n.hi)
	exponent := func(theta float64) float64 {
		k, _, _ := n.a.moments(theta)
		return k - theta*eps + math.Log(largestWeight(theta))
	}
	most, least := n.theta, min(1e-3, n.theta)
	enough := max(log+math.Log(n.tolerance/tailMass), exponent(most)+1)
	if exponent(least) <= enough {
		most = least
	}
	_, most = bisect(least, most, 1.1, func(theta float64) bool { return exponent(theta) > enough })
	if n.a.points(most, 1) < n.a.points(n.theta, 1)/2 {
		n.theta, n.nodes = most, 0
	}
}

// integrals returns bounds by contours of at most the given number of nodes, or nil if there are none.
func (a *Account) integrals(ctx context.Context, theta, tolerance float64, nodes int) (*profiles, error) {
	theta = a.wider(theta)
	tolerance = min(max(tolerance, 1e-14), 1e-2)
	above, err := a.contour(ctx, true, theta, tolerance, nodes)
	if above == nil || err != nil {
		return nil, err
	}
	below, err := a.contour(ctx, false, theta, tolerance, nodes)
	if below == nil || err != nil {
		return nil, err
	}
	return &profiles{above, below}, nil
}

// points returns about the number of points of grids with the given step.
func (a *Account) points(theta, step float64) float64 {
	most := 0.0
	for _, p := range a.Parts {
		lo, hi := p.Upper.Range(theta, 50)
		most = max(most, (hi-lo)/step)
	}
	return most
}

// refine narrows an answer on finer and finer grids. Before each grid it calls the function instead, if that is not
// nil, with the approximate number of points of the grid. It stops if this call narrows the answer enough.
func (n *answer) refine(ctx context.Context, instead func(ctx context.Context, points float64) (bool, error)) error {
	step := n.step
	if !(step > 0) || math.IsInf(step, 1) {
		return nil
	}
	fine, before, top := 0.0, math.Inf(1), math.Inf(1) // a step that was too fine, the last width and the last upper end
	stalls := 0
	for range 8 {
		if instead != nil {
			if done, err := instead(ctx, n.a.points(n.theta, step)); done || err != nil {
				return err
			}
		}
		b, err := n.a.sums(ctx, n.theta, step)
		for err == ErrTooFine && step < math.MaxFloat64/16 { // some law reaches far beyond the losses that matter
			fine, step = step, 4*step
			b, err = n.a.sums(ctx, n.theta, step)
		}
		if err == errImprecise || err == ErrTooFine {
			break
		}
		if err != nil {
			return err
		}
		n.a.last = append(n.a.last[max(len(n.a.last)-1, 0):], b)
		lo, hi := n.ask(profiles{b.above, b.below})
		wide := n.width(lo, hi)
		if n.narrow(profiles{b.above, b.below}) {
			break
		}
		// On cheap grids, continue while the upper end decreases.
		falls := lo <= n.least && n.width(hi, top) > 0.2*n.width(lo, top) && n.a.points(n.theta, step) < cheapPoints/4
		// If losses lie far apart, the width decreases irregularly. Rounding may also stop the decrease.
		if !(wide < before/1.2 || falls) {
			if stalls++; stalls > 2 || !(wide <= 5) {
				break
			}
			step /= 2
		}
		n.lower()
		before, top = wide, hi
		// The width decreases with the square of the step, and faster while cells are too wide for the laws.
		if wide > 5 {
			step *= max(math.Pow(wide, -0.4)*0.95, 0.05)
		} else {
			step *= 0.85 / math.Sqrt(wide)
		}
		if step <= fine {
			break
		}
	}
	return nil
}
