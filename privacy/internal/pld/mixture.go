package pld

import (
	"context"
	"math"

	"dpworkbench/internal/elementary"
)

// Neighbor says which of the pairs of a sampled mechanism a mixture is.
type Neighbor int

const (
	Removal     Neighbor = iota // (γP + (1−γ)Q, Q), where the first dataset has the record
	Addition                    // its reverse
	Replacement                 // of sampling without replacement
)

// Mixture is the pair that sampling at a rate γ makes of noise whose loss t is smooth, and whose pair (P, Q) is equal to its own
// reverse. Gaussian noise has t normal under Q, with mean −μ²/2 and variance μ²; Laplace noise has the density e^{−(t+ε)/2}/4 under Q
// between −ε and ε, and jumps at both ends.
//
// Of (γP + (1−γ)Q, Q) the loss is L(t) = ln(γe^t + 1 − γ), and of the reverse −L(t). All three parameters are exact: divergences of all orders
// rise with each, so that a caller rounds them up for an upper bound, and down for a lower one.
type Mixture struct {
	Mu   float64 // of Gaussian noise, 0 for Laplace noise
	Eps  float64 // of Laplace noise
	Rate float64 // γ, 0 < γ ≤ 1, at least 1e-200
	Of   Neighbor

	logMu float64 // set by parts
}

// Valid reports whether all parameters are numbers that a mixture can have.
func (m *Mixture) Valid() bool {
	scale := m.Mu + m.Eps
	return scale >= 1e-100 && scale <= 1e3 && m.Rate >= 1e-200 && m.Rate <= 1
}

// segment is a part of a mixture whose loss grows with a coordinate s: t, or −t.
type segment struct {
	m        *Mixture
	negative bool // s = −t, the loss is −L(−s), and P has the density of Q
	lo, hi   float64
}

// atom is a loss that has a chance: ln of its mass under P.
type atom struct{ loss, log float64 }

// dilute returns L(t), off by lossError of it.
func (m *Mixture) dilute(t float64) float64 {
	switch {
	case m.Rate == 1:
		return t
	case t > 700:
		return t + elementary.Log(m.Rate)
	}
	return log1p(m.Rate * expm1(t))
}

// lossError bounds the error of dilute where it returns l for t: 12u(γ(e^t + 1)/e^l) of the argument of the logarithm, 6u of l and 3u of the sum in it,
// and what t is off by, 2u of it, as L' ≤ 1.
func (m *Mixture) lossError(l, t float64) float64 {
	if m.Rate == 1 {
		return 2 * u * math.Abs(t)
	}
	return u * (12*max(2, 2*m.Rate/(1-m.Rate)) + 6*math.Abs(l) + 3*math.Abs(t) + 10)
}

// undilute returns about the t where L(t) = l.
func (m *Mixture) undilute(l float64) float64 {
	switch x := 1 - (1-m.Rate)*math.Exp(-l); {
	case m.Rate == 1:
		return l
	case !(l > 0):
		return math.Log1p(math.Expm1(l) / m.Rate) // NaN below ln(1 − γ)
	case l > 1:
		return l + math.Log(x) - math.Log(m.Rate)
	}
	return math.Log1p(math.Expm1(l) / m.Rate)
}

func (g segment) loss(s float64) float64 {
	if g.negative {
		return -g.m.dilute(-s)
	}
	return g.m.dilute(s)
}

// edge returns about the s where the loss is l, between from and hi.
func (g segment) edge(l, from float64) float64 {
	var s float64
	if g.negative {
		s = -g.m.undilute(-l)
	} else {
		s = g.m.undilute(l)
	}
	if s != s { // beyond all losses
		if s = g.lo; l > g.loss(g.hi) {
			s = g.hi
		}
	}
	return min(max(s, from), g.hi)
}

// logQ returns the logarithm of the density of Q at t, and a bound of its error.
func (m *Mixture) logQ(t float64) (log, err float64) {
	if m.Mu == 0 {
		return -(t+m.Eps)/2 - 2*math.Ln2, 4 * u * (math.Abs(t) + m.Eps + 2)
	}
	d := t + m.Mu*m.Mu/2
	x := d / m.Mu
	return -x*x/2 - logRootTwoPi - m.logMu, 8 * u * (x*x + math.Abs(x)*(math.Abs(t)/m.Mu+m.Mu) + math.Abs(m.logMu) + 2)
}

