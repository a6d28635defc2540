package privacy

import (
	"container/heap"
	"context"
	"math"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// composeOnGrid returns a law over or under that of the sum of the losses on grids: those of few rungs are multiplied
// first.
func (p *composition) composeOnGrid(ctx context.Context, prec uint, under bool) (*lossPMF, error) {
	parts := gridFactors(p.factors, prec)
	all := 0.0
	for _, f := range parts {
		lo, hi := f.pair.truncatedRange(prec)
		if all += 16 * (hi - lo) * float64(f.times); math.IsInf(all, 0) || math.IsNaN(all) { // as far as steps are chosen by
			return nil, parameter.Errorf("losses are known to lie between %g and %g, want numbers whose sums over %d uses are finite", lo, hi, f.times)
		}
	}
	most := setSteps(parts, prec)
	pmfs := &byWidth{}
	for _, f := range parts {
		var l *lossPMF
		var err error
		if f.lattice != nil { // losses of a lattice stay there while they add up
			l, err = (&composition{factors: []factor{f.factor}}).composeOnLattice(ctx, prec)
		} else if l, err = f.pair.discretize(ctx, newGrid(f.unit, f.exponent, most, under), prec); err == nil {
			l, err = l.coarsenToLimit().selfConvolve(ctx, f.times)
		}
		if err != nil {
			return nil, err
		}
		if len(parts) > 1 && (f.lattice != nil || f.scaledUnit) {
			l = l.regrid(newGrid(interval.Int(1), f.commonExponent, most, under))
		}
		*pmfs = append(*pmfs, l)
	}
	heap.Init(pmfs)
	for pmfs.Len() > 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := heap.Pop(pmfs).(*lossPMF)
		b := heap.Pop(pmfs).(*lossPMF)
		heap.Push(pmfs, a.convolve(b))
	}
	return (*pmfs)[0], nil
}

// byWidth is laws as a heap: the one that spreads least first.
type byWidth []*lossPMF

func (b byWidth) Len() int           { return len(b) }
func (b byWidth) Less(i, j int) bool { return b[i].width() < b[j].width() }
func (b byWidth) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Push implements heap.Interface.
func (b *byWidth) Push(l any) { *b = append(*b, l.(*lossPMF)) }

// Pop implements heap.Interface.
func (b *byWidth) Pop() any {
	n := len(*b) - 1
	l := (*b)[n]
	*b = (*b)[:n]
	return l
}

// width is how far the losses spread.
func (l *lossPMF) width() float64 { return math.Ldexp(float64(len(l.mass)), l.exponent) }
