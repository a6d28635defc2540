package privacy

import (
	"math/big"

	"dpworkbench/interval"
)

// cells merges outputs, taken by falling loss, until the loss of the merged output, ln P/Q of all of it, is
// that of a rung. To merge outputs is to tell less (post-processing), so that the law lies under that of
// the outputs. An output may be divided between two cells, as if a coin were thrown with it.
//
// Of mass m at a loss l, the share that e^{−l} falls short of or exceeds that of the rung g is a gain of m(1 − e^{g−l}) or
// a cost of m(e^{g−l} − 1); a cell is full where its costs have used up its gains. Gains are rounded down and
// costs up, so that the loss of a cell is at least that of the rung.
type cells struct {
	l       *ladder // where full cells go
	open    bool
	rung    int64
	mass    *big.Int
	balance *big.Int // what is left of the gains, in units of 2^−2prec
}

// take takes the next output, of positive mass, whose loss is at least that of rung floor and below the
// next rung. gain and cost are 1 − e^{g−l} and e^{g−l} − 1 for a rung of loss g at most or at least l, in units of 2^−prec, a cost
// of nil being more than there can be.
func (c *cells) take(mass *big.Int, floor int64, gain, cost func(rung int64) *big.Int) {
	left := new(big.Int).Set(mass)
	for c.open && floor < c.rung {
		each := cost(c.rung)
		if each == nil {
			c.close()
			break
		}
		used := new(big.Int).Set(left)
		if each.Sign() > 0 {
			if most := new(big.Int).Quo(c.balance, each); most.Cmp(left) < 0 {
				used = most
			}
		}
		c.mass.Add(c.mass, used)
		c.balance.Sub(c.balance, new(big.Int).Mul(used, each))
		if left.Sub(left, used).Sign() == 0 {
			return
		}
		c.close()
	}
	if !c.open {
		c.open, c.rung, c.mass, c.balance = true, floor, new(big.Int), new(big.Int)
	}
	c.mass.Add(c.mass, left)
	c.balance.Add(c.balance, left.Mul(left, gain(c.rung)))
}

// put takes an output of the mass, as the least its loss may be.
func (c *cells) put(mass *big.Int, loss interval.Interval) {
	if mass.Sign() == 0 {
		return
	}
	loss, prec := loss.Lower().Sub(c.l.base.Lower()).Lower(), c.l.prec
	away := func(rung int64) interval.Interval { return c.l.step.Mul(interval.Int(rung)).Sub(loss) }
	floor, _ := loss.Quo(c.l.step).Lower().Floor()
	c.take(mass, floor.Int64(), func(rung int64) *big.Int { return cut(away(rung).Expm1().Neg(), prec) }, func(rung int64) *big.Int { return rise(away(rung), prec) })
}

// A ladder under losses has its rungs a hair below where they are said to be, so that a loss that is off a rung by
// rounding alone is not below it: many hairs where losses have been on rungs before.
var (
	hair       = interval.Float(-0x1p-200)
	hairBelow  = interval.Hull(hair, interval.Int(0))
	hairsBelow = interval.Between(-0x1p-160, 0)
)

// filled gives a ladder rungs for losses of the spread, and returns what puts masses there, taken by falling loss, and what is
// to be done in the end.
func (l *ladder) filled(spread interval.Interval) (place func(loss, mass interval.Interval), done func() *ladder) {
	if !l.under {
		return newBins(l, spread).split, l.trim
	}
	l.makeRoom(spread)
	c := &cells{l: l}
	return func(loss, mass interval.Interval) { c.put(cut(mass, l.prec), loss) }, func() *ladder {
		c.close()
		return l.trim()
	}
}

// regrid returns a law over or under l, which lies on a lattice, on a grid.
func (l *ladder) regrid(g grid) *ladder {
	for l.most > 0 && 2*l.step.Mid() <= g.step.Mid() { // in whole numbers
		l = l.coarsen()
	}
	out := &ladder{grid: g, base: interval.Int(0), prec: l.prec, sure: l.sure, moved: l.moved, lent: l.lent}
	if g.under {
		out.base = hairsBelow
	}
	if len(l.mass) == 0 {
		return out
	}
	place, done := out.filled(interval.Hull(l.at(0), l.at(len(l.mass)-1)))
	for j := len(l.mass) - 1; j >= 0; j-- {
		if l.mass[j].Sign() > 0 {
			place(l.at(j), scaled(l.mass[j], l.prec))
		}
	}
	return done().fit()
}

// close ends a cell, full or not: what is left of its gains is given away.
func (c *cells) close() {
	if c.open {
		m := c.l.mass[c.rung-c.l.first]
		m.Add(m, c.mass)
		c.open = false
	}
}