const logRootTwoPi = 0.91893853320467274178

// log returns the logarithm of the density of P in s, given the loss there, and a bound of its error.
func (g segment) log(s, loss float64) (log, err float64) {
	if g.negative {
		return g.m.logQ(-s)
	}
	log, err = g.m.logQ(s)
	return log + loss, err + g.m.lossError(loss, s) + 2*u*(math.Abs(log)+math.Abs(loss))
}

// radius returns an A such that both densities are at most e^{3/2} times as large on a disk of radius A about s as at s: φ(z) of a normal law
// with variance μ² whose mean is d away is at most e^{(2dA + A²)/(2μ²)} times φ(s).
func (g segment) radius(s float64) float64 {
	mu := g.m.Mu
	if mu == 0 {
		return 1
	}
	return mu * min(1, mu/(math.Abs(s)+mu*mu/2))
}

// rule is that of Gauss and Legendre: the positive nodes of [−1, 1], and their weights (Abramowitz and Stegun, Table 25.4).
type rule struct{ nodes, weights []float64 }

// Rules of four and of six nodes.
var (
	four = rule{
		[]float64{0.3399810435848562648026658, 0.8611363115940525752239465},
		[]float64{0.6521451548625461426269361, 0.3478548451374538573730639},
	}
	six = rule{
		[]float64{0.2386191860831969086305017, 0.6612093864662645136613996, 0.9324695142031520278123016},
		[]float64{0.4679139345726910473898703, 0.3607615730481386075698335, 0.1713244923791703450402961},
	}
)

// fine is half a panel's width, relative to the radius, up to which the rule of four will do.
const fine = 1e-3

// panel calls add with the losses of the segment at the nodes of a rule between a and b and their masses, relative to e^ref. The sum of what is linear in
// both densities is off by as much as what they are at the nodes, by err of it, and by remainder of the sum of the masses times its
// largest value relative to P on the disk: (64/15)e^{3/2}ρ^{−2n}/(1 − ρ^{−2}) of half the width, n the number of nodes and ρ > 1.99·radius over half the width.
func (g segment) panel(a, b float64, add func(loss, mass float64)) (ref, err, lossErr, remainder float64) {
	c, r := a+(b-a)/2, (b-a)/2
	ref, err = g.log(c, g.loss(c))
	q := r / min(g.radius(a), g.radius(b))
	rule := &six
	if q < fine {
		rule = &four
	}
	for i, x := range rule.nodes {
		x, w := r*x, r*rule.weights[i]
		for _, s := range [2]float64{c - x, c + x} {
			l := g.loss(s)
			log, e := g.log(s, l)
			add(l, elementary.Exp(log-ref)*w)
			err = max(err, e)
			lossErr = max(lossErr, g.m.lossError(l, s))
		}
	}
	q = q / 1.99 * (q / 1.99)
	remainder = 12 * q * q * q * q
	if rule == &six {
		remainder *= q * q
	}
	return ref, 2*err + 30*u, lossErr, remainder
}

// panels cuts the segment between a and b into panels whose halves are at most a sixteenth of the radius.
func (g segment) panels(a, b float64, do func(from, to float64)) {
	for a < b {
		to := min(b, a+g.radius(a)/8)
		if r := g.radius(to) / 8; to-a > r {
			to = a + r
		}
		if !(to > a) {
			to = b
		}
		do(a, to)
		a = to
	}
}

