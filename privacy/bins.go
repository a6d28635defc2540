package privacy

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

// pessimisticDiscretizer fills a ladder over the losses, whose rungs are multiples of its step. Losses that lie between rungs are
// split between the two next to them, in the proportion that keeps x = dQ/dP on average: (1 − e^ε x)⁺
// is convex in x, so that no hockey-stick divergence falls, whatever else is composed (Doroshenko and others 2022).
type pessimisticDiscretizer struct {
	pmf *lossPMF
	// width encloses 1 − e^{−step}.
	width interval.Interval
}

// allocate gives a ladder rungs for losses of the given spread, which is finite.
func (l *lossPMF) allocate(spread interval.Interval) {
	lo, hi := spread.Quo(l.step).Bounds()
	l.first = int64(math.Floor(lo)) - 1
	l.mass = make([]*big.Int, int64(math.Ceil(hi))+2-l.first)
	for i := range l.mass {
		l.mass[i] = new(big.Int)
	}
}

func newPessimisticDiscretizer(l *lossPMF, spread interval.Interval) *pessimisticDiscretizer {
	l.allocate(spread)
	l.discVar = l.discVar.Add(l.step.Mul(l.step))
	return &pessimisticDiscretizer{l, interval.Int(1).Sub(l.step.Neg().Exp())}
}

// bucketBelow returns the last rung that is not above a loss, or one that differs from the loss by
// rounding alone.
func (b *pessimisticDiscretizer) bucketBelow(loss interval.Interval) int64 {
	at := loss.Quo(b.pmf.step)
	if n, ok := at.Floor(); ok {
		return n.Int64()
	}
	return int64(math.Round(at.Mid()))
}

// split spreads mass of a loss on the rungs below and above it such that x = e^{−loss}
// keeps its mean: 1 − e^{rung − loss} over 1 − e^{−step} goes above.
func (b *pessimisticDiscretizer) split(loss, mass interval.Interval) {
	k := b.bucketBelow(loss)
	zero, unit := interval.Int(0), interval.Int(1)
	above := loss.Sub(b.pmf.step.Mul(interval.Int(k))).Neg().Expm1().Neg().Quo(b.width)
	b.add(k+1, mass.Mul(interval.Max(above, zero)))
	b.add(k, mass.Mul(interval.Max(unit.Sub(interval.Max(above, zero)), zero)))
}

func (b *pessimisticDiscretizer) add(k int64, mass interval.Interval) {
	m := b.pmf.mass[k-b.pmf.first]
	m.Add(m, floorFixed(mass, b.pmf.prec))
}
