package privacy

import (
	"math/big"

	"dpworkbench/interval"
)

// optimisticDiscretizer merges outputs, taken by falling loss, until the loss of the merged output, ln P/Q of all of it, is
// that of a rung. To merge outputs is to tell less (post-processing), so that the law lies under that of
// the outputs. An output may be divided between two cells, as if a coin were thrown with it.
//
// Of mass m at a loss l, the share that e^{−l} falls short of or exceeds that of the rung g is a gain of m(1 − e^{g−l}) or
// a cost of m(e^{g−l} − 1); a cell is full where its costs have used up its gains. Gains are rounded down and
// costs up, so that the loss of a cell is at least that of the rung.
type optimisticDiscretizer struct {
	pmf     *lossPMF // where full cells go
	open    bool
	bucket  int64
	mass    *big.Int
	balance *big.Int // what is left of the gains, in units of 2^−2prec
}

// addFixed takes the next output, of positive mass, whose loss is at least that of rung floor and below the
// next rung. gain and cost are 1 − e^{g−l} and e^{g−l} − 1 for a rung of loss g at most or at least l, in units of 2^−prec, a cost
// of nil being more than there can be.
func (c *optimisticDiscretizer) addFixed(mass *big.Int, floor int64, gain, cost func(bucket int64) *big.Int) {
	left := new(big.Int).Set(mass)
	for c.open && floor < c.bucket {
		each := cost(c.bucket)
		if each == nil {
			c.flush()
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
		c.flush()
	}
	if !c.open {
		c.open, c.bucket, c.mass, c.balance = true, floor, new(big.Int), new(big.Int)
	}
	c.mass.Add(c.mass, left)
	c.balance.Add(c.balance, left.Mul(left, gain(c.bucket)))
}

// add takes an output of the mass, as the least its loss may be.
func (c *optimisticDiscretizer) add(mass *big.Int, loss interval.Interval) {
	if mass.Sign() == 0 {
		return
	}
	loss, prec := loss.Lower().Sub(c.pmf.base.Lower()).Lower(), c.pmf.prec
	away := func(bucket int64) interval.Interval { return c.pmf.step.Mul(interval.Int(bucket)).Sub(loss) }
	floor, _ := loss.Quo(c.pmf.step).Lower().Floor()
	c.addFixed(mass, floor.Int64(), func(bucket int64) *big.Int { return floorFixed(away(bucket).Expm1().Neg(), prec) }, func(bucket int64) *big.Int { return expm1Up(away(bucket), prec) })
}

// A ladder under losses has its rungs a hair below where they are said to be, so that a loss that is off a rung by
// rounding alone is not below it: many hairs where losses have been on rungs before.
var (
	slack             = interval.Float(-0x1p-200)
	slackBelow        = interval.Hull(slack, interval.Int(0))
	latticeSlackBelow = interval.Between(-0x1p-160, 0)
)

// discretizer gives a ladder rungs for losses of the spread, and returns what puts masses there, taken by falling loss, and what is
// to be done in the end.
func (l *lossPMF) discretizer(spread interval.Interval) (add func(loss, mass interval.Interval), finish func() *lossPMF) {
	if !l.optimistic {
		return newPessimisticDiscretizer(l, spread).split, l.dropEmptyTails
	}
	l.allocate(spread)
	c := &optimisticDiscretizer{pmf: l}
	return func(loss, mass interval.Interval) { c.add(floorFixed(mass, l.prec), loss) }, func() *lossPMF {
		c.flush()
		return l.dropEmptyTails()
	}
}

// regrid returns a law over or under l, which lies on a lattice, on a grid.
func (l *lossPMF) regrid(g grid) *lossPMF {
	for l.maxBuckets > 0 && 2*l.step.Mid() <= g.step.Mid() { // in whole numbers
		l = l.coarsen()
	}
	out := &lossPMF{grid: g, base: interval.Int(0), prec: l.prec, infinityMass: l.infinityMass, discVar: l.discVar, unassigned: l.unassigned}
	if g.optimistic {
		out.base = latticeSlackBelow
	}
	if len(l.mass) == 0 {
		return out
	}
	add, finish := out.discretizer(interval.Hull(l.lossAt(0), l.lossAt(len(l.mass)-1)))
	for j := len(l.mass) - 1; j >= 0; j-- {
		if l.mass[j].Sign() > 0 {
			add(l.lossAt(j), fromFixed(l.mass[j], l.prec))
		}
	}
	return finish().coarsenToLimit()
}

// flush ends a cell, full or not: what is left of its gains is given away.
func (c *optimisticDiscretizer) flush() {
	if c.open {
		m := c.pmf.mass[c.bucket-c.pmf.first]
		m.Add(m, c.mass)
		c.open = false
	}
}