// parts returns the segments and jumps by rising loss, and the tail of the segments under the tilt θ, by its logarithm: less than about 2^−bits of the moment
// on either side. With p = 1 + θ, γP + (1−γ)Q has e^{θL}(dP'/dQ) = (1 − γ + γe^t)^p ≤ 2^θ((1−γ)^p + γ^p e^{pt}), and under Q
// e^{pt} has the mean e^{μ²pθ/2} and moves the normal law of t by pμ². The reverse has e^{−θL} ≤ (1−γ)^{−θ}, and 1 at most for t ≥ 0.
func (m *Mixture) parts(theta, bits float64) (segments []segment, jumps []atom, tail float64) {
	tail = math.Inf(-1)
	lo, hi := -m.Eps, m.Eps // of t
	if m.Mu > 0 {
		m.logMu = elementary.Log(m.Mu)
		square := m.Mu * m.Mu
		mean, p := square/2, 1+theta
		depth := (bits + 1.5*theta) * math.Ln2
		reach := func(depth float64) float64 { return m.Mu * math.Sqrt(2*max(depth, 1)) }
		moved := p*math.Log(m.Rate) + square*p*theta/2 // the moment of the second term
		if m.Of == Addition {
			lo, hi = -mean-reach(depth-theta*math.Log(1-m.Rate)), reach(depth)
			tail = math.Ln2 - depth
		} else {
			lo, hi = -mean-reach(depth), max(reach(depth), mean+theta*square+reach(depth+min(moved, 0)))
			tail = theta*math.Ln2 + max(moved, 0) + 2*math.Ln2 - depth
		}
		tail += 1e-9 * (1 + math.Abs(tail) + math.Abs(moved))
	}
	up, down := segment{m, false, lo, hi}, segment{m, true, -hi, -lo}
	half := -math.Ln2
	low, high := m.dilute(-m.Eps), m.dilute(m.Eps)
	switch m.Of {
	case Removal:
		segments = []segment{up}
		jumps = []atom{{low, half + low}, {high, half - m.Eps + high}}
	case Addition:
		segments = []segment{down}
		jumps = []atom{{-high, half - m.Eps}, {-low, half}}
	default:
		down.hi, up.lo = 0, 0
		segments = []segment{down, up}
		apart := elementary.Erf(m.Mu / (2 * math.Sqrt2)) // the total variation distance of P and Q
		if m.Mu == 0 {
			apart = -expm1(-m.Eps / 2)
		}
		rest := (1 - m.Rate) * apart
		jumps = []atom{{-high, half - m.Eps}, {0, math.Log(rest)}, {high, half - m.Eps + high}}
		if m.Mu > 0 {
			jumps = jumps[1:2]
		}
		if rest == 0 {
			jumps = nil
		}
	}
	if m.Mu > 0 && m.Of != Replacement {
		jumps = nil
	}
	return segments, jumps, tail
}

// grid are the points offset + n·step.
type grid struct{ step, offset float64 }

func (g grid) at(n int64) float64 { return g.offset + float64(float64(n)*g.step) }

func (g grid) floor(l float64) int64 { return int64(math.Floor((l - g.offset) / g.step)) }

// sum is a positive number v·e^ref.
type sum struct{ v, ref float64 }

func (s *sum) add(v, ref float64) {
	switch {
	case s.v == 0:
		s.v, s.ref = v, ref
	case ref-s.ref > 300:
		s.v, s.ref = v+s.v*elementary.Exp(s.ref-ref), ref
	default:
		s.v += v * elementary.Exp(ref-s.ref)
	}
}

func (s sum) log() float64 {
	if s.v <= 0 {
		return math.Inf(-1)
	}
	return s.ref + math.Log(s.v)
}

// Pessimistic returns a law above the mixture: a loss r above a grid point counts with the share (1 − e^{−r})/(1 − e^{−step}) at the next
// one, and with the rest at this one, which keeps the mean of e^{−loss} (Doroshenko and others 2022). All points are raised
// by as much as losses may be off.
func (m *Mixture) Pessimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error) {
	segments, jumps, tail := m.parts(theta, bits)
	g := grid{step, offset}
	first := g.floor(segments[0].loss(segments[0].lo)) - 1
	last := g.floor(segments[len(segments)-1].loss(segments[len(segments)-1].hi)) + 2
	for _, a := range jumps {
		first, last = min(first, g.floor(a.loss)-1), max(last, g.floor(a.loss)+2)
	}
	if last-first > 1<<mostLevels {
		return nil, ErrTooFine
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
				off := err + remainder*2.1/whole + 10*u
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
		if up > off/step { // else it is on a point
			sums[n+1-first].add(up+off, a.log)
		}
		sums[n-first].add(1-up+off, a.log)
	}
	return &Law{Step: step, Offset: offset + 2*shift, First: first, Log: logs(sums, 0, 1), Tail: tail, Theta: theta}, nil
}

