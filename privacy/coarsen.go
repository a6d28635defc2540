package privacy

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

// A sum of many losses spreads wider than one of them, and asks for fewer rungs to the nat: steps grow as losses
// add up, so that what is lost at every doubling of the uses is the same share of their variance.

// newGrid returns the grid of step 2^scale units.
func newGrid(unit interval.Interval, scale, most int, under bool) grid {
	return grid{step: interval.Float(math.Ldexp(1, scale)).Mul(unit), unit: unit, maxBuckets: most, exponent: scale, optimistic: under}
}

// coarsenToLimit returns the law on a coarser grid, where there are too many rungs.
func (l *lossPMF) coarsenToLimit() *lossPMF {
	for l.maxBuckets > 0 && len(l.mass) > l.maxBuckets {
		l = l.coarsen()
	}
	return l
}

// alignGrids returns two laws on grids of one unit on the coarser of the two.
func alignGrids(a, b *lossPMF) (*lossPMF, *lossPMF) {
	for a.maxBuckets > 0 && a.exponent < b.exponent {
		a = a.coarsen()
	}
	for b.maxBuckets > 0 && b.exponent < a.exponent {
		b = b.coarsen()
	}
	return a, b
}

// coarsen returns a law over or under l on the rungs of even number.
func (l *lossPMF) coarsen() *lossPMF {
	out := &lossPMF{grid: newGrid(l.unit, l.exponent+1, l.maxBuckets, l.optimistic), base: l.base, first: (l.first - 1) >> 1, infinityMass: l.infinityMass, prec: l.prec, unassigned: l.unassigned}
	out.discVar = l.discVar.Add(out.step.Mul(out.step))
	out.mass = make([]*big.Int, len(l.mass)/2+3)
	for j := range out.mass {
		out.mass[j] = new(big.Int)
	}
	if l.optimistic {
		c := &optimisticDiscretizer{pmf: out}
		steps := &expm1Table{step: l.step, prec: l.prec}
		for j := len(l.mass) - 1; j >= 0; j-- {
			if k := l.first + int64(j); l.mass[j].Sign() > 0 {
				c.addFixed(l.mass[j], k>>1, func(bucket int64) *big.Int { return steps.oneMinusExp(k - 2*bucket) }, func(bucket int64) *big.Int { return steps.expm1(2*bucket - k) })
			}
		}
		c.flush()
		return out.dropEmptyTails()
	}
	// e^{−loss} keeps its mean: of an odd rung, 1/(1 + e^{−h}) goes up.
	unit := interval.Int(1)
	rise, fall := floorFixed(unit.Quo(unit.Add(l.step.Neg().Exp())), l.prec), floorFixed(unit.Quo(unit.Add(l.step.Exp())), l.prec)
	part := new(big.Int)
	for j, m := range l.mass {
		k := l.first + int64(j)
		at := int(k>>1 - out.first)
		if k&1 == 0 {
			out.mass[at].Add(out.mass[at], m)
			continue
		}
		out.mass[at].Add(out.mass[at], part.Rsh(part.Mul(m, fall), l.prec))
		out.mass[at+1].Add(out.mass[at+1], part.Rsh(part.Mul(m, rise), l.prec))
	}
	return out.dropEmptyTails()
}

// expm1Table knows how e^{−loss} changes from rung to rung, in units of 2^−prec.
type expm1Table struct {
	step                 interval.Interval
	prec                 uint
	oneMinusExps, expm1s []*big.Int
}

// oneMinusExp returns 1 − e^{−dh}, rounded down.
func (s *expm1Table) oneMinusExp(d int64) *big.Int {
	return memoized(&s.oneMinusExps, d, func() *big.Int { return floorFixed(s.step.Mul(interval.Int(-d)).Expm1().Neg(), s.prec) })
}

// expm1 returns e^{dh} − 1, rounded up, nil where that is beyond use.
func (s *expm1Table) expm1(d int64) *big.Int {
	return memoized(&s.expm1s, d, func() *big.Int { return expm1Up(s.step.Mul(interval.Int(d)), s.prec) })
}

// expm1Up returns e^t − 1 ≥ 0 in units of 2^−prec, rounded up, nil where that is beyond use.
func expm1Up(t interval.Interval, prec uint) *big.Int {
	if t.Mid() > 256 {
		return nil
	}
	return ceilFixed(t.Expm1(), prec)
}

// ceilFixed returns the least multiple of 2^−prec above a ≥ 0, or the next one.
func ceilFixed(a interval.Interval, prec uint) *big.Int {
	n := floorFixed(a.Upper(), prec)
	return n.Add(n, big.NewInt(1))
}

// memoized returns entry d of a list, found once where d is small.
func memoized(list *[]*big.Int, d int64, find func() *big.Int) *big.Int {
	if d >= 64 {
		return find()
	}
	for int64(len(*list)) <= d {
		*list = append(*list, nil)
	}
	if (*list)[d] == nil {
		(*list)[d] = find()
	}
	return (*list)[d]
}
