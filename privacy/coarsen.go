package privacy

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

// A sum of many losses spreads wider than one of them, and asks for fewer rungs to the nat: steps grow as losses
// add up, so that what is lost at every doubling of the uses is the same share of their variance.

// dyadic returns the grid of step 2^scale units.
func dyadic(unit interval.Interval, scale, most int, under bool) grid {
	return grid{step: interval.Float(math.Ldexp(1, scale)).Mul(unit), unit: unit, most: most, scale: scale, under: under}
}

// fit returns the law on a coarser grid, where there are too many rungs.
func (l *ladder) fit() *ladder {
	for l.most > 0 && len(l.mass) > l.most {
		l = l.coarsen()
	}
	return l
}

// meet returns two laws on grids of one unit on the coarser of the two.
func meet(a, b *ladder) (*ladder, *ladder) {
	for a.most > 0 && a.scale < b.scale {
		a = a.coarsen()
	}
	for b.most > 0 && b.scale < a.scale {
		b = b.coarsen()
	}
	return a, b
}

// coarsen returns a law over or under l on the rungs of even number.
func (l *ladder) coarsen() *ladder {
	out := &ladder{grid: dyadic(l.unit, l.scale+1, l.most, l.under), base: l.base, first: (l.first - 1) >> 1, sure: l.sure, prec: l.prec, lent: l.lent}
	out.moved = l.moved.Add(out.step.Mul(out.step))
	out.mass = make([]*big.Int, len(l.mass)/2+3)
	for j := range out.mass {
		out.mass[j] = new(big.Int)
	}
	if l.under {
		c := &cells{l: out}
		steps := &stairs{h: l.step, prec: l.prec}
		for j := len(l.mass) - 1; j >= 0; j-- {
			if k := l.first + int64(j); l.mass[j].Sign() > 0 {
				c.take(l.mass[j], k>>1, func(rung int64) *big.Int { return steps.down(k - 2*rung) }, func(rung int64) *big.Int { return steps.up(2*rung - k) })
			}
		}
		c.close()
		return out.trim()
	}
	// e^{−loss} keeps its mean: of an odd rung, 1/(1 + e^{−h}) goes up.
	unit := interval.Int(1)
	rise, fall := cut(unit.Quo(unit.Add(l.step.Neg().Exp())), l.prec), cut(unit.Quo(unit.Add(l.step.Exp())), l.prec)
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
	return out.trim()
}

// stairs knows how e^{−loss} changes from rung to rung, in units of 2^−prec.
type stairs struct {
	h          interval.Interval
	prec       uint
	falls, ups []*big.Int
}

// down returns 1 − e^{−dh}, rounded down.
func (s *stairs) down(d int64) *big.Int {
	return remembered(&s.falls, d, func() *big.Int { return cut(s.h.Mul(interval.Int(-d)).Expm1().Neg(), s.prec) })
}

// up returns e^{dh} − 1, rounded up, nil where that is beyond use.
func (s *stairs) up(d int64) *big.Int {
	return remembered(&s.ups, d, func() *big.Int { return rise(s.h.Mul(interval.Int(d)), s.prec) })
}

// rise returns e^t − 1 ≥ 0 in units of 2^−prec, rounded up, nil where that is beyond use.
func rise(t interval.Interval, prec uint) *big.Int {
	if t.Mid() > 256 {
		return nil
	}
	return roundedUp(t.Expm1(), prec)
}

// roundedUp returns the least multiple of 2^−prec above a ≥ 0, or the next one.
func roundedUp(a interval.Interval, prec uint) *big.Int {
	n := cut(a.Upper(), prec)
	return n.Add(n, big.NewInt(1))
}

// remembered returns entry d of a list, found once where d is small.
func remembered(list *[]*big.Int, d int64, find func() *big.Int) *big.Int {
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
