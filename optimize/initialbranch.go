package optimize

import (
	"context"
	"slices"

	"dpworkbench/internal/parallel"
)

// spread is the first and the last layer of each value.
type spread [][2]int

func (e *relaxed) nothing() spread {
	out := make(spread, e.size)
	for r := range out {
		out[r] = [2]int{e.deepest, 0}
	}
	return out
}

func (s spread) take(row []int) {
	for r, l := range row {
		s[r][0], s[r][1] = min(s[r][0], l), max(s[r][1], l)
	}
}

// branched is the result of a branch and bound.
type branched struct {
	lower float64 // no table costs less
	boxes int
}

// branch bounds the cost of all tables from below with at most the given number of boxes. upper is the cost of the
// best known table.
func (s *tables) branch(ctx context.Context, upper float64, deepest, boxes int) (branched, error) {
	e, err := s.relax(ctx, deepest)
	if err != nil {
		return branched{}, err
	}
	target := upper * (1 - 1e-6)
	root := &box{gone: make([]rowset, s.q.Size())}
	for x := range root.gone {
		root.gone[x] = make(rowset, e.states/64+1)
	}
	out, open := branched{lower: target}, []*box{root}
	for len(open) > 0 && out.boxes < boxes {
		parallel.Report(ctx, int64(out.boxes), int64(boxes), "boxes")
		at := 0
		for k, b := range open {
			if b.bound < open[at].bound {
				at = k
			}
		}
		b := open[at]
		open = slices.Delete(open, at, at+1)
		if err := e.tighten(ctx, b, upper, target); err != nil {
			return branched{}, err
		}
		out.boxes++
		switch {
		case b.bound >= target:
		case b.split[1] < 0: // one row of each dataset remains: only more layers would improve the bound
			out.lower = min(out.lower, b.bound)
		default:
			open = append(open, e.halves(b)...)
		}
	}
	for _, b := range open {
		out.lower = min(out.lower, b.bound)
	}
	return out, nil
}

// tighten raises the bound of a box until it stalls or reaches target.
func (e *relaxed) tighten(ctx context.Context, b *box, upper, target float64) error {
	for stalled := 0; stalled < 2; {
		before := b.bound
		if err := e.pass(ctx, b, false); err != nil {
			return err
		}
		if err := e.pass(ctx, b, true); err != nil {
			return err
		}
		if err := e.settle(ctx, b, upper*(1+1e-9)); err != nil {
			return err
		}
		if b.bound >= target {
			return nil
		}
		if b.bound-before < (upper-b.bound)/50 {
			stalled++
		} else {
			stalled = 0
		}
	}
	return nil
}

// halves splits a box in two.
func (e *relaxed) halves(b *box) []*box {
	x, r, l := b.split[0], b.split[1], b.split[2]
	row := make([]int, e.size)
	var out [2]*box
	for k := range out {
		out[k] = &box{gone: slices.Clone(b.gone), bound: b.bound}
		out[k].gone[x] = slices.Clone(b.gone[x])
	}
	for _, i := range e.valid {
		e.layers(int(i), row)
		if row[r] <= l {
			out[1].gone[x].add(i)
		} else {
			out[0].gone[x].add(i)
		}
	}
	return out[:]
}
