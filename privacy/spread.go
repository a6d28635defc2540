package privacy

import (
	"container/heap"
	"context"
	"math"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// spread returns a law over or under that of the sum of the losses on grids: those of few rungs are multiplied
// first.
func (p *product) spread(ctx context.Context, prec uint, under bool) (*ladder, error) {
	parts := partsOf(p.factors, prec)
	all := 0.0
	for _, f := range parts {
		lo, hi := f.pair.window(prec)
		if all += 16 * (hi - lo) * float64(f.times); math.IsInf(all, 0) || math.IsNaN(all) { // as far as steps are chosen by
			return nil, parameter.Errorf("losses are known to lie between %g and %g, want numbers whose sums over %d uses are finite", lo, hi, f.times)
		}
	}
	most := setScales(parts, prec)
	laws := &byLength{}
	for _, f := range parts {
		var l *ladder
		var err error
		if f.own != nil { // losses of a lattice stay there while they add up
			l, err = (&product{factors: []factor{f.factor}}).climb(ctx, prec)
		} else if l, err = f.pair.ladder(ctx, dyadic(f.unit, f.scale, most, under), prec); err == nil {
			l, err = l.fit().power(ctx, f.times)
		}
		if err != nil {
			return nil, err
		}
		if len(parts) > 1 && (f.own != nil || f.foreign) {
			l = l.regrid(dyadic(interval.Int(1), f.common, most, under))
		}
		*laws = append(*laws, l)
	}
	heap.Init(laws)
	for laws.Len() > 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := heap.Pop(laws).(*ladder)
		b := heap.Pop(laws).(*ladder)
		heap.Push(laws, a.times(b))
	}
	return (*laws)[0], nil
}

// byLength is laws as a heap: the one that spreads least first.
type byLength []*ladder

func (b byLength) Len() int           { return len(b) }
func (b byLength) Less(i, j int) bool { return b[i].length() < b[j].length() }
func (b byLength) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Push implements heap.Interface.
func (b *byLength) Push(l any) { *b = append(*b, l.(*ladder)) }

// Pop implements heap.Interface.
func (b *byLength) Pop() any {
	n := len(*b) - 1
	l := (*b)[n]
	*b = (*b)[:n]
	return l
}

// length is how far the losses spread.
func (l *ladder) length() float64 { return math.Ldexp(float64(len(l.mass)), l.scale) }
