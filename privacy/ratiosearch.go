package privacy

import (
	"container/heap"

	"dpworkbench/interval"
)

// ratioCell is an interval [from, to] of s. It has the log-moment K at both ends, kf and kt, and an upper bound of
// K(x)/(x(1 + x)) between them.
type ratioCell struct {
	p        *composition
	from, to float64
	kf, kt   interval.Interval
	aside    interval.Interval // contribution of Gaussian pairs
	discrete *composition      // the discrete Gaussian pairs; nil if there are none
	whole    interval.Interval // their contribution at integer orders, where it is largest
	mean     interval.Interval // mean loss of the other pairs
	curve    interval.Interval // upper bound on the variance of their losses under tilting
	bound    interval.Interval
}

// ratioSearch is a heap of cells with the largest bound on top, and the largest ratio found.
type ratioSearch struct {
	cells  []*ratioCell
	lo     interval.Interval
	beyond interval.Interval // upper bound beyond the last cells
	steps  int
}

func (s *ratioSearch) Len() int           { return len(s.cells) }
func (s *ratioSearch) Less(i, j int) bool { return s.cells[i].bound.CmpHi(s.cells[j].bound) > 0 }
func (s *ratioSearch) Swap(i, j int)      { s.cells[i], s.cells[j] = s.cells[j], s.cells[i] }
func (s *ratioSearch) Push(x any)         { s.cells = append(s.cells, x.(*ratioCell)) }
func (s *ratioSearch) Pop() any {
	last := s.cells[len(s.cells)-1]
	s.cells = s.cells[:len(s.cells)-1]
	return last
}

// begin adds the cells [0, 1], [1, 2], … [2^k, 2^{k+1}] of a composition, until the bound beyond the last cell is below
// the largest ratio found. Gaussian pairs have the same ratio at every order, which is added as a constant. Discrete
// Gaussian pairs have the same ratio at all integer orders and as α tends to 1, and a smaller ratio at other orders.
func (s *ratioSearch) begin(p *composition) {
	rest, aside := &composition{}, interval.Int(0)
	var discrete *composition
	whole := interval.Int(0)
	mean, curve, top := interval.Int(0), interval.Int(0), interval.Int(0)
	for _, f := range p.factors {
		n := interval.Int(int64(f.times))
		if g, ok := f.pair.(*closedForm); ok && g.normalMu != nil {
			aside = aside.Add(g.mean) // only one use, since newComposition merges normal pairs
			continue
		}
		if g, ok := f.pair.(*discreteGaussian); ok {
			if discrete == nil {
				discrete = &composition{}
			}
			discrete.factors = append(discrete.factors, f)
			whole = whole.Add(g.half.Mul(n))
			continue
		}
		rest.factors = append(rest.factors, f)
		mean, top = mean.Add(f.pair.Mean().Mul(n)), top.Add(f.pair.LossRange().Mul(n))
		curve = curve.Add(f.pair.VarianceBound().Mul(n))
	}
	aside = aside.Add(whole)
	s.lo = interval.Max(s.lo, interval.Max(mean.Add(aside), interval.Int(0))) // the limit as α tends to 1
	from, kf := 0.0, interval.Int(0)
	for to := 1.0; len(rest.factors) > 0; to *= 2 {
		kt := rest.logMoment(interval.Float(to))
		c := &ratioCell{p: rest, aside: aside, discrete: discrete, whole: whole, mean: mean, curve: curve, from: from, to: to, kf: kf, kt: kt}
		s.push(c)
		s.reach(c, to, kt)
		beyond := top.Quo(interval.Float(1 + to)).Add(aside) // because K(x)/x is at most the largest loss
		if beyond.CmpHi(s.lo) <= 0 {
			return
		}
		if to > 0x1p60 {
			s.beyond = interval.Max(s.beyond, beyond)
			return
		}
		from, kf = to, kt
	}
}

// reach raises the largest ratio found to at least the ratio at a point of a cell.
func (s *ratioSearch) reach(c *ratioCell, at float64, k interval.Interval) {
	x := interval.Float(at)
	over, aside := x.Mul(interval.Int(1).Add(x)), c.aside
	if c.discrete != nil {
		aside = aside.Sub(c.whole).Add(c.discrete.logMoment(x).Quo(over))
	}
	s.lo = interval.Max(s.lo, k.Quo(over).Add(aside))
}

func (s *ratioSearch) push(c *ratioCell) {
	c.bound = c.most().Add(c.aside)
	heap.Push(s, c)
}

// halve halves the cell with the largest bound.
func (s *ratioSearch) halve() {
	s.steps++
	c := heap.Pop(s).(*ratioCell)
	mid := (c.from + c.to) / 2
	k := c.p.logMoment(interval.Float(mid))
	s.reach(c, mid, k)
	left, right := *c, *c
	left.to, left.kt = mid, k
	right.from, right.kf = mid, k
	s.push(&left)
	s.push(&right)
}

// most returns an upper bound of K(x)/(x(1 + x)) over the cell: the smaller of two bounds, one by mean and curvature
// and one by the chord.
func (c *ratioCell) most() interval.Interval {
	unit := interval.Int(1)
	at := func(x, k interval.Interval) interval.Interval { return k.Quo(x.Mul(unit.Add(x))) }
	from, to := interval.Float(c.from), interval.Float(c.to)
	// (mean + x·curvature/2)/(1 + x) is monotone in x.
	even := func(x interval.Interval) interval.Interval {
		return c.mean.Add(x.Mul(c.curve).Quo(interval.Int(2))).Quo(unit.Add(x))
	}
	out := interval.Max(even(from), even(to))
	chord := c.kt.Quo(to) // because K(x)/x increases
	if c.from > 0 {
		chord = c.chord(at)
	}
	if chord.CmpHi(out) < 0 {
		return chord
	}
	return out
}

// chord returns an upper bound of the ratio from the chord a + bx through the upper ends of K. The derivative of (a +
// bx)/(x + x²) has the sign of −(bx² + 2ax + a), so the ratio decreases if a > 0. Otherwise it is largest at an end of
// the cell or at the larger root x = (−a + √(a² − ab))/b.
func (c *ratioCell) chord(at func(x, k interval.Interval) interval.Interval) interval.Interval {
	unit := interval.Int(1)
	from, to := interval.Float(c.from), interval.Float(c.to)
	kf, kt := c.kf.Upper(), c.kt.Upper()
	slope := kt.Sub(kf).Quo(to.Sub(from))
	base := kf.Sub(slope.Mul(from))
	out := interval.Max(at(from, kf), at(to, kt))
	if sign, _ := base.Sign(); sign <= 0 {
		if s, _ := slope.Sign(); s > 0 {
			down := base.Neg()
			root := down.Add(base.Mul(base).Add(down.Mul(slope)).Sqrt()).Quo(slope)
			x := interval.Min(interval.Max(root, from), to) // clamped to the cell
			out = interval.Max(out, base.Add(slope.Mul(x)).Quo(x.Mul(unit.Add(x))))
		}
	}
	return out
}
