package privacy

import (
	"context"
	"math"

	"dpworkbench/internal/elementary"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// This file rounds lists of losses up and down to float64.

// float64Pair implements Pair. The upper bound has the upper ends of masses and losses, and the lower bound the lower
// ends. If l.below is not nil, the lower bound is made from l.below.
func (l *DiscretePair) float64Pair(context.Context, uint) (*float64Pair, error) {
	if l.below != nil {
		above, below := l.roundedUp(), l.below.roundedDown()
		above.Spacing, below.Spacing = l.spacing, l.spacing
		return &float64Pair{above, below}, nil
	}
	above, below := l.roundedUp(), l.roundedDown()
	if lat := l.lattice(); lat != nil && !lat.unit.IsZero() && lat.maxIndex-lat.minIndex < maxLatticeBuckets && len(above.Loss) == len(l.atoms) && len(below.Loss) == len(l.atoms) {
		above.Spacing, above.Point = lat.unit.Value(), above.Loss[0]
		below.Spacing, below.Point = above.Spacing, above.Point
	}
	return &float64Pair{above, below}, nil
}

// logMass returns the function that encloses logarithms of masses.
func (l *DiscretePair) logMass() func(x interval.Interval) interval.Interval {
	if len(l.atoms) > quickCells { // the masses of so many cells have larger errors than float64 logarithms
		return quickLog
	}
	return interval.Interval.Log
}

// roundedUp returns the list of the largest losses and masses that the atoms may have.
func (l *DiscretePair) roundedUp() *pld.List {
	logOf, above := l.logMass(), &pld.List{}
	infinity := l.infinityMass.Enclosure.Upper()
	for _, a := range l.atoms {
		p := a.P.Enclosure.Upper()
		if s, _ := p.Sign(); s <= 0 {
			continue
		}
		if _, hi := l.Loss(a).Bounds(); hi <= maxFloatLoss {
			_, log := logOf(p).Bounds()
			above.Loss, above.Log = append(above.Loss, max(hi, -maxFloatLoss)), append(above.Log, min(log, 0))
		} else {
			infinity = infinity.Add(p)
		}
	}
	_, above.Infinity = infinity.Bounds()
	above.Infinity = min(max(above.Infinity, 0), 1)
	return above
}

// roundedDown returns the list of the least losses and masses that the atoms may have.
func (l *DiscretePair) roundedDown() *pld.List {
	logOf, below := l.logMass(), &pld.List{}
	below.Infinity, _ = l.infinityMass.Enclosure.Bounds()
	below.Infinity = min(max(below.Infinity, 0), 1)
	for _, a := range l.atoms {
		p := a.P.Enclosure.Lower()
		if s, _ := p.Sign(); s <= 0 {
			continue
		}
		if lo, _ := l.Loss(a).Bounds(); lo >= -maxFloatLoss {
			if log, _ := logOf(p).Bounds(); log >= -math.MaxFloat64 {
				below.Loss, below.Log = append(below.Loss, min(lo, maxFloatLoss)), append(below.Log, log)
			}
		}
	}
	return below
}

// quickLog encloses the logarithm of a positive number with a float64 logarithm.
func quickLog(x interval.Interval) interval.Interval {
	lo, hi := x.Bounds()
	if !(lo > 0x1p-1000) {
		return x.Log()
	}
	v, w := elementary.Log(lo), elementary.Log(hi)
	return interval.Between(v-elementary.LogError*math.Abs(v), w+elementary.LogError*math.Abs(w))
}

// quickExp encloses e^x with a float64 exponential.
func quickExp(x interval.Interval) interval.Interval {
	lo, hi := x.Bounds()
	if !(math.Abs(lo) < 700 && math.Abs(hi) < 700) {
		return x.Exp()
	}
	return interval.Between(elementary.Exp(lo)*(1-2*elementary.ExpError), elementary.Exp(hi)*(1+2*elementary.ExpError))
}

// list returns the losses and masses with bounds of their errors, and nil if float64 cannot hold them.
func (l *DiscretePair) list() *pld.List {
	above, below := l.roundedUp(), l.roundedDown()
	if len(above.Loss) != len(l.atoms) || len(below.Loss) != len(l.atoms) {
		return nil
	}
	out := &pld.List{Infinity: above.Infinity, InfinityError: above.Infinity - below.Infinity}
	for i := range above.Loss {
		out.Loss, out.Log = append(out.Loss, above.Loss[i]), append(out.Log, above.Log[i])
		out.LossError = max(out.LossError, above.Loss[i]-below.Loss[i])
		out.LogError = max(out.LogError, above.Log[i]-below.Log[i])
	}
	return out
}