// Optimistic returns a law below the mixture: neighboring losses are merged, which reveals less, such that ln(P/Q) of what is merged is at
// least a grid point's and hardly more. The least end of every cell is looked for that satisfies it. All points are lowered by as
// much as losses may be off.
func (m *Mixture) Optimistic(ctx context.Context, step, offset, theta, bits float64) (*Law, error) {
	segments, jumps, _ := m.parts(theta, bits)
	g := grid{step, offset}
	bottom := segments[0].loss(segments[0].lo)
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

// merger merges losses, which come by rising loss. The open cell has the mass cell.v and Σ mass·(1 − e^{point − loss}) = balance, both relative to e^ref; where the balance
// is not negative the cell is at least at its point.
type merger struct {
	grid
	first   int64
	sums    []sum
	shift   float64
	point   int64
	cell    sum
	balance float64
	share   float64 // where the last cell ended, in steps above its point
	lean    float64 // how much further it had to reach up than down
}

// put adds mass to a grid point.
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

// close ends the open cell: at its point, or at the one below, which all its losses reach.
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

// jump takes an atom, alone in a cell to begin with.
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
		if b.point-b.first > 1<<mostLevels {
			return ErrTooFine
		}
		g := b.at(b.point)
		// The end of the cell: by Newton's method on the balance.
		// With a cell from a below its point to b above it, b − a is that of the cell before, nearly. The least b would make the next a larger, and
		// so on by turns: b is half of the step and of b − a at least.
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
			slope := share * b.step * mass.v / max(share+0.5, 0.75) // of the balance, a share more
			gap := balance / slope
			need = share - gap
			if balance >= 0 && balance <= 0.02*b.step*b.step*mass.v || balance >= 0 && share == least || to == seg.hi || try == 8 || balance < 0 && share == 1 {
				break
			}
			share = need + 5e-3*b.step
		}
		if balance < 0 && to < seg.hi { // no end satisfies: what lies below the next point goes to the one below this
			to = seg.edge(g+b.step/2, from)
			mass, balance = b.take(seg, from, to)
			balance = min(balance, -1)
		}
		b.cell, b.balance = mass, balance
		if to == seg.hi {
			return nil // what comes next may go on with the cell
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
		if l := seg.loss(to); b.floor(l) >= b.point { // the losses go on above
			b.point = b.floor(l) + 1
		}
		from = to
	}
	return nil
}

// take returns the open cell with the losses between two places added.
func (b *merger) take(seg segment, from, to float64) (cell sum, balance float64) {
	cell, balance = b.cell, b.balance
	g := b.at(b.point)
	seg.panels(from, to, func(x, y float64) {
		all, over := 0.0, 0.0
		ref, err, lossErr, remainder := seg.panel(x, y, func(l, mass float64) {
			all += mass
			over -= mass * expm1(g-l)
		})
		b.shift = max(b.shift, lossErr+4*u*math.Abs(g)+err*b.step+3*remainder+8*u*b.step)
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

// Jumps implements Source.
func (m *Mixture) Jumps() (spacing, at float64) {
	if m.Mu > 0 {
		return 0, 0
	}
	low, high := m.dilute(-m.Eps), m.dilute(m.Eps)
	switch m.Of {
	case Addition:
		low, high = -high, -low
	case Replacement:
		return high, high
	}
	return high - low, high
}

// Moments returns about ln E e^{θL} under P, and the mean and the variance of the loss tilted by θ: no bounds.
func (m *Mixture) Moments(theta float64) (k, mean, variance float64) {
	segments, jumps, _ := m.parts(theta, 40)
	var total, first, second sum
	add := func(l, mass, ref float64) {
		ref += theta * l
		total.add(mass, ref)
		first.add(mass*l, ref)
		second.add(mass*l*l, ref)
	}
	for _, seg := range segments {
		seg.panels(seg.lo, seg.hi, func(a, b float64) {
			ref := seg.logAt(a + (b-a)/2)
			seg.panel(a, b, func(l, mass float64) { add(l, mass, ref) })
		})
	}
	for _, a := range jumps {
		add(a.loss, 1, a.log)
	}
	scale := func(s sum) float64 { return s.v * math.Exp(s.ref-total.ref) / total.v }
	mean = scale(first)
	return total.log(), mean, max(scale(second)-mean*mean, 0)
}

// logAt returns the logarithm of the density of P in s.
func (g segment) logAt(s float64) float64 {
	l, _ := g.log(s, g.loss(s))
	return l
}
